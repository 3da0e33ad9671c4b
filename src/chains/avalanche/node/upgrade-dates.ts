import { isRecord } from '../../../lib/json/json-record.ts'

/** A node that knows an upgrade without a date gives it the last month of the year 9999, in UTC milliseconds. */
export const UNDATED_FROM = Date.UTC(9999)

/**
 * Whether an answer to `info.upgrades`, or an error, lacks the date of one of these upgrades (`heliconTime`): a node of
 * a newer version may have it.
 */
export const lacksDates = (said: unknown, names: readonly string[]): boolean =>
  !isRecord(said) || names.some((name) => !(Date.parse(String(said[name])) < UNDATED_FROM))
