/**
 * What the largest valid get-balances body costs: 5 items of 50 wallets of 1,000 addresses, 11.5 MB, of which three items
 * ask for P and X and two for C. The node is a stub that answers pages without outputs, so that the work is ours; the
 * server is the built one. Other clients ask all the while: the longest of their waits is the second figure.
 * Run: npm run bench:largest (ROUNDS=3)
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { formatBech32Address } from '../../src/lib/bytes/bech32-address.ts'
import { type Child, cpuTicks, startFirn } from './balances/children.ts'
import { median, ratioLine } from './balances/figures.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const P = 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'
const X = '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'
const C = 'YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd'
const ITEMS = [[P, X], [P, X], [P, X], [C], [C]]
const ANSWERS = 3 * 2 * 50 + 2 * 50
const JSON_TYPE = { 'content-type': 'application/json' }
const OTHERS_PAUSE_MS = 5
const TICKS_PER_SECOND = 100
const ASSET = 'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK'

const NOTHING = { numFetched: '0', utxos: [], endIndex: { address: '', utxo: '' }, encoding: 'hex' }
const RESULTS: Record<string, unknown> = {
  'platform.getUTXOs': NOTHING,
  'avm.getUTXOs': NOTHING,
  'avax.getUTXOs': NOTHING,
  'platform.getStake': { staked: '0', stakeds: {}, stakedOutputs: [], encoding: 'hex' },
  'platform.getHeight': { height: '1' },
  'avm.getHeight': { height: '1' },
}

/** Reads no more of a request than it needs for the answer. */
const node = createServer(async (request, response) => {
  let head = ''
  for await (const chunk of request) if (head.length < 200) head += (chunk as Buffer).toString('latin1', 0, 200)
  const method = /"method":"([^"]+)"/.exec(head)?.[1] ?? ''
  const result = RESULTS[method]
  const outcome = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result }
  const text = JSON.stringify({ jsonrpc: '2.0', ...outcome, id: 1 })
  response.writeHead(200, { ...JSON_TYPE, 'content-length': text.length }).end(text)
})
await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
const nodeUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
const configFile = join(folder, 'firn.config.json')
const upstream = { url: nodeUrl, requestsPerSecond: 100_000 }
const ids = {
  ...{ networkId: 5, xBlockchainId: '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm' },
  ...{ cBlockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp', avaxAssetId: ASSET },
}
writeFileSync(
  configFile,
  JSON.stringify({
    dataDir: join(folder, 'data'),
    log: { level: 'error' },
    http: { port: 0 },
    market: { prices: { provider: 'none' }, defaultTokenLists: [] },
    // On a busy machine the work may take longer than upstreams have by default.
    balance: { chainDeadlineMs: 120_000 },
    chains: { catalogue: false, avalanche: { testnet: { name: 'Avalanche', upstreams: [upstream], ...ids } } },
  }),
)

/** Addresses that nobody asked for before, under the prefix of the other network: they have to be written anew. */
function largestBody(round: number): string {
  let made = 0
  const address = () => formatBech32Address(createHash('sha1').update(`${round} ${made++}`).digest(), 'avax')
  const wallet = (id: string) => ({ id, addresses: Array.from({ length: 1_000 }, address) })
  const data = ITEMS.map((references, item) => ({
    namespace: 'avax',
    references,
    addressDetails: Array.from({ length: 50 }, (_, at) => wallet(`wallet ${item}.${at}`)),
  }))
  return JSON.stringify({ data })
}

async function measure(firn: Child, pool: Pool, round: number) {
  const body = largestBody(round)
  let done = false
  let longest = 0
  const others = async (): Promise<void> => {
    while (!done) {
      const start = performance.now()
      await (await pool.request({ method: 'GET', path: '/v1/balance/get-supported-chains' })).body.text()
      longest = Math.max(longest, performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, OTHERS_PAUSE_MS))
    }
  }
  const before = cpuTicks(firn)
  const start = performance.now()
  const waiting = others()
  const answer = await pool.request({ method: 'POST', path: '/v1/balance/get-balances', headers: JSON_TYPE, body })
  const text = await answer.body.text()
  done = true
  await waiting
  const good = text.split('"error":null').length - 1
  if (answer.statusCode !== 200 || good !== ANSWERS) throw new Error(`${answer.statusCode}: ${good} answers`)
  return { cpu: (cpuTicks(firn) - before) / TICKS_PER_SECOND, longest, whole: performance.now() - start }
}

const firn = await startFirn(configFile)
const pool = new Pool(`http://127.0.0.1:${firn.port}`, { connections: 2, headersTimeout: 60_000, bodyTimeout: 60_000 })
try {
  const rounds: Awaited<ReturnType<typeof measure>>[] = []
  // The first one compiles what is hot.
  for (let round = -1; round < ROUNDS; round++) {
    const one = await measure(firn, pool, round)
    if (round >= 0) rounds.push(one)
  }
  const of = (key: 'cpu' | 'longest' | 'whole'): number => median(rounds.map((one) => one[key]))
  console.log(`answered after ${of('whole').toFixed(0)} ms`)
  console.log(ratioLine('largest-request-processor-seconds', of('cpu'), '<= 2'))
  console.log(ratioLine('longest-wait-of-other-clients-ms', of('longest'), '<= 100'))
} finally {
  await pool.close()
  await firn.stop()
  node.close()
  node.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
}
