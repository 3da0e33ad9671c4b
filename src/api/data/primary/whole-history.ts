import { FirnError } from '../../../errors.ts'
import { firstXBlock } from '../../../facts/first-x-blocks.ts'
import type { PrimaryChain } from './chain.ts'

/**
 * Refuses past data of a chain whose history the index cannot know completely: outputs that X created and spent before
 * Cortina are in no block, and of those left unspent then and spent since, only the spending is known. Nodes report
 * what is there now. To be asked before the age of any index: however young they are, the answer is the same, and
 * nobody is to wait for it.
 * @param what as the message names it
 */
export function requireWholeHistory(chain: PrimaryChain, what: string): void {
  if (chain.letter !== 'X' || firstXBlock(chain.identity.blockchainIds.X) === undefined) return
  throw new FirnError(
    `${what} of the x-chain of ${chain.chainInfo.network} cannot be told: what was before Cortina, when it had no blocks, is in no block; ask for its blocks, what is unspent now, or balances of now`,
    { code: 'INCOMPLETE_INDEX', status: 503, retryable: false, expose: true },
  )
}
