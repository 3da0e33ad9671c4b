import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const text = readFileSync('CONTRIBUTING.md', 'utf8')
const diffs = [...text.matchAll(/^### (.+)$[\s\S]*?^```diff\n([\s\S]*?)^```$/gm)].map(
  ([, title = '', diff = '']) => [title, diff] as const,
)
const folder = mkdtempSync(join(tmpdir(), 'firn-contributing-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('CONTRIBUTING.md', () => {
  it('shows three jobs', () => {
    expect(diffs.map(([title]) => title)).toEqual(['A method under /ext', 'An operation under /v1', 'A chain family'])
  })

  // What stands in the tree can be taken out by it: then it is what brought it, and nobody is sent a wrong way.
  it.each(diffs)('%s: the diff is one of what is there', (_, diff) => {
    const files = [...diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path = '']) => path)
    expect(files.length).toBeGreaterThan(0)
    for (const path of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      cpSync(path, join(folder, path))
    }
    writeFileSync(join(folder, 'job.diff'), diff)
    const git = (...flags: string[]) =>
      execFileSync('git', ['apply', ...flags, 'job.diff'], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) },
      })
    expect(() => git()).toThrow()
    git('-R')
    git()
    for (const path of files) expect(readFileSync(join(folder, path), 'utf8')).toBe(readFileSync(path, 'utf8'))
  })

  it('names commands and files that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
    const benches = Object.keys(scripts).filter((name) => /^(bench:|load$|test:)/.test(name))
    expect(benches.filter((name) => !named.includes(name))).toEqual([])
  })
})
