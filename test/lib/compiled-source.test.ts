import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { compiledSource } from '../../src/lib/compiled-source.ts'

it('Node runs sources of several modules as one file, which finds the packages of the project', () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-compiled-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'program.ts')
  const says = (text: string): void =>
    writeFileSync(join(folder, 'part.ts'), `export const text: string = ${JSON.stringify(text)}`)
  writeFileSync(
    program,
    "import pino from 'pino'\nimport { text } from './part.ts'\nconsole.log(text, typeof pino satisfies string)",
  )
  const compile = (): string => {
    const file = compiledSource(pathToFileURL(program))
    onTestFinished(() => rmSync(file, { force: true }))
    return file
  }
  says('first')
  const first = compile()
  expect(execFileSync(process.execPath, [first], { encoding: 'utf8' })).toBe('first function\n')
  expect(compile()).toBe(first)
  says('second')
  expect(execFileSync(process.execPath, [compile()], { encoding: 'utf8' })).toBe('second function\n')
})
