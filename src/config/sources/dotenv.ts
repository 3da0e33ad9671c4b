import { parseEnv } from 'node:util'
import { withoutMark } from './config-file.ts'
import { isOwnVariable, type Variables } from './environment.ts'

/** `NAME=value` and `export NAME=value`. */
const ASSIGNMENT = /^\s*(?:export\s+)?[\w.-]+\s*=\s*(.*)$/
const NAME = /^\s*(?:export\s+)?([\w.-]+)/
const EMPTY = /^\s*(#|$)/
const QUOTES = ['"', "'", '`']

/**
 * Variables of an `.env`. Node's parser takes a line without `=` for the beginning of the next name, which silently
 * loses both: such a line is skipped, and reported if it names one of Firn's variables. Its content is not shown, since
 * it may be a secret after a colon.
 */
export function readDotenv(path: string, content: string, problems: string[]): Variables {
  const lines = withoutMark(content).split(/\r?\n/)
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const value = ASSIGNMENT.exec(line)?.[1]
    if (value !== undefined) {
      const last = at + linesBeyond(value, lines.slice(at + 1))
      kept.push(...lines.slice(at, last + 1))
      at = last
    } else if (!EMPTY.test(line) && isOwnVariable(NAME.exec(line)?.[1] ?? '')) {
      problems.push(`${path}: line ${at + 1} begins with a variable and is no NAME=value`)
    }
  }
  // Without a final line break Node leaves out a last value whose quote is never closed.
  return parseEnv(`${kept.join('\n')}\n`)
}

/** Number of following lines that a quoted value spans; 0 if its quote is never closed, as in Node. */
function linesBeyond(value: string, next: readonly string[]): number {
  const quote = QUOTES.find((one) => value.startsWith(one))
  if (quote === undefined || value.indexOf(quote, 1) > 0) return 0
  return next.findIndex((line) => line.includes(quote)) + 1
}
