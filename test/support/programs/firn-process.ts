import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { SERVER_PROGRAM } from './server-program.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A server in a process of its own, as an operator runs it. */
export interface FirnProcess {
  url: string
  port: number
  pid: number
  child: ChildProcess
  /** Ends it orderly, or as given; resolves to its exit status, null when a signal ended it. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** What `npm start` and the image set. */
export const SERVER_ENVIRONMENT = { MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '128' }

/**
 * Starts a server with a configuration file and flags; it serves when this resolves.
 * @throws Error with its output when it does not get that far
 */
export async function startFirnProcess(
  configFile: string,
  flags: readonly string[] = [],
  nodeFlags: readonly string[] = [],
): Promise<FirnProcess> {
  const child = spawn(process.execPath, [...nodeFlags, ...SERVER_PROGRAM, '--config', configFile, ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], ...SERVER_ENVIRONMENT },
  })
  // Whoever started it may end without a word.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  let output = ''
  for await (const text of child.stdout) {
    output += text
    const port = /Firn ready at http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1]
    if (port !== undefined) return running(child, Number(port))
  }
  throw new Error(`the server did not start: ${output}`)
}

function running(child: ChildProcess, port: number): FirnProcess {
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid as number,
    child,
    async end(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const gone = once(child, 'exit')
      child.kill(signal)
      const [code] = (await gone) as [number | null]
      return code
    },
  }
}
