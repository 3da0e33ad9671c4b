import { FirnError } from '../../errors.ts'
import { FIRST_X_BLOCKS } from '../../lib/first-x-blocks.ts'
import { idFromCb58 } from '../../lib/ids.ts'
import type { UtxoRecord } from '../../store/index.ts'
import type { PrimaryChain } from './primary-chain.ts'

/** What P and C exported to X while it had no blocks was probably imported there, which the index has not seen. */
export function isOfUnknownEnd({ identity }: PrimaryChain, utxo: UtxoRecord): boolean {
  const { createdOn, consumableOn, created, consumed } = utxo
  if (consumableOn !== 'X' || createdOn === 'X' || consumed) return false
  const first = FIRST_X_BLOCKS.get(idFromCb58(identity.blockchainIds.X))
  return first !== undefined && created.time < first
}

/**
 * Refuses what addresses own and did on a chain of which the index cannot know everything: what X left unspent before
 * Cortina is in no block, and a sum without it would be taken for the whole.
 */
export function requireWholeHistory({ letter, identity, chainInfo }: PrimaryChain): void {
  if (letter !== 'X' || !FIRST_X_BLOCKS.has(idFromCb58(identity.blockchainIds.X))) return
  throw new FirnError(
    `addresses of the x-chain of ${chainInfo.network} are not served: outputs of before Cortina, when it had no blocks, are unknown to the index; blocks are served, and /ext and /v1/balance ask a node`,
    { code: 'INCOMPLETE_INDEX', status: 503, retryable: false, expose: true },
  )
}
