import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { createLineOutput } from '../../src/lib/line-output.ts'
import { eventually } from '../support/eventually.ts'

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
import { createLineOutput } from './src/lib/line-output.ts'
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

it('loses nothing at an orderly end that comes while a pipe is full', () => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', ENDING]
  const { stdout } = spawnSync(process.execPath, args, { env: { ...process.env, PIPE: pipe }, encoding: 'utf8' })
  expect(stdout).toBe('[99999,4,0]')
})
