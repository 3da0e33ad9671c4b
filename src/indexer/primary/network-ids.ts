import { EMPTY_ID, idFromCb58 } from '../../lib/ids.ts'
import type { ChainLetter } from '../../store/rows/index.ts'
import { StreamBlockedError } from '../runner/stream-errors.ts'

/** What the transactions of a network name: ids as hex. */
export interface NetworkIds {
  networkId: number
  xChainId: string
  cChainId: string
  avaxAssetId: string
}

/**
 * The letter of a chain that an import or export names.
 * @throws StreamBlockedError for a chain that shares no memory with P, X and C
 */
export function letterOf(ids: NetworkIds, blockchainId: string): ChainLetter {
  if (blockchainId === EMPTY_ID) return 'P'
  if (blockchainId === ids.xChainId) return 'X'
  if (blockchainId === ids.cChainId) return 'C'
  throw new StreamBlockedError(`a transaction moves assets to or from the unknown chain ${blockchainId}`)
}

/** The X-chains of mainnet and of the testnet. */
const OLDER_THAN_BLOCKS: ReadonlySet<string> = new Set(
  ['2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM', '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'].map(
    idFromCb58,
  ),
)

/** Whether X was a DAG before Cortina: what that left unspent is in no block, and is spent in blocks all the same. */
export const isOlderThanBlocks = ({ xChainId }: NetworkIds): boolean => OLDER_THAN_BLOCKS.has(xChainId)
