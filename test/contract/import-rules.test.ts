import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Which room may import which; a room may always import itself. `main` and `app` may import all. */
const RULES: Record<string, readonly string[]> = {
  lib: ['errors'],
  errors: [],
  facts: ['lib'],
  schemas: ['facts', 'lib', 'errors'],
  upstream: ['lib', 'errors'],
  'chains/capabilities': [],
  'chains/settings': ['chains/capabilities', 'upstream'],
  'chains/index': ['chains/*', 'chains/capabilities', 'chains/settings', 'upstream', 'facts', 'lib', 'errors'],
  'chains/*': ['chains/capabilities', 'upstream', 'facts', 'lib', 'errors'],
  market: ['upstream', 'facts', 'lib', 'errors'],
  store: ['facts', 'lib', 'errors'],
  sharing: ['lib', 'errors'],
  indexer: ['chains/*', 'chains/index', 'chains/capabilities', 'upstream', 'store', 'facts', 'lib', 'errors'],
  services: ['chains/*', 'chains/index', 'chains/capabilities', 'store', 'market', 'facts', 'lib', 'errors'],
  api: ['services', 'store', 'schemas', 'facts', 'lib', 'errors', 'chains/capabilities'],
  'api/node': ['services', 'store', 'schemas', 'facts', 'lib', 'errors', 'chains/capabilities', 'upstream'],
  metrics: ['upstream', 'lib', 'errors'],
  config: ['schemas', 'facts', 'lib', 'errors'],
}
/** The composition root. */
const FREE = ['app', 'main', 'verify', 'wiring']

const source = resolve(import.meta.dirname, '../../src')

/** The room of a file: `chains/evm`, `api/node`, `upstream`, `app` … */
function roomOf(file: string): string {
  const [first = '', second = ''] = relative(source, file).replace(/\.ts$/, '').split('/')
  if (first === 'chains' || (first === 'api' && second === 'node')) return `${first}/${second}`
  return first
}

const ruleOf = (room: string): readonly string[] | undefined =>
  RULES[room] ?? (room.startsWith('chains/') ? RULES['chains/*'] : undefined)

function allowed(from: string, to: string): boolean {
  if (from === to || FREE.includes(from)) return true
  if (from === 'api/node' && to === 'api') return true
  return (ruleOf(from) ?? []).some(
    (rule) => rule === to || (rule === 'chains/*' && to.startsWith('chains/') && RULES[to] === undefined),
  )
}

/** Import and export specifiers that are relative, types included: a type is knowledge of another room, too. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] as string)
  return specifiers.map((specifier) => resolve(dirname(file), specifier))
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(source, name))

describe('import rules', () => {
  it('every room has a rule', () => {
    const rooms = [...new Set(files.map(roomOf))]
    expect(rooms.filter((room) => !FREE.includes(room) && ruleOf(room) === undefined)).toEqual([])
  })

  it('no arrow points where it may not', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !allowed(roomOf(file), roomOf(target)))
        .map((target) => `${relative(source, file)} -> ${relative(source, target)}`),
    )
    expect(wrong).toEqual([])
  })

  it('only the config room, main and the process read the environment and the flags', () => {
    const readers = files.filter((file) => /process\.(env|argv)/.test(readFileSync(file, 'utf8')))
    expect(readers.map(roomOf).filter((room) => room !== 'config' && room !== 'main' && room !== 'verify')).toEqual([])
  })

  it('would notice a wrong arrow', () => {
    expect(allowed('chains/evm', 'chains/bitcoin')).toBe(false)
    expect(allowed('errors', 'lib')).toBe(false)
    expect(allowed('lib', 'facts')).toBe(false)
    expect(allowed('chains/evm', 'market')).toBe(false)
    expect(allowed('api', 'chains/evm')).toBe(false)
    expect(allowed('services', 'chains/evm')).toBe(true)
  })
})
