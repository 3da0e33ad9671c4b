import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SERVER_PROGRAM } from '../support/programs/server-program.ts'
import { createStage, type Stage } from '../support/server/stage.ts'
import { putDatabase } from '../support/store/migrated-archive.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Server processes on ports that stay theirs over a restart. */
export interface RollingServers {
  stage: Stage
  /** The real process over one EVM chain; ready when this resolves. `env` goes over the settings of this test. */
  start(port: number, upstream: string, env?: Record<string, string>): Promise<ChildProcess>
  clear(): Promise<void>
}

export function createRollingServers(): RollingServers {
  const stage = createStage()
  const children: ChildProcess[] = []
  return {
    stage,
    async start(port, upstream, env = {}) {
      const dataDir = stage.folder()
      // Made by the server itself, it takes ten seconds of a processor.
      if (env['FIRN_API_AUTH_REQUIRED'] === 'true') await putDatabase(join(dataDir, 'store'))
      const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
      const child = spawn(process.execPath, [...SERVER_PROGRAM], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          PATH: process.env['PATH'],
          FIRN_DATA_DIR: dataDir,
          FIRN_HTTP_PORT: String(port),
          FIRN_HTTP_SHUTDOWN_DELAY_MS: '300ms',
          FIRN_HTTP_SHUTDOWN_GRACE_MS: '10s',
          // Nobody is turned away for what else this machine does.
          FIRN_HTTP_MAX_EVENT_LOOP_DELAY_MS: '0',
          FIRN_LOG_LEVEL: 'fatal',
          FIRN_CHAINS_CATALOGUE: 'false',
          FIRN_CHAINS_EVM: JSON.stringify({
            1: { name: 'One', upstreams: [{ url: upstream }], native, blockTimeMs: 1_000 },
          }),
          FIRN_MARKET_PRICES_PROVIDER: 'none',
          FIRN_MARKET_DEFAULT_TOKEN_LISTS: '[]',
          ...env,
        },
      })
      children.push(child)
      const ended = once(child, 'exit').then(([code]) => [`exit code ${code}`])
      const [line] = (await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended])) as [
        Buffer | string,
      ]
      if (!line.toString().includes('Firn ready')) throw new Error(`the server did not start: ${line}`)
      return child
    },
    async clear() {
      for (const child of children.splice(0)) child.kill('SIGKILL')
      await stage.clear()
    },
  }
}

/** One balance stream on a connection of its own; resolves to the whole text, rejects when it ends early. */
export const stream = (port: number, account: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const address = `0x${account.toString(16).padStart(40, '0')}`
    const body = JSON.stringify({
      currency: 'usd',
      data: [{ namespace: 'eip155', references: ['1'], addresses: [address] }],
    })
    const sent = request(
      {
        port,
        method: 'POST',
        path: '/v1/balance/get-balances',
        agent: false,
        headers: { 'content-type': 'application/json' },
      },
      (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => {
          text += chunk
        })
        answer.once('close', () => {
          if (answer.complete && answer.statusCode === 200 && text.includes(address)) resolve(text)
          else reject(new Error(`status ${answer.statusCode}, complete ${answer.complete}: ${text}`))
        })
      },
    )
    sent.once('error', reject)
    sent.end(body)
  })
