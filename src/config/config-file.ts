import { readFileSync } from 'node:fs'
import { isTree, type Tree } from './tree.ts'

/** Reads a text file; undefined when there is none. Other failures (rights, a folder) are thrown. */
export type ReadFile = (path: string) => string | undefined

export const readTextFile: ReadFile = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Like ReadFile, but a failure becomes a problem line that names the file. */
export function readOr(readFile: ReadFile, path: string, problems: string[]): string | undefined {
  try {
    return readFile(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    problems.push(`${path}: cannot be read: ${code ?? message}`)
    return undefined
  }
}

/** Some editors begin a file with a byte order mark: it would be part of the first name. */
export const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '')

/**
 * The content of a configuration file. Keys that begin with `$` (`$schema`, `$comment`) are for editors and people.
 * JSON's own error text may quote the file, and so a secret: only the place is told.
 */
export function parseConfigFile(path: string, text: string, problems: string[]): Tree {
  try {
    const value: unknown = JSON.parse(withoutMark(text))
    if (isTree(value)) return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('$')))
    problems.push(
      `${path}: given ${Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value}; allowed: a JSON object`,
    )
  } catch (error) {
    const place = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
    const line = place === undefined ? '' : ` at line ${text.slice(0, Number(place)).split('\n').length}`
    problems.push(`${path}: no valid JSON${line}`)
  }
  return {}
}
