/** What the EVM side of a stream needs to know about stored blocks to continue after them. */
export interface EvmState {
  /** Transactions of the chain so far. */
  count: bigint
  /** Digests of the stored receipts of the last blocks that no block has settled yet, in order of height. */
  unsettled: readonly string[]
}

/** The sum in decimal, followed by the digests. Chains that execute blocks at once have only the sum. */
export const writeEvmState = ({ count, unsettled }: EvmState): string => [count.toString(), ...unsettled].join(' ')

export function readEvmState(state: string | undefined): EvmState {
  const [count = '', ...unsettled] = state?.split(' ') ?? []
  return { count: /^\d+$/.test(count) ? BigInt(count) : 0n, unsettled }
}
