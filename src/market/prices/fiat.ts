/**
 * Value of an amount in fiat: `balance` in the smallest unit, `decimals` 0 to 255, `price` of one whole unit. The
 * amount is converted from its decimal text, which the runtime rounds correctly at any size, so the only other error is
 * that of one multiplication: below 1e-15 relative. Not rounded to a number of places (wallets do not fall back to the
 * price when a tiny value was rounded to zero). Undefined when there is no finite answer.
 */
export const fiatValue = (balance: bigint, decimals: number, price: number): number | undefined => {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255 || !Number.isFinite(price)) return undefined
  if (balance === 0n) return 0
  const value = Number(`${balance}e-${decimals}`) * price
  return Number.isFinite(value) ? value : undefined
}

/**
 * `totalBalanceInCurrency` of an item: native plus every token that has a value. Undefined when the native value is
 * unknown, because the sum would be too small without it, or when the sum is not finite.
 */
export const fiatTotal = (
  native: number | undefined,
  tokens: Iterable<number | undefined> = [],
): number | undefined => {
  if (native === undefined) return undefined
  let total = native
  for (const value of tokens) total += value ?? 0
  return Number.isFinite(total) ? total : undefined
}

/**
 * Absolute change of a price over 24 hours, from the change in percent: price − price / (1 + percent / 100), computed
 * without subtracting two nearly equal numbers, which would leave few digits for a coin that hardly moves. Undefined
 * for −100 % and below, where no earlier price exists, and for anything not finite.
 */
export const absoluteChange = (price: number, percent: number): number | undefined => {
  if (!(percent > -100)) return undefined
  const change = price * (percent / (100 + percent))
  return Number.isFinite(change) ? change : undefined
}
