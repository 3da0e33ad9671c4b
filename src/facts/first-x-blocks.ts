import { idFromCb58 } from '../lib/bytes/ids.ts'
import type { ChainLetter } from './primary-network.ts'
import { PUBLIC_NETWORKS } from './public-networks.ts'

/**
 * X-chains that had no blocks before Cortina, by blockchain id (hex), with the start of their blocks (unix seconds):
 * mainnet's and the testnet's. Outputs from before are in no block. Other networks have blocks from the start.
 */
export const FIRST_X_BLOCKS: ReadonlyMap<string, bigint> = new Map([
  [idFromCb58(PUBLIC_NETWORKS.mainnet.xBlockchainId), 1_682_434_800n],
  [idFromCb58(PUBLIC_NETWORKS.testnet.xBlockchainId), 1_680_793_200n],
])

/** When the X-chain with this id (cb58) got blocks, unix seconds; undefined if it had them from the start. */
export const firstXBlock = (xBlockchainId: string): bigint | undefined => FIRST_X_BLOCKS.get(idFromCb58(xBlockchainId))

/**
 * X went on without blocks for a moment after that time, and clocks differ: what was exported to it up to this many
 * seconds later may also have been imported without a block.
 */
const MARGIN = 600n

/** Whether something was made so early that X may have spent it without a block; `first` from `firstXBlock`. */
export const isBeforeXBlocks = (first: bigint, time: bigint): boolean => time < first + MARGIN

/**
 * Outputs of X's genesis, and exports from P and C to X while it had no blocks, were probably spent then, which an
 * index of blocks has not seen: only nodes know what is left.
 * @param first from `firstXBlock`
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
