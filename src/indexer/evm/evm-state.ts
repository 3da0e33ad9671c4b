/** What the EVM side of a stream has to know of what is stored, to go on behind it. */
export interface EvmState {
  /** Transactions of the chain so far. */
  count: bigint
  /** Digests of the receipts that were stored of the last blocks, in order of height: those that no block has settled. */
  unsettled: readonly string[]
}

/** The sum in decimal, behind it the digests. Chains that execute blocks at once have the sum alone. */
export const writeEvmState = ({ count, unsettled }: EvmState): string => [count.toString(), ...unsettled].join(' ')

export function readEvmState(state: string | undefined): EvmState {
  const [count = '', ...unsettled] = state?.split(' ') ?? []
  return { count: /^\d+$/.test(count) ? BigInt(count) : 0n, unsettled }
}
