import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { itemsOf, post } from '../support/balance-api.ts'
import { descendants, isAlive } from '../support/processes.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const NODE = ['node', '--import', 'tsx', 'test/sandbox/main.ts']
/** Indexing takes as long as all else, and tells nothing about how it ends. */
const NO_INDEX = [...NODE, '--index-enabled=false']
/** Chain id and first account of the sandbox's EVM chain. */
const HELD = { references: ['31337'], addresses: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'] }

/** Does what a printed line does: not every machine has curl. */
async function paste(line: string): Promise<{ status: number; text: string }> {
  const [, at = '', body] =
    /^curl (?:-N -X POST )?'?([^' ]+)'?(?: -H 'content-type: application\/json' -d '([^']+)')?$/.exec(line) ?? []
  const answer = await fetch(at, {
    ...(body === undefined ? {} : { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
  })
  return { status: answer.status, text: await answer.text() }
}

interface Running {
  child: ChildProcess
  url: string
  output: { out: string; err: string }
}

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) {
    for (const pid of [...below(child), child.pid as number]) kill(pid)
  }
})
const below = (child: ChildProcess): number[] => descendants(child.pid as number).map(({ pid }) => pid)
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone, as it should be.
  }
}

/** Starts it in a process group of its own, as a terminal does, and waits until it serves. */
async function start(command: readonly string[], env: Record<string, string> = {}): Promise<Running> {
  const [program = '', ...args] = command
  const child = spawn(program, [...args, '--http-port', '0'], {
    cwd: root,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  const output = { out: '', err: '' }
  child.stdout?.on('data', (text: Buffer) => {
    output.out += text
  })
  child.stderr?.on('data', (text: Buffer) => {
    output.err += text
  })
  const ready = () => output.out.match(/^Firn ready at (http:\/\/127\.0\.0\.1:\d+)$/m)?.[1]
  await expect.poll(ready, { timeout: 60_000, message: output.err }).toBeDefined()
  return { child, url: ready() as string, output }
}

/** A home and a folder for temporary files of its own, where everything that a process leaves behind shows. */
function emptyPlaces() {
  const place = mkdtempSync(join(tmpdir(), 'firn-places-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const env = { HOME: join(place, 'home'), TMPDIR: join(place, 'tmp') }
  for (const folder of Object.values(env)) mkdirSync(folder)
  // tsx keeps what it has compiled, which is its own affair.
  const files = () => Object.values(env).flatMap((folder) => readdirSync(folder).filter((name) => !/^tsx-/.test(name)))
  return { env, files }
}

describe('the sandbox as a process', () => {
  const run = (...flags: string[]) =>
    spawnSync(process.execPath, [...NODE.slice(1), ...flags], { cwd: root, encoding: 'utf8' })

  it('shows its flags, and says what is wrong with one before it starts anything', () => {
    const help = run('--help')
    expect([help.status, help.stderr]).toEqual([0, ''])
    expect(help.stdout).toMatch(/--recordings <folder>[\s\S]*--http-port/)
    const wrong = run('--http-port', 'x')
    expect([wrong.status, wrong.stdout]).toEqual([2, ''])
    expect(wrong.stderr.trim().split('\n')).toEqual([expect.stringMatching(/^http\.port: given "x"/)])
  })

  it('says that its port is taken before it starts anything', async () => {
    const places = emptyPlaces()
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const child = spawn('node', [...NODE.slice(1), '--http-port', `${port}`], {
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

  it('prints lines that work as they are and where it is ready; Ctrl-C leaves nothing behind', async () => {
    const { child, url, output } = await start(['npm', 'run', '--silent', 'sandbox', '--'])
    const lines = output.out.split('\n').filter((line) => line.startsWith('curl '))
    expect(lines).toHaveLength(9)
    // On a machine that is too slow for that it says so.
    if (!output.err.includes('the index is on its way to the tip'))
      for (const line of lines) expect((await paste(line)).status, line).toBe(200)
    for (const line of lines) {
      // Until the index has come to the tip its lines say so.
      await expect.poll(async () => (await paste(line)).status, { timeout: 120_000 }).toBe(200)
      if (!line.includes('/get-balances')) continue
      const items = itemsOf((await paste(line)).text)
      expect(items.length, line).toBeGreaterThan(0)
      expect(items.filter(({ error }) => error !== null)).toEqual([])
    }
    const said = async (path: string) =>
      JSON.parse((await paste(lines.find((line) => line.includes(url + path)) ?? '')).text)
    expect((await said('/v1/balance/get-supported-chains')).caip2Ids).toHaveLength(8)
    expect((await said('/ext/bc/P')).result.height).toMatch(/^[1-9]\d*$/)
    expect((await said('/v1/networks/')).balances.unlockedUnstaked).not.toEqual([])
    expect((await said('/v1/stake/get-rewards')).historicalRewardsAmount).toMatch(/^[1-9]\d*$/)
    const commands = descendants(child.pid as number).map(({ command }) => command)
    expect(commands.some((command) => command.includes('anvil'))).toBe(true)
    expect(commands.some((command) => command.includes('bitcoin/process'))).toBe(true)
    const pids = below(child)
    const gone = once(child, 'exit')
    process.kill(-(child.pid as number), 'SIGINT')
    await gone
    await expect.poll(() => pids.filter(isAlive), { timeout: 20_000 }).toEqual([])
  })

  it('ends its chains itself when it alone is told to, and no file stays', async () => {
    const places = emptyPlaces()
    const { child } = await start(NO_INDEX, places.env)
    expect(places.files()).not.toEqual([])
    const pids = below(child)
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
    await expect.poll(() => pids.filter(isAlive), { timeout: 20_000 }).toEqual([])
    expect(places.files()).toEqual([])
  })

  it('leaves nothing when it is stopped while it starts', async () => {
    const places = emptyPlaces()
    const child = spawn('node', NO_INDEX.slice(1), {
      cwd: root,
      env: { ...process.env, ...places.env },
      stdio: 'ignore',
    })
    started.push(child)
    await expect.poll(places.files, { timeout: 60_000 }).not.toEqual([])
    await expect.poll(() => below(child).length, { timeout: 20_000 }).toBeGreaterThan(0)
    const pids = below(child)
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    expect(await exit).toEqual([1, null])
    await expect.poll(() => pids.filter(isAlive), { timeout: 20_000 }).toEqual([])
    expect(places.files()).toEqual([])
  })

  it('dies at once at the second signal, and its chains and files with it', async () => {
    const places = emptyPlaces()
    const { child, url } = await start(NO_INDEX, places.env)
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
    await expect.poll(() => pids.filter(isAlive), { timeout: 20_000 }).toEqual([])
    expect(places.files()).toEqual([])
  })
})
