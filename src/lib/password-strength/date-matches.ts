import type { Match } from './match.ts'

const SEPARATOR = '([\\t\\n\\f\\r ]|-|/|\\\\|_|\\.)'
const YEAR = '(19[0-9]{2}|200[0-9]|201[0-9]|[0-9]{2})'
const PART = '([0-9]{1,2})'
const YEAR_LAST = new RegExp(`${PART}${SEPARATOR}${PART}${SEPARATOR}${YEAR}`, 'g')
const YEAR_FIRST = new RegExp(`${YEAR}${SEPARATOR}${PART}${SEPARATOR}${PART}`, 'g')
const DIGITS = /[0-9]{4,8}/g

/** Possible days, months and years (1900 to 2019) of a date. */
const DAYS = 31
const MONTHS = 12
const YEARS = 119

function isDate(day: number, month: number, year: number): boolean {
  const swapped = month >= 12 && month <= 31 && day <= 12
  const [d, m] = swapped ? [month, day] : [day, month]
  return d <= 31 && m <= 12 && ((year >= 1900 && year <= 2019) || (year >= 0 && year <= 99))
}

const entropyOf = (year: number, separated: boolean): number =>
  Math.log2(DAYS * MONTHS * (year < 100 ? 100 : YEARS)) + (separated ? 2 : 0)

/** Like the node's library, places a date where its digits first occur, and one character too far to the end. */
const placed = (text: string, found: string, entropy: number): Match => {
  const from = text.indexOf(found)
  return { from, to: from + found.length, entropy }
}

function separatedDates(text: string): Match[] {
  const matches: Match[] = []
  const consider = (found: string, day = '', month = '', year = ''): void => {
    if (isDate(Number(day), Number(month), Number(year)))
      matches.push(placed(text, found, entropyOf(Number(year), true)))
  }
  for (const [found, month, , day, , year] of text.matchAll(YEAR_LAST)) consider(found, day, month, year)
  for (const [found, year, , day, , month] of text.matchAll(YEAR_FIRST)) consider(found, day, month, year)
  return matches
}

/** Positions of year, day and month in this many digits. The library supports only these. */
const LAYOUTS: Readonly<Record<number, readonly (readonly [year: number, yearEnd: number, day: number])[]>> = {
  6: [[0, 2, 2]],
  8: [
    [0, 4, 4],
    [4, 8, 0],
  ],
}

function plainDates(text: string): Match[] {
  const matches: Match[] = []
  for (const [found] of text.matchAll(DIGITS)) {
    for (const [yearAt, yearEnd, dayAt] of LAYOUTS[found.length] ?? []) {
      const year = Number(found.slice(yearAt, yearEnd))
      const day = Number(found.slice(dayAt, dayAt + 2))
      const month = Number(found.slice(dayAt + 2, dayAt + 4))
      if (isDate(day, month, year)) matches.push(placed(text, found, entropyOf(year, false)))
    }
  }
  return matches
}

export const dateMatches = (text: string): Match[] => [...separatedDates(text), ...plainDates(text)]
