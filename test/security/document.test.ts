import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createConfig } from '../../src/config/index.ts'
import { valueAt } from '../../src/config/tree.ts'

const text = readFileSync('docs/security.md', 'utf8')

/** `[file](../file) *title*, *title*` */
const LINK = /\[(test\/[^\]]+)\]\(\.\.\/([^)]+)\)((?:,? \*[^*]+\*)*)/g

const links = [...text.matchAll(LINK)].map(([, shown = '', path = '', titles = '']) => {
  return { shown, path, titles: [...titles.matchAll(/\*([^*]+)\*/g)].map(([, title = '']) => title) }
})

describe('docs/security.md', () => {
  it('names tests that exist, under the names they have', () => {
    expect(links.length).toBeGreaterThan(50)
    const wrong = links.flatMap(({ shown, path, titles }) => {
      if (shown !== path || !existsSync(path)) return [`${shown}: ${path}`]
      const source = readFileSync(path, 'utf8')
      const missing = titles.filter((title) => !source.includes(`'${title}'`) && !source.includes(`"${title}"`))
      return titles.length === 0 ? [`${path}: no title`] : missing.map((title) => `${path}: ${title}`)
    })
    expect(wrong).toEqual([])
  })

  it('gives every promise a test', () => {
    const promises = text.slice(text.indexOf('## Promises'), text.indexOf('## Limits'))
    const bare = promises.split('\n').filter((line) => line.startsWith('* ') && !line.includes('](../test/'))
    expect(bare).toEqual([])
  })

  it('names settings that exist, with their defaults as documented', () => {
    const config = createConfig()
    const limits = text.slice(text.indexOf('## Limits'), text.indexOf('## What is not promised'))
    const rows = [...limits.matchAll(/^\| [^|]+ \| `([^`]+)` \| ([^|]+) \|/gm)]
    expect(rows.length).toBeGreaterThan(8)
    const wrong = rows.flatMap(([, name = '', told = '']) => {
      const value = valueAt(config, name.split('.'))
      if (value === undefined) return [`${name}: no such setting`]
      const isSaid = typeof value !== 'number' || forms(name, value).some((form) => isBeginning(form, told))
      return isSaid ? [] : [`${name}: ${told}, where it is ${value}`]
    })
    expect(wrong).toEqual([])
  })
})

/** How people read the value of a setting. */
function forms(name: string, value: number): string[] {
  const by = (unit: number) => (value / unit).toLocaleString('en')
  if (name.endsWith('Ms')) return [`${by(1)} ms`, `${by(1_000)} s`]
  if (name.endsWith('Bytes')) return [`${by(1_048_576)} MiB`]
  return value === 0 ? ['off'] : [by(1)]
}

/** A number is whole where no other digit follows. */
const isBeginning = (form: string, told: string): boolean =>
  told.startsWith(form) && !/^[\d,.]/.test(told.slice(form.length))
