import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { configOf } from '../config/sources.ts'

/*
 * Whoever has an error before him looks for its words in the manuals. They have to be the words of the code, and the
 * file that is shown to whoever adds a chain one that a server starts with.
 */
const root = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const code = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => read(`src/${name}`))
  .join('\n')

const sectionOf = (page: string, title: string): string =>
  read(`docs/${page}.md`).split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''

/** Spans in the first column of a section's tables. */
const firstSpans = (section: string): string[] =>
  [...section.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span),
  )

/** What is filled in differs, and so may brackets around it. */
const fixedParts = (text: string): string[] =>
  text
    .split(/[…()\d]+/)
    .map((part) => part.trim())
    .filter((part) => part.length > 2)

it.each([
  ['operations', 'Clients get errors', 15],
  ['balances', 'When an item is an error', 8],
  ['indexing', 'Watching it', 7],
])('texts of errors in %s, "%s", are those of the code', (page, title, least) => {
  const texts = firstSpans(sectionOf(page, title))
  expect(texts.length).toBeGreaterThanOrEqual(least)
  expect(texts.flatMap(fixedParts).filter((part) => !code.includes(part))).toEqual([])
})

it('texts of items that are errors are all in docs/balances.md', () => {
  const files = ['services/balances/failure-message.ts', 'chains/evm/read/wrong-chain-error.ts']
  const texts = files.flatMap((file) => [
    ...read(`src/${file}`).matchAll(/(?:return |super\(|\}\] )['`]?([^'`\n]+)['`]/g),
  ])
  const parts = texts.flatMap(([, text = '']) => text.split(/\$\{[^}]*\}|[[\](),]/)).map((part) => part.trim())
  const told = sectionOf('balances', 'When an item is an error')
  const words = parts.filter((part) => part.includes(' '))
  expect(words.length).toBeGreaterThanOrEqual(12)
  expect(words.filter((part) => !told.includes(part))).toEqual([])
})

it('would be caught', () => {
  expect(firstSpans('| 503 `a … b`, `c` | `d` |\n| none | |')).toEqual(['a … b', 'c'])
  expect(fixedParts('… is 412 s old (at most 300 s are served)')).toEqual(['s old', 'at most', 's are served'])
})

it('the L1 that is added in docs/deployment.md is a configuration that is accepted', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(sectionOf('deployment', 'An L1 of your own')) ?? []
  const { chains, index } = configOf({ file: example })
  expect(chains.evm['99373']).toMatchObject({ name: 'My L1', blockTimeMs: 2_000 })
  expect(index.streams).toContain('eip155:99373')
})
