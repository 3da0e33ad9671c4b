import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SERVER_ENVIRONMENT } from '../../support/programs/firn-process.ts'
import type { ChainFacts, Latencies } from './chains.ts'

/** A server in a process of its own. */
export interface Child {
  port: number
  process: ChildProcess
  stop(): Promise<void>
}

const stopOf = (child: ChildProcess) => async (): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

export interface ChainsChild {
  facts: ChainFacts
  hurry(): void
  calm(): void
  stop(): Promise<void>
}

/** Chains of every family behind recorders of set latency. */
export async function startChains({ fast, slow, middle }: Latencies): Promise<ChainsChild> {
  const file = fileURLToPath(new URL('./chains-process.ts', import.meta.url))
  const child = fork(file, [fast, slow, middle].map(String), { execArgv: ['--import', 'tsx', '--no-deprecation'] })
  const facts = await Promise.race([
    once(child, 'message').then(([message]) => message as ChainFacts),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the chains did not start (exit ${code})`))),
  ])
  return {
    facts,
    hurry: () => void child.send('hurry'),
    calm: () => void child.send('calm'),
    async stop() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

/** The built server, as an operator runs it. Rejects when it does not start. */
export async function startFirn(configFile: string): Promise<Child> {
  const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url))
  const env = { ...process.env, ...SERVER_ENVIRONMENT }
  const child = spawn(process.execPath, [main, '--config', configFile], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const text of child.stdout) {
    output += text
    const port = /Firn ready at http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1]
    if (port !== undefined) return { port: Number(port), process: child, stop: stopOf(child) }
  }
  throw new Error(`the server did not start: ${output}`)
}

/** Fastify and nothing else, which answers the same path with the given bytes and headers. */
export async function startBare(answer: { body: string; headers: Record<string, string> }): Promise<Child> {
  const file = fileURLToPath(new URL('./bare.ts', import.meta.url))
  const child = fork(file, { execArgv: ['--import', 'tsx'] })
  child.send(answer)
  const [message] = (await once(child, 'message')) as [{ port: number }]
  return { port: message.port, process: child, stop: stopOf(child) }
}

/** Ticks of processor time since the start; NaN where the system does not tell. */
export function cpuTicks({ process: { pid } }: Child): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return Number.NaN
  }
}

/** A proxy that does nothing but forward to `url`: what any server in between costs on this machine at this time. */
export async function startBareProxy(url: string): Promise<Child> {
  const file = fileURLToPath(new URL('../forward/bare-proxy.ts', import.meta.url))
  const child = fork(file, [url], { execArgv: ['--import', 'tsx'] })
  const [message] = (await once(child, 'message')) as [{ port: number }]
  return { port: message.port, process: child, stop: stopOf(child) }
}
