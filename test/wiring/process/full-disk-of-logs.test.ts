import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { SERVER_PROGRAM } from '../../support/programs/server-program.ts'

const MAIN = [...SERVER_PROGRAM, '--chains-catalogue', 'false', '--http-port', '0']
/** As a shell's line, behind the name of Node. */
const PROGRAM = SERVER_PROGRAM.join(' ')

/** The server with one of its outputs on a disk that is full. */
function start(full: 'stdout' | 'stderr') {
  const descriptor = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(descriptor))
  const stdio = { stdout: ['ignore', descriptor, 'pipe'], stderr: ['ignore', 'pipe', descriptor] } as const
  const child = spawn(process.execPath, MAIN, { stdio: [...stdio[full]] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

it.skipIf(process.platform !== 'linux').each(['stdout', 'stderr'] as const)(
  'serves and ends orderly where the disk behind %s is full',
  async (full) => {
    const child = start(full)
    const ended = once(child, 'exit')
    const told = full === 'stdout' ? child.stderr : child.stdout
    if (!told) throw new Error('no output')
    const port = await new Promise<string>((resolve, reject) => {
      let said = ''
      told.on('data', (chunk: Buffer) => {
        said += chunk
        const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      })
      void ended.then((status) => reject(new Error(`it left with ${status}: ${said}`)))
    })
    const answer = await fetch(`http://127.0.0.1:${port}/v1/live-check`)
    expect(answer.status).toBe(200)
    const rest = text(told)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    await rest
  },
)

it.skipIf(process.platform !== 'linux')('fails where what was asked for cannot be written', () => {
  const descriptor = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(descriptor))
  const args = [...SERVER_PROGRAM, '--print-config']
  const { status, stderr } = spawnSync(process.execPath, args, {
    stdio: ['ignore', descriptor, 'pipe'],
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, expect.stringContaining('standard output: ENOSPC')])
})

it.skipIf(process.platform !== 'linux')('fails where there is room in a file for a part of it only', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'firn-config-')), 'config')
  // As large as a file may be there, but for so many bytes.
  writeFileSync(file, Buffer.alloc(2_097_152 - 1_000))
  const command = `trap '' XFSZ; ulimit -f 2048; exec "$0" ${PROGRAM} --print-config >>"$1"`
  const { status, stderr } = spawnSync('bash', ['-c', command, process.execPath, file], { encoding: 'utf8' })
  expect(statSync(file).size).toBe(2_097_152)
  expect([status, stderr]).toEqual([1, expect.stringContaining('standard output: EFBIG')])
})

it('is no failure where whoever asked has read enough', () => {
  const pipeline = `"$0" ${PROGRAM} --help | true; "$0" ${PROGRAM} --print-config | head -n 1`
  const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', pipeline, process.execPath], {
    encoding: 'utf8',
  })
  expect([status, stdout, stderr]).toEqual([0, '{\n', ''])
})
