/** A number as EVM nodes write it. */
export const toQuantity = (value: bigint): string => `0x${value.toString(16)}`
