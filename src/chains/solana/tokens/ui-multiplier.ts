import type { AccountData } from '../account-data.ts'
import { SYSVAR_PROGRAM } from '../programs.ts'
import type { MintExtensions } from './extensions.ts'

/** Multiplier at a time of the chain's clock, seconds since 1970; null if it is not a usable number. */
export type UiMultiplier = (unixSeconds: bigint) => number | null

const SCALED_BYTES = 56
const INTEREST_BYTES = 52
const BASIS_POINTS = 10_000
/** 365.24 days: the program's own year. */
const SECONDS_PER_YEAR = 31_556_736

/** Slot, start of the epoch, epoch, epoch of the leader schedule, time: 8 bytes each. */
const CLOCK_TIME_AT = 32

const usable = (multiplier: number): number | null =>
  Number.isFinite(multiplier) && multiplier > 0 ? multiplier : null

/** authority (32) · multiplier (f64) · time from which the next one applies (i64) · next multiplier (f64). */
const scaled = (value: Buffer): UiMultiplier => {
  if (value.length !== SCALED_BYTES) return () => null
  const nextFrom = value.readBigInt64LE(40)
  return (time) => usable(value.readDoubleLE(time >= nextFrom ? 48 : 32))
}

/**
 * authority (32) · start (i64) · mean rate until the last change (i16) · last change (i64) · rate since (i16). Rates
 * are basis points per year, compounded continuously.
 */
const interest = (value: Buffer): UiMultiplier => {
  if (value.length !== INTEREST_BYTES) return () => null
  const start = value.readBigInt64LE(32)
  const changed = value.readBigInt64LE(42)
  const growth = (rate: number, seconds: bigint): number =>
    Math.exp(Number(BigInt(rate) * seconds) / SECONDS_PER_YEAR / BASIS_POINTS)
  const before = growth(value.readInt16LE(40), changed - start)
  return (time) => usable(before * growth(value.readInt16LE(50), time - changed))
}

/**
 * Multiplier of a Token-2022 mint's UI amount; undefined when the UI amount is the plain one. The program allows no
 * mint to have both extensions, and would use the interest first.
 */
export const readUiMultiplier = (extensions: MintExtensions): UiMultiplier | undefined => {
  const { interestBearing, scaledUiAmount, broken } = extensions
  if (interestBearing) return interest(interestBearing)
  if (scaledUiAmount) return scaled(scaledUiAmount)
  return broken ? () => null : undefined
}

/** Time of the clock account, which the program uses: seconds since 1970; undefined when it is not the clock. */
export const readClock = (account: AccountData | null): bigint | undefined => {
  const isClock = account?.program === SYSVAR_PROGRAM && account.bytes.length >= CLOCK_TIME_AT + 8
  return isClock ? account.bytes.readBigInt64LE(CLOCK_TIME_AT) : undefined
}
