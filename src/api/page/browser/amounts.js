/** Fraction digits shown; the exact amount is always available as well. */
const FRACTION = 6
/** Whole numbers with more digits than this are shown as a power of ten. */
const WHOLE = 18

/**
 * An amount in whole units, for people. Further digits are cut, never rounded up, so that it never exceeds the
 * balance. Only text and bigint, no floating point.
 * @param {string} amount smallest unit, decimal
 * @param {number} decimals
 * @returns {{ text: string, exact: string }} `exact` holds every digit
 */
export function formatAmount(amount, decimals) {
  const value = BigInt(amount)
  const sign = value < 0n ? '−' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const exact = `${sign}${grouped(whole)}${fraction === '' ? '' : `.${fraction}`}`
  if (whole.length > WHOLE)
    return { text: `${sign}${whole[0]}.${whole.slice(1, 5)}… × 10${raised(whole.length - 1)}`, exact }
  if (fraction.length <= FRACTION) return { text: exact, exact }
  const shown = fraction.slice(0, FRACTION)
  if (whole === '0' && /^0*$/.test(shown))
    return { text: `${sign === '' ? '<' : '>−'} 0.${'0'.repeat(FRACTION - 1)}1`, exact }
  return { text: `${sign}${grouped(whole)}.${shown}…`, exact }
}

/** @param {string} whole */
const grouped = (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ',')

/** @param {number} exponent */
const raised = (exponent) => [...String(exponent)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('')

/**
 * How values of one currency are written.
 * @param {string} currency lower case, as on the wire
 */
export function createMoney(currency) {
  const style = { style: /** @type {const} */ ('currency'), currency: currency.toUpperCase() }
  const usual = new Intl.NumberFormat('en', style)
  const small = new Intl.NumberFormat('en', { ...style, minimumSignificantDigits: 2, maximumSignificantDigits: 4 })
  const large = new Intl.NumberFormat('en', { ...style, notation: 'scientific', maximumFractionDigits: 2 })
  const signed = new Intl.NumberFormat('en', { ...style, signDisplay: 'exceptZero' })
  const step = 10 ** -(usual.resolvedOptions().maximumFractionDigits ?? 2)
  /** @param {number} value */
  const write = (value) => (Math.abs(value) >= 1e15 ? large : usual).format(value)
  return {
    /** @param {number} value */
    value: (value) => (value > 0 && value < step ? `< ${usual.format(step)}` : write(value)),
    /** @param {number} price */
    price: (price) => (price !== 0 && Math.abs(price) < 1 ? small.format(price) : write(price)),
    /** @param {number} change */
    change: (change) => signed.format(change),
  }
}

const percentFormat = new Intl.NumberFormat('en', {
  signDisplay: 'exceptZero',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})

/** @param {number} percent */
export const formatPercent = (percent) => `${percentFormat.format(percent)} %`

/**
 * @param {number} seconds
 * @returns {string} `40 s`, `12 min`, `3 h`, `5 days`
 */
export function formatDuration(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}
