import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (folder: string, extension: string): string =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))
    .join('\n')

it('errors have the same names in the build as in the sources: logs tell them by the names of their classes', () => {
  const classes = [...read('src', '.ts').matchAll(/^\s*(?:export )?class (\w+) extends \w*Error\b/gm)].map(
    ([, name]) => name,
  )
  expect(classes.length).toBeGreaterThan(20)
  const built = [...read('dist', '.js').matchAll(/\b(?:var (\w+) = class|class (\w+)) extends /g)].map(
    ([, variable, name]) => variable ?? name ?? '',
  )
  expect(built).toEqual(expect.arrayContaining(['ConfigError', 'StoreUnavailableError']))
  // What a bundler does to a name that is taken.
  const original = (name: string): string => name.replace(/^_|\d+$/g, '')
  expect(built.filter((name) => original(name) !== name && classes.includes(original(name)))).toEqual([])
})
