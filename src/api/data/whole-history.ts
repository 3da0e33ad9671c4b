import { FirnError } from '../../errors.ts'
import { firstXBlock } from '../../lib/first-x-blocks.ts'
import type { PrimaryChain } from './primary-chain.ts'

/**
 * Refuses what was on a chain of which the index cannot know everything: what X made and spent before Cortina is in no
 * block, and what it left unspent then and was spent since is known by its spending alone. What is there now the nodes
 * tell.
 * @param what as the message says it
 */
export function requireWholeHistory(chain: PrimaryChain, what: string): void {
  if (chain.letter !== 'X' || firstXBlock(chain.identity.blockchainIds.X) === undefined) return
  throw new FirnError(
    `${what} of the x-chain of ${chain.chainInfo.network} cannot be told: what was before Cortina, when it had no blocks, is unknown to the index; its blocks, what is unspent now and balances of now are served`,
    { code: 'INCOMPLETE_INDEX', status: 503, retryable: false, expose: true },
  )
}
