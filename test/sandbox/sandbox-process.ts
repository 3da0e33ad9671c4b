import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { descendants } from '../support/programs/processes.ts'
import { until } from '../support/waiting/until.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const PROGRAM = ['node', 'test/sandbox/run.mjs']
/** How the sandbox is started by hand, and without an index, which takes as long as all else and tells nothing of its end. */
export const SANDBOX = {
  npm: ['npm', 'run', '--silent', 'sandbox', '--'],
  program: PROGRAM,
  withoutIndex: [...PROGRAM, '--index-enabled=false'],
} as const

export interface SandboxProcess {
  child: ChildProcess
  url: string
  output: { out: string; err: string }
}

/** All processes that it has started. */
export const below = (child: ChildProcess): number[] => descendants(child.pid as number).map(({ pid }) => pid)

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone, as it should be.
  }
}

/** Starts it in a process group of its own, as a terminal does; what is left of it is killed behind the test. */
export function spawnSandbox(command: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: root,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    for (const pid of [...below(child), child.pid as number]) kill(pid)
  })
  return child
}

/** The same on a free port; it serves when this resolves. */
export async function startSandboxProcess(
  command: readonly string[],
  env: Record<string, string> = {},
): Promise<SandboxProcess> {
  const child = spawnSandbox([...command, '--http-port', '0'], env)
  const output = { out: '', err: '' }
  child.stdout?.on('data', (text: Buffer) => {
    output.out += text
  })
  child.stderr?.on('data', (text: Buffer) => {
    output.err += text
  })
  const ready = () => output.out.match(/^Firn ready at (http:\/\/127\.0\.0\.1:\d+)$/m)?.[1]
  await until(
    () => ready() !== undefined,
    () => `the sandbox serves: ${output.err}`,
  )
  return { child, url: ready() as string, output }
}

/** A home and a folder for temporary files of its own, where everything that a process leaves behind shows. */
export function emptyPlaces() {
  const place = mkdtempSync(join(tmpdir(), 'firn-places-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const env = { HOME: join(place, 'home'), TMPDIR: join(place, 'tmp') }
  for (const folder of Object.values(env)) mkdirSync(folder)
  // tsx keeps what it has compiled, which is its own affair.
  const files = () => Object.values(env).flatMap((folder) => readdirSync(folder).filter((name) => !/^tsx-/.test(name)))
  return { env, files }
}
