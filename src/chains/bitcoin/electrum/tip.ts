import { BadAnswerError } from '../../../errors.ts'
import type { ElectrumCall } from './link.ts'

/** Asks for the newest block. It also subscribes to later ones, which are ignored: this keeps it to a single call. */
export const TIP_CALL: ElectrumCall = ['blockchain.headers.subscribe', []]

/** Height of the newest block in the answer, `{height, hex}`. Throws BadAnswerError when there is none. */
export const heightIn = (answer: unknown): bigint => {
  const height = (answer as { height?: unknown } | null)?.height
  if (typeof height === 'number' && Number.isSafeInteger(height) && height >= 0) return BigInt(height)
  throw new BadAnswerError('Electrum server told no height')
}
