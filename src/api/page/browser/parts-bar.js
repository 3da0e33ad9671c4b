/** @import { Part } from './wire.js' */
import { make } from './element.js'

/** Shares are drawn in thousandths; an existing part is never invisible. */
const WHOLE = 1000n

/**
 * The parts of the balance as a bar; only decoration, because the same is written next to it.
 * @param {readonly Part[]} parts
 */
export function partsBar(parts) {
  const sum = parts.reduce((before, { amount }) => before + BigInt(amount), 0n)
  const bar = make('div', { class: 'bar', 'aria-hidden': 'true' })
  if (sum <= 0n) return bar
  for (const { amount } of parts) {
    const share = (BigInt(amount) * WHOLE) / sum
    const piece = make('span')
    piece.style.flexGrow = String(share < 8n ? 8n : share)
    bar.append(piece)
  }
  return bar
}
