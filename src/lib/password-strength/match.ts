/** A part of a password that is easier to guess than its single characters: positions `from` to `to`, inclusive. */
export interface Match {
  from: number
  to: number
  /** Bits. */
  entropy: number
}

/** Number of ways to choose `k` out of `n`. */
export function choose(n: number, k: number): number {
  if (k > n) return 0
  let ways = 1
  for (let step = 1; step <= k; step += 1) ways = (ways * (n - step + 1)) / step
  return ways
}
