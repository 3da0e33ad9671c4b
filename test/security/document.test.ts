import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

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
    const settings = readFileSync('docs/configuration.md', 'utf8')
    const limits = text.slice(text.indexOf('## Limits'), text.indexOf('## What is not promised'))
    const named = [...limits.matchAll(/^\| [^|]+ \| `([^`]+)`/gm)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((name) => !settings.includes(`| \`${name}\` |`))).toEqual([])
  })
})
