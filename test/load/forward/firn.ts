import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../../src/app.ts'
import { createConfig } from '../../../src/config/index.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'firn-forward-'))
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))

/** The whole server as it runs, with one node behind it. */
const app = await createApp(
  createConfig({
    http: { port: 0 },
    log: { level: 'warn' },
    dataDir,
    market: { prices: { provider: 'none' }, defaultTokenLists: [] },
    node: { requestsPerSecond: 1_000_000 },
    chains: {
      catalogue: false,
      avalanche: { testnet: { name: 'bench', upstreams: [{ url: process.argv[2] ?? '' }] } },
    },
  }),
)
const url = await app.listen()
process.send?.({ port: Number(new URL(url).port) })

process.on('message', () => {
  process.send?.({ cpu: process.cpuUsage() })
})
