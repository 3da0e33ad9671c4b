/** @import { Portfolio } from './portfolio.js' */
import { createMoney, formatPercent } from './amounts.js'
import { byId, make } from './element.js'

/**
 * The sum over all chains, and whether it is complete: it never claims more than was read.
 * @param {Portfolio} portfolio
 * @param {string} currency
 * @returns {string} the same in one sentence, to be announced
 */
export function showSummary(portfolio, currency) {
  const totals = portfolio.totals()
  const { asked, answered, failed, unvalued, value, change, changePercent } = totals
  const money = createMoney(currency)
  const reading = answered < asked
  const nothing = failed === answered && failed > 0
  const least = failed + unvalued > 0
  const title = reading ? 'Total so far' : least ? 'Incomplete total' : 'Total'
  const text = nothing || answered === 0 ? '—' : `${least && !reading ? 'at least ' : ''}${money.value(value)}`
  byId('total-title', HTMLElement).textContent = title
  const total = byId('total', HTMLElement)
  total.replaceChildren(
    ...(least && !reading && !nothing ? [make('small', {}, 'at least '), money.value(value)] : [text]),
  )
  showChange(change, changePercent, money)
  const gaps = gapsOf(totals)
  const completeness = byId('completeness', HTMLElement)
  completeness.classList.toggle('bad', failed > 0)
  completeness.textContent = reading ? `${answered} of ${asked} readings answered` : gaps
  const bar = byId('read-progress', HTMLProgressElement)
  bar.max = Math.max(1, asked)
  bar.value = answered
  byId('reading', HTMLElement).hidden = !reading
  const retry = byId('retry', HTMLButtonElement)
  retry.hidden = reading || failed === 0
  return reading
    ? `${answered} of ${asked} readings answered.`
    : `${title}: ${text === '—' ? 'unknown' : text}. ${gaps}`
}

/**
 * @param {number | undefined} change
 * @param {number | undefined} percent
 * @param {ReturnType<typeof createMoney>} money
 */
function showChange(change, percent, money) {
  const element = byId('change', HTMLElement)
  element.hidden = change === undefined
  if (change === undefined) return
  const tone = change > 0 ? 'up' : change < 0 ? 'down' : 'muted'
  const share = percent === undefined ? '' : ` (${formatPercent(percent)})`
  element.replaceChildren(make('span', { class: tone }, `${money.change(change)}${share}`), ' in 24 hours')
}

/** @param {ReturnType<Portfolio['totals']>} totals */
function gapsOf({ asked, failed, unvalued, unpriced, twice }) {
  const sentences = [
    failed > 0 ? `${failed} of ${asked} readings failed: what they hold is not in the sum.` : undefined,
    unvalued > 0 ? `${counted(unvalued, 'account has', 'accounts have')} coins whose price is not known.` : undefined,
    unpriced > 0
      ? `${counted(unpriced, 'holding has', 'holdings have')} no price and ${unpriced === 1 ? 'is' : 'are'} not in the sum.`
      : undefined,
    twice ? 'What several of these own together counts in full for each of them.' : undefined,
  ]
  const told = sentences.filter((sentence) => sentence !== undefined).join(' ')
  // A mere remark does not revoke "All answered".
  return failed + unvalued + unpriced === 0 && told !== ''
    ? `All ${asked} readings answered. ${told}`
    : told === ''
      ? `All ${asked} readings answered.`
      : told
}

/** @param {number} number @param {string} one @param {string} many */
const counted = (number, one, many) => `${number} ${number === 1 ? one : many}`
