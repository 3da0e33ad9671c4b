import type { ElectrumCall } from './electrum-link.ts'

/** Asks for the newest block. It also subscribes to later ones, which are ignored: this keeps it to a single call. */
export const TIP_CALL: ElectrumCall = ['blockchain.headers.subscribe', []]

/** Height of the newest block in the answer, `{height, hex}`; undefined when there is none. */
export const heightIn = (answer: unknown): bigint | undefined => {
  const height = (answer as { height?: unknown } | null)?.height
  return typeof height === 'number' && Number.isSafeInteger(height) && height >= 0 ? BigInt(height) : undefined
}
