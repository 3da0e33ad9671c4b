import { idFromCb58 } from './ids.ts'
import type { ChainLetter } from './primary-network.ts'

/**
 * X-chains that had no blocks before Cortina, by blockchain id (hex), and when their blocks began (unix seconds):
 * mainnet's and the testnet's. What they left unspent before is in no block. Other networks begin with blocks.
 */
export const FIRST_X_BLOCKS: ReadonlyMap<string, bigint> = new Map([
  [idFromCb58('2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'), 1_682_434_800n],
  [idFromCb58('2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'), 1_680_793_200n],
])

/** When the X-chain with this id (cb58) got its blocks, unix seconds; undefined where it had them from the start. */
export const firstXBlock = (xBlockchainId: string): bigint | undefined => FIRST_X_BLOCKS.get(idFromCb58(xBlockchainId))

/**
 * X went on without blocks for a moment behind that time, and clocks differ: what was exported to it so many seconds later
 * may have been imported there, too.
 */
const MARGIN = 600n

/** Whether something was made so early that X may have spent it without a block; `first` of `firstXBlock`. */
export const isBeforeXBlocks = (first: bigint, time: bigint): boolean => time < first + MARGIN

/**
 * What X was born with, and what P and C exported to it while it had no blocks, was probably spent then, which an index of
 * blocks has not seen: only nodes know what is still there.
 * @param first of `firstXBlock`
 */
export const isOfUnknownEnd = (
  first: bigint | undefined,
  utxo: {
    createdOn: ChainLetter
    consumableOn: ChainLetter
    created: { height: bigint; time: bigint }
    consumed?: object | undefined
  },
): boolean =>
  first !== undefined &&
  utxo.consumableOn === 'X' &&
  !utxo.consumed &&
  (utxo.createdOn === 'X' ? utxo.created.height === 0n : isBeforeXBlocks(first, utxo.created.time))
