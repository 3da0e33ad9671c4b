import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defaultText, placeholder } from '../../src/config/key-text.ts'
import { configKeys } from '../../src/config/keys.ts'
import { shortForms } from '../../src/config/short-forms.ts'
import { textOf } from './sources.ts'

const help = textOf({ argv: ['--help'] })
/** Line breaks of the right column undone, so that texts can be found. */
const flat = help.replace(/\s+/g, ' ')

describe('--help', () => {
  it.each(configKeys.map((key) => [key.name, key] as const))('tells of %s', (_, key) => {
    expect(key.description.length).toBeGreaterThan(8)
    expect(flat).toContain(key.description)
    for (const flag of key.flags) expect(flat).toContain(`--${flag}`)
    const fallback = defaultText(key)
    const from = flat.indexOf(`--${key.flags[0]} ${placeholder(key)} `)
    expect(from).toBeGreaterThan(0)
    if (fallback !== undefined) expect(flat.slice(from, from + 600)).toContain(`(default ${fallback})`)
  })

  it('tells of the short forms and of files', () => {
    for (const { flag } of shortForms) expect(help).toContain(`--${flag} `)
    for (const flag of ['--config', '--print-config', '--help', '--version']) expect(help).toContain(flag)
  })

  it('fits a terminal', () => {
    // A JSON default has no place to break.
    const lines = help.split('\n').filter((line) => !line.includes('{'))
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120)
  })

  it('is given whatever else is wrong', () => {
    expect(textOf({ argv: ['--nonsense', '-h'], file: '{' })).toBe(help)
    expect(textOf({ argv: ['--version', '--help'] })).toBe(help)
    expect(textOf({ argv: ['--help', '--version'] })).toBe(help)
  })
})

describe('--version', () => {
  it('is that of the package', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    expect(textOf({ argv: ['--version'] })).toBe(`${manifest.version}\n`)
    expect(textOf({ argv: ['-v'] })).toBe(`${manifest.version}\n`)
  })
})
