import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { post } from '../support/balance-api.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const NODE = ['node', '--import', 'tsx', 'test/sandbox/main.ts']
/** Chain id and first account of the sandbox's EVM chain. */
const HELD = { references: ['31337'], addresses: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'] }

interface Running {
  child: ChildProcess
  url: string
  output: { out: string; err: string }
}

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) {
    for (const pid of [...descendants(child.pid as number), child.pid as number]) kill(pid)
  }
})
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone, as it should be.
  }
}

/** Starts it in a process group of its own, as a terminal does, and waits until it serves. */
async function start(command: readonly string[]): Promise<Running> {
  const [program = '', ...args] = command
  const child = spawn(program, [...args, '--http-port', '0'], {
    cwd: root,
    detached: true,
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

/** Process ids below a process, at any depth. */
function descendants(root: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const parents = new Map(lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]))
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid)
    return parent === root || (parent !== undefined && parent > 1 && isBelow(parent))
  }
  return [...parents.keys()].filter(isBelow)
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const commandOf = (pid: number): string => execFileSync('ps', ['-o', 'args=', '-p', `${pid}`], { encoding: 'utf8' })

describe('the sandbox as a process', () => {
  it('prints lines to paste and where it is ready; Ctrl-C leaves nothing behind', async () => {
    const { child, url, output } = await start(['npm', 'run', '--silent', 'sandbox', '--'])
    expect(output.out.match(/^curl /gm)).toHaveLength(6)
    expect(output.out).toContain(`${url}/v1/balance/get-balances`)
    const below = descendants(child.pid as number)
    expect(below.map(commandOf).join()).toMatch(/anvil.*bitcoin\/process/s)
    const gone = once(child, 'exit')
    process.kill(-(child.pid as number), 'SIGINT')
    await gone
    await expect.poll(() => below.filter(isAlive), { timeout: 20_000 }).toEqual([])
  })

  it('every printed line works as it is', async () => {
    const { output } = await start(NODE)
    const lines = output.out.split('\n').filter((line) => line.startsWith('curl '))
    for (const line of lines) {
      const answer = execFileSync('sh', ['-c', `${line} -s --fail`], { encoding: 'utf8' })
      expect(answer, line).toMatch(/"caip2Ids":|"error":null/)
      expect(answer, line).not.toContain('"balances":null')
    }
  })

  it('ends its chains itself when it alone is told to', async () => {
    const { child } = await start(NODE)
    const below = descendants(child.pid as number)
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
    await expect.poll(() => below.filter(isAlive), { timeout: 20_000 }).toEqual([])
  })

  it('dies at once at the second signal, and its chains with it', async () => {
    const { child, url } = await start(NODE)
    const below = descendants(child.pid as number)
    const anvil = below.find((pid) => commandOf(pid).includes('anvil')) as number
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
    await expect.poll(() => below.filter(isAlive), { timeout: 20_000 }).toEqual([])
  })
})
