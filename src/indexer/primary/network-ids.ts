import { FIRST_X_BLOCKS } from '../../facts/first-x-blocks.ts'
import { EMPTY_ID } from '../../lib/bytes/ids.ts'
import type { ChainLetter } from '../../store/rows/index.ts'
import { StreamBlockedError } from '../runner/stream-errors.ts'

/** Ids that a network's transactions use, as hex. */
export interface NetworkIds {
  networkId: number
  xChainId: string
  cChainId: string
  avaxAssetId: string
}

/**
 * The letter of a chain named by an import or export.
 * @throws StreamBlockedError for a chain that shares no memory with P, X and C
 */
export function letterOf(ids: NetworkIds, blockchainId: string): ChainLetter {
  if (blockchainId === EMPTY_ID) return 'P'
  if (blockchainId === ids.xChainId) return 'X'
  if (blockchainId === ids.cChainId) return 'C'
  throw new StreamBlockedError(`a transaction moves assets to or from the unknown chain ${blockchainId}`)
}

/** Whether X was a DAG before Cortina: its outputs from then are in no block, but blocks spend them. */
export const isOlderThanBlocks = ({ xChainId }: NetworkIds): boolean => FIRST_X_BLOCKS.has(xChainId)
