import { readFileSync } from 'node:fs'
import { messageOf } from '../../errors.ts'
import { isTree, type Tree } from '../tree.ts'
import { repeatedKeys } from './repeated-keys.ts'

/** Reads a text file; undefined if it does not exist. Other failures (permissions, a folder) are thrown. */
export type ReadFile = (path: string) => string | undefined

export const readTextFile: ReadFile = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Like ReadFile, but a failure becomes a problem line with the file's name in its public form. */
export function readOr(readFile: ReadFile, path: string, problems: string[], shown = path): string | undefined {
  try {
    return readFile(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    problems.push(`${shown}: cannot be read: ${code ?? message}`)
    return undefined
  }
}

/** Some editors start a file with a byte order mark, which would be part of the first name. */
export const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '')

/** Whether the following text is the mistake, rather than an unexpected end. */
function isWrong(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return /^Unexpected (token|non)/.test(messageOf(error))
  }
}

/** Position where a text stops being JSON. V8 gives none for an unexpected character, such as that of a comment. */
function placeOf(error: unknown, text: string): number {
  const place = /position (\d+)/.exec(messageOf(error))?.[1]
  if (place !== undefined) return Number(place)
  if (!isWrong(text)) return text.length
  let [right, wrong] = [0, text.length]
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1
    if (isWrong(text.slice(0, middle))) wrong = middle
    else right = middle
  }
  return right
}

/**
 * The content of a configuration file. Keys that begin with `$` (`$schema`, `$comment`) are for editors and people.
 * JSON's own error text may quote the file, and with it a secret: only the position is reported.
 */
export function parseConfigFile(path: string, content: string, problems: string[]): Tree {
  const text = withoutMark(content)
  const lineOf = (place: number): number => text.slice(0, place).split('\n').length
  try {
    const value: unknown = JSON.parse(text)
    for (const place of repeatedKeys(text))
      problems.push(`${path}: line ${lineOf(place)} names a key of its object for the second time`)
    if (isTree(value)) return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('$')))
    problems.push(
      `${path}: given ${Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value}; allowed: a JSON object`,
    )
  } catch (error) {
    problems.push(
      `${path}: no valid JSON at line ${lineOf(placeOf(error, text))} (comments and commas at the end of a list are none)`,
    )
  }
  return {}
}
