import type { ElectrumCall } from './electrum-link.ts'

/** Tells the newest block, and news of later ones, which nobody listens to: the number of calls stays the same. */
export const TIP_CALL: ElectrumCall = ['blockchain.headers.subscribe', []]

/** Height of the newest block in the answer, `{height, hex}`; undefined when there is none. */
export const heightIn = (answer: unknown): bigint | undefined => {
  const height = (answer as { height?: unknown } | null)?.height
  return typeof height === 'number' && Number.isSafeInteger(height) && height >= 0 ? BigInt(height) : undefined
}
