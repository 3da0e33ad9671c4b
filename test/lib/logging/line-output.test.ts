import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { createLineOutput } from '../../../src/lib/logging/line-output.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const pipe = join(mkdtempSync(join(tmpdir(), 'firn-pipe-')), 'log')
const openReader = (): number => openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
const buffer = Buffer.alloc(1_000_000)
/** Fails while there is nothing to read. */
const read = (reader: number): string => {
  const text = buffer.toString('utf8', 0, readSync(reader, buffer))
  if (text === '') throw new Error('nothing yet')
  return text
}

beforeAll(() => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe]))

it('writes lines in order, loses those that nobody can read, and goes on with whole ones', async () => {
  let reader = openReader()
  const descriptor = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(descriptor))
  const output = createLineOutput(descriptor)
  for (const line of ['one\n', 'two\n', 'three\n']) output.write(line)
  let text = ''
  await eventually(() => {
    text += read(reader)
    expect(text).toBe('one\ntwo\nthree\n')
  })
  // More than the pipe holds: a part of it arrives.
  output.write(`${'x'.repeat(200_000)}\n`)
  expect(await eventually(() => read(reader))).toMatch(/^x+$/)
  closeSync(reader)
  // Lost one after the other until somebody reads again.
  reader = await eventually(() => {
    output.write('lost\n')
    return openReader()
  })
  const rest = await eventually(() => {
    output.write('four\n')
    const part = read(reader)
    expect(part).toContain('four\n')
    return part
  })
  for (const line of rest.split('\n')) expect(['', 'lost', 'four']).toContain(line.replace(/^x+$/, ''))
  closeSync(reader)
})

/** Fills a pipe, and ends as soon as the rest of the lines waits for room there; tells how many lines came through. */
const ENDING = `
import { constants, openSync, readSync, writeSync } from 'node:fs'
import { createLineOutput } from './src/lib/logging/line-output.ts'
const reader = openSync(process.env.PIPE, constants.O_RDONLY | constants.O_NONBLOCK)
const output = createLineOutput(openSync(process.env.PIPE, constants.O_WRONLY | constants.O_NONBLOCK))
const buffer = Buffer.alloc(1_000_000)
let text = ''
const drain = () => {
  try {
    for (let length = 1; length > 0; ) {
      length = readSync(reader, buffer)
      text += buffer.toString('latin1', 0, length)
    }
  } catch {}
}
process.on('exit', () => {
  drain()
  writeSync(1, JSON.stringify(text.split('\\n').map((line) => line.length)))
})
output.write('x'.repeat(99_999) + '\\n')
output.write('last\\n')
const end = () => {
  const under = process.getActiveResourcesInfo()
  if (under.includes('FSReqCallback') || !under.includes('Timeout')) return setImmediate(end)
  drain()
  process.exit()
}
end()
`

const run = (script: string, env: Record<string, string>, command = 'exec "$0" "$@"') => {
  const args = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script]
  return spawnSync('sh', ['-c', command, ...args], { env: { ...process.env, ...env }, encoding: 'utf8' })
}

it('loses nothing at an orderly end that comes while a pipe is full', () => {
  expect(run(ENDING, { PIPE: pipe }).stdout).toBe('[99999,4,0]')
})

/** Reads no more than the first of many lines while others come, and then all; tells how much it was. */
const STANDING = `
import { constants, openSync, readSync, writeSync } from 'node:fs'
import { createLineOutput } from './src/lib/logging/line-output.ts'
const reader = openSync(process.env.PIPE, constants.O_RDONLY | constants.O_NONBLOCK)
const output = createLineOutput(openSync(process.env.PIPE, constants.O_WRONLY | constants.O_NONBLOCK))
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const line = 'x'.repeat(999_999) + '\\n'
const fill = async () => {
  for (let count = 0; count < 20; count += 1) {
    output.write(line)
    await pause(5)
  }
}
const buffer = Buffer.alloc(1_000_000)
let bytes = 0
const drain = async (most) => {
  for (let silent = 0; silent < 1_000 && bytes < most; silent += 1) {
    try {
      bytes += readSync(reader, buffer)
      silent = 0
    } catch {
      await pause(1)
    }
  }
}
await fill()
await drain(line.length)
await pause(500)
await fill()
await drain(Infinity)
writeSync(1, String(bytes))
process.kill(process.pid, 'SIGKILL')
`

it('keeps no more than 16 MiB for a reader that stands still', () => {
  const bytes = Number(run(STANDING, { PIPE: pipe }).stdout)
  expect(bytes).toBeGreaterThan(15_000_000)
  // The line that was read, and what the pipe itself holds.
  expect(bytes).toBeLessThan(19_000_000)
})

const OPEN_FILE = `
import { ftruncateSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { createLineOutput } from './src/lib/logging/line-output.ts'
const file = process.env.FILE
const output = createLineOutput(openSync(file, 'a'))
`
const fileFor = (): string => join(mkdtempSync(join(tmpdir(), 'firn-log-')), 'log')

it('has written to a file whatever came before the process was killed', () => {
  const file = fileFor()
  run(`${OPEN_FILE} output.write('one\\n'); output.write('last\\n'); process.kill(process.pid, 'SIGKILL')`, {
    FILE: file,
  })
  expect(readFileSync(file, 'utf8')).toBe('one\nlast\n')
})

/** Comes to the end of the room in the middle of a line. */
const FULL = `${OPEN_FILE}
const turn = () => new Promise((resolve) => setTimeout(resolve, 50))
const filler = openSync(file, 'a')
try {
  for (;;) writeSync(filler, 'x'.repeat(4096))
} catch {}
ftruncateSync(filler, statSync(file).size - 4)
output.write('half of it\\n')
await turn()
for (let count = 0; count < 3; count += 1) {
  output.write('lost\\n')
  await turn()
}
writeFileSync(file, 'half')
output.write('whole\\n')
await turn()
`

it('begins a line of its own where a half one stands, however many were lost behind it', () => {
  const file = fileFor()
  expect(run(FULL, { FILE: file }, `trap '' XFSZ; ulimit -f 2048; exec "$0" "$@"`).stderr).toBe('')
  expect(readFileSync(file, 'utf8')).toBe('half\nwhole\n')
})
