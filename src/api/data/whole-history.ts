import { FirnError } from '../../errors.ts'
import type { PrimaryChain } from './primary-chain.ts'

/** The X-chains of mainnet and of the testnet, by their public ids: a network of one's own began with blocks. */
const OLDER_THAN_BLOCKS: ReadonlySet<string> = new Set([
  '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
  '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
])

/**
 * Refuses what addresses own and did on a chain of which the index cannot know everything: what X left unspent before
 * Cortina is in no block, and a sum without it would be taken for the whole.
 */
export function requireWholeHistory({ letter, identity, chainInfo }: PrimaryChain): void {
  if (letter !== 'X' || !OLDER_THAN_BLOCKS.has(identity.blockchainIds.X)) return
  throw new FirnError(
    `addresses of the x-chain of ${chainInfo.network} are not served: outputs of before Cortina, when it had no blocks, are unknown to the index; blocks are served, and /ext and /v1/balance ask a node`,
    { code: 'INCOMPLETE_INDEX', status: 503, retryable: false, expose: true },
  )
}
