const SECOND = 1_000_000_000n
const MINUTE = 60n * SECOND
const HOUR = 60n * MINUTE

const withoutZeros = (digits: string): string => digits.replace(/0+$/, '')

const decimal = (value: bigint, unit: bigint, width: number): string => {
  const fraction = withoutZeros((value % unit).toString().padStart(width, '0'))
  return `${value / unit}${fraction === '' ? '' : `.${fraction}`}`
}

/** A time as Go writes it in JSON: RFC 3339 in UTC, without trailing zeros in the fraction. `ms` unix milliseconds. */
export function formatGoTime(ms: number): string {
  const [seconds = '', fraction = ''] = new Date(ms).toISOString().slice(0, -1).split('.')
  const kept = withoutZeros(fraction)
  return `${seconds}${kept === '' ? '' : `.${kept}`}Z`
}

/** Go's zero time, used where nothing has happened yet. */
export const GO_ZERO_TIME = '0001-01-01T00:00:00Z'

/** A duration as Go prints it: `0s`, `43ns`, `1.5µs`, `581.901358ms`, `2.5s`, `1m30s`, `24h0m0s`. Nanoseconds, >= 0. */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s'
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 1_000n, 3)}µs`
  if (nanoseconds < SECOND) return `${decimal(nanoseconds, 1_000_000n, 6)}ms`
  const seconds = `${decimal(nanoseconds % MINUTE, SECOND, 9)}s`
  if (nanoseconds < MINUTE) return seconds
  const minutes = `${(nanoseconds % HOUR) / MINUTE}m${seconds}`
  return nanoseconds < HOUR ? minutes : `${nanoseconds / HOUR}h${minutes}`
}
