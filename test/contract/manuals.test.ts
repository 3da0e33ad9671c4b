import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/index.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const manuals = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
].map((path) => ({ path, text: read(path) }))

const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts

/** Without blocks of code: those show files that are to be made, and other programs' words. */
const prose = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '')
const spansOf = (text: string): string[] => [...prose(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)

/** What a link to a heading has to say. */
const anchorsOf = (text: string): string[] =>
  [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

function brokenLinks({ path, text }: { path: string; text: string }): string[] {
  const targets = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    const [file = '', anchor] = target.split('#')
    const place = file === '' ? join(root, path) : resolve(root, dirname(path), file)
    if (!existsSync(place)) return true
    return anchor !== undefined && !anchorsOf(readFileSync(place, 'utf8')).includes(anchor)
  })
}

const missingScripts = (text: string): string[] =>
  [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].flatMap(([, name = '']) =>
    Object.hasOwn(scripts, name) ? [] : [name],
  )

/** Flags of Firn itself stand alone in a span, or behind its name or `npm start --`. */
const ownFlags = (text: string): string[] =>
  spansOf(text)
    .filter((span) => /^(--|firn |node dist\/main\.js |npm start -- )/.test(span))
    .flatMap((span) => span.match(/(?<![\w-])--[a-z][\w-]*/g) ?? [])

/** Text of the program behind a script, with what lies in the folder of its name. */
function programOf(script: string): string | undefined {
  const file = /([\w./-]+\.(?:ts|mjs|js))$/.exec(scripts[script] ?? '')?.[1]
  if (file === undefined) return undefined
  const place = file.replace(/^dist\/(.*)\.js$/, 'src/$1.ts')
  const folder = place.replace(/\.\w+$/, '')
  const parts = existsSync(join(root, folder)) ? readdirSync(join(root, folder), { encoding: 'utf8' }) : []
  const beside = parts.filter((part) => part.endsWith('.ts')).map((part) => `${folder}/${part}`)
  return [place, ...beside].map(read).join('\n')
}

/** As a key of `parseArgs`, or spelled out. */
const knowsFlag = (program: string, flag: string): boolean =>
  program.includes(flag) || new RegExp(`(?<![\\w-])${flag.slice(2)}'?: ?\\{`).test(program)

/** `npm run x -- --flag`: the program behind the script has to know it. */
const unknownScriptFlags = (text: string): string[] =>
  [...text.matchAll(/npm run ([\w:-]+) -- ([^`\n]+)/g)].flatMap(([, name = '', rest = '']) => {
    const program = programOf(name)
    const flags = rest.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []
    return program === undefined ? [] : flags.filter((flag) => !knowsFlag(program, flag))
  })

/** Flags of a script that is named in the same manual may be spoken of alone. */
const isScriptFlag = (text: string, flag: string): boolean =>
  [...text.matchAll(/npm run ([\w:-]+)/g)].some(([, name = '']) => programOf(name)?.includes(flag))

const unknownFlags = (text: string): string[] =>
  ownFlags(text).filter((flag) => !knownFlags.has(flag) && !isScriptFlag(text, flag))

const load = (flag: string): string => {
  const loaded = loadConfig({ argv: [flag], env: {}, cwd: root })
  return loaded.action === 'run' ? '' : loaded.text
}
const help = load('--help')
const knownFlags = new Set(help.match(/(?<![\w-])--[a-z][\w-]*/g))
/** The rule that the help states. */
const variableOf = (flag: string): string => `FIRN_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`
const knownVariables = new Set([
  ...(read('.env.example').match(/\bFIRN_[A-Z0-9_]+/g) ?? []),
  ...[...knownFlags].map(variableOf),
])
/** Variables that only tests and scripts read. */
const sources = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|mjs)$/.test(name) && !name.includes('manuals.test'))
  .map((name) => `test/${name}`)
const inTests = new Set(sources.flatMap((path) => [...(read(path).match(/\bFIRN_[A-Z0-9_]+/g) ?? [])]))

const missingFiles = (text: string): string[] =>
  spansOf(text).filter(
    (span) =>
      /^(src|test|docs|docker(?!\/secrets\/)|openapi|\.ci)\/[\w./-]+$/.test(span) && !existsSync(join(root, span)),
  )

describe('manuals', () => {
  it('are here, and so is the help', () => {
    expect(manuals.length).toBeGreaterThan(8)
    expect(knownFlags.size).toBeGreaterThan(50)
    expect(knownVariables.size).toBeGreaterThan(50)
  })

  it.each(manuals)('$path: links lead somewhere', (manual) => {
    expect(brokenLinks(manual)).toEqual([])
  })

  it.each(manuals)('$path: commands of npm exist, and the flags they are given', ({ text }) => {
    expect(missingScripts(text)).toEqual([])
    expect(unknownScriptFlags(text)).toEqual([])
  })

  it.each(manuals)('$path: flags are in the help', ({ text }) => {
    expect(unknownFlags(text)).toEqual([])
  })

  it.each(manuals)('$path: environment variables are read by somebody', ({ text }) => {
    const named = text.match(/\bFIRN_[A-Z0-9_]*[A-Z0-9]\b/g) ?? []
    expect(named.filter((name) => !knownVariables.has(name) && !inTests.has(name))).toEqual([])
  })

  it.each(manuals)('$path: files that are named exist', ({ text }) => {
    expect(missingFiles(text)).toEqual([])
  })

  it('would be caught', () => {
    const text = '[a](nothing.md) [b](README.md#no-such-heading) `npm run nothing` `--no-such-flag=1` `src/nothing.ts`'
    expect(brokenLinks({ path: 'README.md', text })).toEqual(['nothing.md', 'README.md#no-such-heading'])
    expect(missingScripts(text)).toEqual(['nothing'])
    expect(unknownFlags(text)).toEqual(['--no-such-flag'])
    expect(missingFiles(text)).toEqual(['src/nothing.ts'])
    expect(unknownScriptFlags('npm run test:simulation -- --process 3 --runs 2')).toEqual(['--process'])
  })
})
