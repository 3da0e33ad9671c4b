import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'

const MAIN = ['--import', 'tsx', 'src/main.ts', '--chains-catalogue', 'false', '--http-port', '0']

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
  const args = ['--import', 'tsx', 'src/main.ts', '--print-config']
  const { status, stderr } = spawnSync(process.execPath, args, {
    stdio: ['ignore', descriptor, 'pipe'],
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, expect.stringContaining('standard output: ENOSPC')])
})

it('is no failure where whoever asked has read enough', () => {
  const pipeline =
    '"$0" --import tsx src/main.ts --help | true; "$0" --import tsx src/main.ts --print-config | head -n 1'
  const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', pipeline, process.execPath], {
    encoding: 'utf8',
  })
  expect([status, stdout, stderr]).toEqual([0, '{\n', ''])
})
