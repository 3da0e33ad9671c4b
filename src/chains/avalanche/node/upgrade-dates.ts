import { isRecord } from '../../../lib/json-record.ts'

/** A node whose version has an upgrade without a date names the last month of the year 9999, in UTC milliseconds. */
export const UNDATED_FROM = Date.UTC(9999)

/**
 * Whether what a node says to `info.upgrades`, an answer or an error, lacks the date of one of these upgrades
 * (`heliconTime`): a node of a newer version may have it.
 */
export const lacksDates = (said: unknown, names: readonly string[]): boolean =>
  !isRecord(said) || names.some((name) => !(Date.parse(String(said[name])) < UNDATED_FROM))
