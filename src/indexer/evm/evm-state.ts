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

const NAMELESS = 'nameless:'

/**
 * State of a standalone chain after a rewind: the sum, followed by the contracts whose names the rewind has forgotten.
 * The next range replaces it, and brings their names: no crash in between loses them.
 * @param nameless hex without 0x
 */
export const writeRewoundState = (count: bigint, nameless: readonly string[]): string =>
  [count.toString(), ...nameless.map((contract) => NAMELESS + contract)].join(' ')

/** The contracts of `writeRewoundState`; none in any other state. */
export const readRewoundState = (state: string | undefined): string[] =>
  (state ?? '').split(' ').flatMap((word) => (word.startsWith(NAMELESS) ? [word.slice(NAMELESS.length)] : []))
