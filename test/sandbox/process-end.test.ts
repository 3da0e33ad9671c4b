import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { post } from '../support/balances/balance-api.ts'
import { descendants, isAlive } from '../support/programs/processes.ts'
import { below, emptyPlaces, SANDBOX, spawnSandbox, startSandboxProcess } from './sandbox-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Chain id and first account of the sandbox's EVM chain. */
const HELD = { references: ['31337'], addresses: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'] }

/** Sends one in the turn of the event loop in which modules are evaluated: it is told behind the last of them. */
const SIGNAL_IN_MODULES = `
import Module from 'node:module'
const load = Module._load
Module._load = function (...request) {
  if (process.listenerCount('SIGINT') > 0) {
    Module._load = load
    process.kill(process.pid, 'SIGINT')
  }
  return load.apply(this, request)
}`

describe('the process of the sandbox', () => {
  const run = (...flags: string[]) =>
    spawnSync(process.execPath, [...SANDBOX.program.slice(1), ...flags], { cwd: root, encoding: 'utf8' })

  it('shows its flags, and says what is wrong with one before it starts anything', () => {
    const help = run('--help')
    expect([help.status, help.stderr]).toEqual([0, ''])
    expect(help.stdout).toMatch(/--recordings <folder>[\s\S]*flags only[\s\S]*--http-port/)
    const wrong = run('--http-port', 'x')
    expect([wrong.status, wrong.stdout]).toEqual([2, ''])
    expect(wrong.stderr.trim().split('\n')).toEqual([expect.stringMatching(/^http\.port: given "x"/)])
  })

  it('says what a folder of recordings lacks before it starts anything', () => {
    const wrong = run('--recordings', tmpdir())
    expect(wrong.status).toBe(2)
    expect(wrong.stderr.trim().split('\n')).toEqual([expect.stringContaining('lacks network/network.json')])
  })

  it('says that its port is taken before it starts anything', async () => {
    const places = emptyPlaces()
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const child = spawn('node', [...SANDBOX.program.slice(1), '--http-port', `${port}`], {
      cwd: root,
      env: { ...process.env, ...places.env },
    })
    let said = ''
    child.stderr.on('data', (text: Buffer) => {
      said += text
    })
    expect(await once(child, 'close')).toEqual([1, null])
    expect(said).toBe(
      `http.port: given ${port}, on which another program listens at 127.0.0.1; allowed: a free port, 0 for any\n`,
    )
    expect(places.files()).toEqual([])
  })

  it('ends its chains itself when it alone is told to, and no file stays', async () => {
    const places = emptyPlaces()
    const { child } = await startSandboxProcess(SANDBOX.withoutIndex, places.env)
    expect(places.files()).not.toEqual([])
    const pids = below(child)
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
    expect(places.files()).toEqual([])
  })

  it('leaves nothing when it is stopped while its chains start', async () => {
    const places = emptyPlaces()
    const child = spawnSandbox(SANDBOX.withoutIndex, places.env)
    await expect.poll(() => places.files().join()).toContain('firn-anvil-')
    const pids = below(child)
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    expect(await exit).toEqual([1, null])
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
    expect(places.files()).toEqual([])
  })

  it('hears a signal that comes while its modules are evaluated, and leaves nothing', async () => {
    const places = emptyPlaces()
    const env = {
      ...places.env,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SIGNAL_IN_MODULES)}`,
    }
    const child = spawnSandbox(SANDBOX.withoutIndex, env)
    expect(await once(child, 'exit')).toEqual([1, null])
    expect(places.files()).toEqual([])
  })

  it('dies at once at the second signal, and its chains and files with it', async () => {
    const places = emptyPlaces()
    // The second signal has to come before the chain's deadline, which ends the stream.
    const patient = [
      ...SANDBOX.withoutIndex,
      '--balance-chain-deadline-ms',
      '300000',
      '--http-shutdown-grace-ms',
      '300000',
    ]
    const { child, url } = await startSandboxProcess(patient, places.env)
    const pids = below(child)
    const anvil = descendants(child.pid as number).find(({ command }) => command.includes('anvil'))?.pid as number
    // A chain that does not answer keeps a stream open, and the stream keeps the server.
    process.kill(anvil, 'SIGSTOP')
    const response = await post(url, { data: [{ namespace: 'eip155', ...HELD }] })
    expect(response.status).toBe(200)
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    await expect.poll(() => fetch(url).then(String, () => 'refused')).toBe('refused')
    expect(child.exitCode).toBeNull()
    child.kill('SIGINT')
    expect(await exit).toEqual([1, null])
    await expect(response.text()).rejects.toThrow()
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
    expect(places.files()).toEqual([])
  })
})
