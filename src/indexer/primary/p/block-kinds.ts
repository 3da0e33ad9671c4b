import type { PBlock } from '../../../chains/avalanche/codec/index.ts'

/** An option decides the proposal right before it. */
export const isOption = ({ type }: PBlock): boolean => type.endsWith('CommitBlock') || type.endsWith('AbortBlock')
export const isProposal = ({ type }: PBlock): boolean => type.endsWith('ProposalBlock')

/** All transactions of a block in order: decisions come before the proposal. */
export function txsOf(block: PBlock) {
  switch (block.type) {
    case 'ApricotStandardBlock':
    case 'BanffStandardBlock':
      return block.txs
    case 'BanffProposalBlock':
      return [...block.decisionTxs, block.tx]
    case 'ApricotProposalBlock':
    case 'ApricotAtomicBlock':
      return [block.tx]
    default:
      return []
  }
}
