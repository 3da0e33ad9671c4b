import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createLogFile } from '../../../src/lib/logging/log-file.ts'

/** Bytes that the disk still takes. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const writeSync = (file: number, text: string | Buffer, from = 0): number => {
    const part = Buffer.from(text).subarray(from, from + disk.room)
    if (part.length === 0) throw new Error('ENOSPC')
    disk.room -= part.length
    return fs.writeSync(file, part)
  }
  return { ...fs, writeSync }
})

const LINE = 'a line of twenty byte'
const temporaryFolder = () => mkdtempSync(join(tmpdir(), 'firn-log-'))
const filesIn = (folder: string) => readdirSync(folder).sort()

it('makes its folder with the first line, and a file that nobody else may read', () => {
  const folder = join(temporaryFolder(), 'logs')
  const file = createLogFile(join(folder, 'main.log'))
  expect(() => statSync(folder)).toThrow()
  file.write('one\n')
  file.write('two\n')
  file.close()
  expect(readFileSync(join(folder, 'main.log'), 'utf8')).toBe('one\ntwo\n')
  expect(statSync(join(folder, 'main.log')).mode & 0o777).toBe(0o600)
})

it('keeps so many full files, the newest with the lowest number, and goes on in one that was there', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'main.log')
  const options = { maxBytes: 2 * LINE.length, kept: 3 }
  for (let line = 0; line < 11; line += 1) {
    const file = createLogFile(path, options)
    file.write(`${String(line).padStart(2)}${LINE.slice(2)}`)
    file.close()
  }
  expect(filesIn(folder)).toEqual(['main.log', 'main.log.1', 'main.log.2', 'main.log.3'])
  const first = (name: string) => readFileSync(join(folder, name), 'utf8').slice(0, 2)
  expect(['main.log', 'main.log.1', 'main.log.2', 'main.log.3'].map(first)).toEqual(['10', ' 8', ' 6', ' 4'])
  for (const name of filesIn(folder)) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(options.maxBytes)
})

it('writes a line that is larger than a whole file, and then begins another', () => {
  const folder = temporaryFolder()
  const file = createLogFile(join(folder, 'main.log'), { maxBytes: 10, kept: 1 })
  file.write(LINE)
  file.write('next')
  file.close()
  expect(readFileSync(join(folder, 'main.log.1'), 'utf8')).toBe(LINE)
  expect(readFileSync(join(folder, 'main.log'), 'utf8')).toBe('next')
})

it('loses lines while the place takes none, and writes again when it does', () => {
  const folder = join(temporaryFolder(), 'logs')
  const file = createLogFile(join(folder, 'main.log'))
  writeFileSync(folder, 'no folder')
  file.write('lost\n')
  rmSync(folder)
  mkdirSync(folder)
  file.write('kept\n')
  file.close()
  expect(readFileSync(join(folder, 'main.log'), 'utf8')).toBe('kept\n')
})

it('writes no line on the end of one of which a full disk took a part', () => {
  const path = join(temporaryFolder(), 'main.log')
  const file = createLogFile(path)
  disk.room = 6
  for (const line of ['one\n', 'two\n', 'lost\n']) file.write(line)
  disk.room = Number.POSITIVE_INFINITY
  for (const line of ['three\n', 'four\n']) file.write(line)
  file.close()
  expect(readFileSync(path, 'utf8')).toBe('one\ntw\nthree\nfour\n')
})
