import { BadAnswerError } from '../../errors.ts'
import type { HeadProbe } from '../../upstream/types.ts'
import { BITCOIN_LAG_BLOCKS } from './limits.ts'

/** Blockbook's status of itself and of its node. */
interface BlockbookStatus {
  blockbook?: { bestHeight?: unknown }
  backend?: { blocks?: unknown; error?: unknown }
}

const blockbookHeight = (text: string): unknown => (JSON.parse(text) as BlockbookStatus).blockbook?.bestHeight

/**
 * Without its node a Blockbook leaves out the mempool without saying so in an address; while it catches up on many
 * blocks its balances are old.
 */
const blockbookDoubt = (text: string): string | undefined => {
  const { blockbook, backend } = JSON.parse(text) as BlockbookStatus
  if (backend?.error) return 'its node does not answer'
  const behind = Number(backend?.blocks) - Number(blockbook?.bestHeight)
  return behind > BITCOIN_LAG_BLOCKS ? `${behind} blocks behind its node` : undefined
}

/** How a pool of REST servers of one kind follows each server's height: one that is stuck reports old balances. */
export const bitcoinHeadProbe = (kind: 'esplora' | 'blockbook'): HeadProbe => ({
  path: kind === 'esplora' ? '/blocks/tip/height' : '/api/v2',
  parse(document) {
    const height = String(kind === 'esplora' ? document : blockbookHeight(String(document))).trim()
    if (!/^[0-9]{1,10}$/.test(height)) throw new BadAnswerError('no height')
    return BigInt(height)
  },
  ...(kind === 'blockbook' && { doubt: (document) => blockbookDoubt(String(document)) }),
  intervalMs: 15_000,
})
