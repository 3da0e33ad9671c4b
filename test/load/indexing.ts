import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { Pool } from 'undici'
import { createAvalancheNetwork } from '../../src/chains/avalanche/index.ts'
import { createIndexer } from '../../src/indexer/index.ts'
import { createGenesisBook, createPrimaryStreams } from '../../src/indexer/primary/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { createUpstreamPool } from '../../src/upstream/index.ts'
import { recordedGenesis } from '../indexer/stage.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { startReplayNode } from '../support/replay-node/index.ts'
import { TEST_LIMITS } from '../support/upstream-pool.ts'
import { type GeneratedContainers, generateContainers } from './indexing/containers.ts'

/*
 * How fast containers are indexed against reading them raw from the same server, and the memory of the process.
 *   npm run bench:index -- [--blocks 20000] [--transactions 1] [--embedded]
 * The X-chain of the recorded network goes on with generated blocks of signed transfers, one input and two outputs each.
 */
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '20000' },
    transactions: { type: 'string', default: '1' },
    embedded: { type: 'boolean', default: false },
  },
})
const PAGE = 1_024

/** The replayed node, with the generated chain as its X. */
async function startNode(chain: GeneratedContainers): Promise<{ url: string; stop(): Promise<void> }> {
  const node = await startReplayNode({ upTo: { P: 1, X: 0, C: 0 } })
  const last = String(chain.containers.length)
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const answer = (result: string): void => {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0","result":${result},"id":1}`)
    }
    if (incoming.url === '/ext/index/X/block') {
      const { params } = JSON.parse(body) as { params: { startIndex: string; numToFetch: string } }
      const from = Number(params.startIndex)
      const page = chain.containers.slice(from, from + Number(params.numToFetch))
      if (page.length > 0) return answer(`{"containers":[${page.join()}]}`)
    }
    if (body.includes('avm.getHeight')) return answer(`{"height":"${last}"}`)
    const forwarded = await fetch(node.url + incoming.url, { method: 'POST', headers: JSON_HEADERS, body })
    outgoing.writeHead(forwarded.status, JSON_HEADERS).end(await forwarded.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await node.stop()
    },
  }
}

const JSON_HEADERS = { 'content-type': 'application/json' }

/** Reads and parses every page, one after the other, and does nothing with them. Containers a second. */
async function readRaw(url: string, count: number): Promise<number> {
  const pool = new Pool(url)
  const begin = performance.now()
  for (let from = 0; from < count; from += PAGE) {
    const params = { startIndex: String(from), numToFetch: String(PAGE), encoding: 'hex' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'index.getContainerRange', params })
    const response = await pool.request({ path: '/ext/index/X/block', method: 'POST', headers: JSON_HEADERS, body })
    const { result } = (await response.body.json()) as { result: { containers: { bytes: string }[] } }
    for (const { bytes } of result.containers) Buffer.from(bytes.slice(2), 'hex')
  }
  const rate = (count * 1000) / (performance.now() - begin)
  await pool.close()
  return rate
}

/** Indexes everything into an empty store. Containers a second, and the most memory that was seen, MB. */
async function indexAll(url: string, store: Store, count: number): Promise<{ rate: number; rss: number }> {
  const pool = createUpstreamPool('bench', [{ url }], {
    ...TEST_LIMITS,
    headersTimeoutMs: 30_000,
    bodyTimeoutMs: 30_000,
  })
  const logger = pino({ level: 'error' })
  const network = createAvalancheNetwork({ pool })
  const streams = createPrimaryStreams({
    network,
    name: 'bench',
    testnet: true,
    chains: ['X'],
    evmChainId: 43_113n,
    genesis: createGenesisBook(recordedGenesis),
    writer: store.writer,
    logger,
    keepContainers: true,
  })
  const indexer = createIndexer({ writer: store.writer, streams, logger, times: { pollMs: 20 } })
  await store.open()
  let rss = 0
  const watch = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss())
  }, 50)
  const begin = performance.now()
  indexer.start()
  while (indexer.status().streams[0]?.height !== BigInt(count)) {
    const error = indexer.status().streams[0]?.error
    if (error !== undefined) throw new Error(error)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const rate = (count * 1000) / (performance.now() - begin)
  clearInterval(watch)
  await indexer.stop()
  await pool.close()
  return { rate, rss: rss / 1e6 }
}

const print = (name: string, value: string): void => void process.stdout.write(`${name.padEnd(36)}${value}\n`)

const count = Number(values.blocks)
const chain = await generateContainers({ blocks: count, transactions: Number(values.transactions) })
const before = process.memoryUsage.rss() / 1e6
const node = await startNode(chain)
await readRaw(node.url, Math.min(count, 4 * PAGE))
const raw = await readRaw(node.url, count)
const folder = await mkdtemp(join(tmpdir(), 'firn-bench-'))
const server = values.embedded ? undefined : await startPostgres(['-c', 'fsync=on', '-c', 'max_wal_size=4GB'])
const databaseUrl = await server?.create('bench')
const store = openStore({ dataDir: folder, logger: pino({ level: 'warn' }), ...(databaseUrl ? { databaseUrl } : {}) })
const { rate, rss } = await indexAll(node.url, store, count)
await store.close()
await server?.stop()
await node.stop()
await rm(folder, { recursive: true, force: true })
const where = values.embedded ? 'embedded' : 'postgres'
print('containers read raw', `${Math.round(raw)}/s`)
print(
  `containers indexed (${where})`,
  `${Math.round(rate)}/s, ${Math.round(rate * Number(values.transactions))} transactions/s`,
)
print('memory', `${Math.round(before)} MB with the generated chain, ${Math.round(rss)} MB at most while indexing`)
process.stdout.write(`ratio index-containers-${where} ${(rate / raw).toFixed(2)} goal >= 0.7\n`)
process.stdout.write(`ratio index-memory-mb-${where} ${Math.round(rss - before)} goal <= 400\n`)
process.exit(0)
