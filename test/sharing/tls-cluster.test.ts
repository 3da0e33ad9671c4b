import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { freePort } from '../support/programs/free-port.ts'
import { whyNoRedis } from '../support/programs/redis-server.ts'
import { eventually } from '../support/waiting/eventually.ts'
import { redis } from './shared.ts'

const [cert, key] = ['cert', 'key'].map((part) =>
  fileURLToPath(new URL(`../fixtures/tls/localhost-${part}.pem`, import.meta.url)),
) as [string, string]

/** Tells the first that is known of the server. */
const OPENING = `import { createSharedServer } from './src/sharing/index.ts'
  const options = { cluster: true, nodes: [], keyPrefix: 'firn:', timeoutMs: 10_000 }
  const server = createSharedServer({ ...options, url: process.argv[1], onChange: ({ state, trouble }) => {
    console.log(state, trouble ?? '')
    server.close()
    process.exit()
  } })
  await server.open()
  setInterval(() => undefined, 1_000)`

/** A cluster of one node, whose certificate and list of nodes have its name, as those of AWS do. */
async function startSecureCluster(): Promise<string> {
  const port = await freePort()
  const tls = ['--port', '0', '--tls-port', String(port), '--tls-cluster', 'yes', '--tls-auth-clients', 'no']
  const names = ['--cluster-announce-hostname', 'localhost', '--cluster-preferred-endpoint-type', 'hostname']
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert]
  await redis([...tls, ...files, '--cluster-enabled', 'yes', ...names])
  const client = new Redis(port, 'localhost', { tls: { ca: readFileSync(cert) } })
  await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await eventually(async () => expect(await client.call('CLUSTER', 'INFO')).toContain('cluster_state:ok'))
  client.disconnect()
  return `rediss://localhost:${port}`
}

it.skipIf(whyNoRedis())('connects to a cluster by the names that are in its certificates', async () => {
  const url = await startSecureCluster()
  const opener = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', OPENING, url], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: cert },
  })
  const [told] = await Promise.all([text(opener.stdout), once(opener, 'exit')])
  expect(told.trim()).toBe('shared')
})
