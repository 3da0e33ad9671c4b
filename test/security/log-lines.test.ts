import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { createConfig } from '../../src/config/index.ts'
import { createLogger } from '../../src/lib/logging/logger.ts'
import { type RawReply, sendRaw } from '../support/server/raw-http.ts'
import { createStage } from '../support/server/stage.ts'

/** A forged line, terminal controls old and new, a turned reading direction, Unicode's line ends. */
const EVIL =
  'x\r\n{"level":"fatal","msg":"forged"}\n\u001b[2J\u001b]0;t\u0007\u009b31m\u007f\u0085\u2028\u2029\u202e\u2066\u0000\ud800'
/** The part of it that may stand in a request line or a header. */
const RAW = Buffer.from('x\u001b[2J\u009b31m\u007f\u0085\u2028\u202e', 'utf8').toString('latin1')
const ENCODED = encodeURIComponent(EVIL.replace('\ud800', ''))
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/

const stage = createStage()
const lines: string[] = []
let port = 0

beforeAll(async () => {
  const evm = await stage.upstream({ faults: { rpcError: { code: -32000, message: EVIL, data: EVIL } } })
  const node = await stage.upstream({
    handle: ({ url }) =>
      url?.includes('/bc/') ? { status: 500, headers: { 'content-type': 'text/plain' }, body: EVIL } : undefined,
    faults: { rpcError: { code: -32000, message: EVIL } },
  })
  const html = await stage.upstream({ handle: () => ({ body: EVIL.repeat(50) }) })
  const logger = createLogger({ level: 'trace' }, { write: (line) => void lines.push(line) })
  const native = { name: EVIL.slice(0, 1), symbol: 'ETH', decimals: 18 }
  const config = createConfig({
    dataDir: stage.folder(),
    http: { port: 0, shutdownGraceMs: 500 },
    market: { prices: { provider: 'none' }, defaultTokenLists: [] },
    node: { network: 'mainnet' },
    chains: {
      catalogue: false,
      avalanche: { mainnet: { name: 'Own', upstreams: [{ url: node.url }] } },
      evm: {
        1: { name: 'One', upstreams: [{ url: evm.url }], native, blockTimeMs: 1_000 },
        2: { name: 'Two', upstreams: [{ url: html.url }], native, blockTimeMs: 1_000 },
      },
    },
  })
  const app = await createApp(config, { logger })
  port = Number(new URL(await app.listen()).port)
  stop = () => app.close()
})
let stop: () => Promise<void> = async () => undefined
afterAll(async () => {
  await stop()
  await stage.clear()
})

type Header = readonly [name: string, value: string]

const send = (method: string, target: string, headers: readonly Header[] = [], body = ''): Promise<RawReply> => {
  const bytes = Buffer.from(body)
  const whole: Header[] = [
    ['Host', '127.0.0.1'],
    ...(headers.some(([name]) => name === 'Content-Type') ? [] : [['Content-Type', 'application/json'] as const]),
    ['Content-Length', String(bytes.length)],
    ...headers,
  ]
  return sendRaw(port, { method, target, headers: whole, body: bytes }, 30_000)
}

const PATHS = [
  `/${RAW}`,
  `/v1/${RAW}`,
  `/v1/${ENCODED}`,
  `/v1/balance/${ENCODED}?${RAW}`,
  `/v1/networks/mainnet/blockchains/${ENCODED}/blocks`,
  `/v1/chains/${ENCODED}/blocks`,
  `/ext/${ENCODED}`,
  `/ext//${ENCODED}`,
  `/ext/bc/${ENCODED}/rpc`,
  `/ext/bc/${RAW}/rpc`,
  `/ext/info//%0d%0aSet-Cookie:%20evil=1`,
  `/ext/../%0d%0aX-Evil:%201/ext/info?%0d%0aX-Evil: 1`,
  '/v1/x?key=%0d%0aX-Evil:1',
]

const NAMES = [
  'X-Request-Id',
  'Traceparent',
  'Tracestate',
  'Origin',
  'User-Agent',
  'Authorization',
  'X-Glacier-Api-Key',
]
const VALUES = [RAW, 'evil%0d%0aX-Evil: 1', '"}{"level":"fatal"', 'a'.repeat(65), '<script>evil</script>', '../evil']

const call = (method: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: EVIL, method, params: [EVIL, { [EVIL]: EVIL }] })
const balances = (references: string[], address: string): string =>
  JSON.stringify({ currency: 'usd', data: [{ namespace: 'eip155', references, addresses: [address] }] })

async function provoke(): Promise<RawReply[]> {
  const replies: Promise<RawReply>[] = []
  for (const path of PATHS) replies.push(send('GET', path), send('POST', path, [], call('eth_chainId')))
  for (const name of NAMES)
    for (const value of VALUES)
      for (const path of ['/v1/balance/get-supported-chains', '/ext/info', '/v1/evil'])
        replies.push(send('POST', path, [[name, value]], call('info.getNodeVersion')))
  for (const method of [EVIL, `info.${EVIL}`, `eth_${EVIL}`, 'eth_getBalance', 'platform.getHeight'])
    for (const path of ['/ext/info', '/ext/bc/C/rpc', '/ext/bc/P', '/ext/bc/X', '/ext/auth', '/ext/keystore'])
      replies.push(send('POST', path, [], call(method)))
  for (const body of [EVIL, balances(['1', '2'], `0x${'11'.repeat(20)}`), balances([EVIL], EVIL), `{"${EVIL}":1}`])
    replies.push(send('POST', '/v1/balance/get-balances', [], body))
  replies.push(send('POST', '/v1/balance/get-balances', [['Content-Type', `text/${RAW}`]], '{}'))
  replies.push(send('GET', '/metrics'), send('GET', '/ext/health'))
  return Promise.all(
    replies.map((reply) => reply.catch((): RawReply => ({ status: 0, headers: [], body: Buffer.alloc(0) }))),
  )
}

describe('what strangers write', () => {
  let replies: RawReply[] = []
  beforeAll(async () => {
    replies = await provoke()
  })

  it('is answered: most of it reaches the server', () => {
    expect(replies.filter(({ status }) => status !== 0 && status !== 400).length).toBeGreaterThan(replies.length / 3)
    expect(lines.length).toBeGreaterThan(replies.length / 4)
  })

  it('ends up in one log line each: valid JSON, nothing that a terminal acts on, bounded', () => {
    for (const line of lines) {
      expect(line.endsWith('\n')).toBe(true)
      expect(line.slice(0, -1)).not.toMatch(FORBIDDEN)
      const { level, msg } = JSON.parse(line) as { level: string; msg: string }
      expect(level).not.toBe('fatal')
      expect(msg).not.toBe('forged')
      expect(line.length).toBeLessThan(20_000)
    }
    // The provocation was seen: what was sent is in there, escaped.
    expect(lines.some((line) => line.includes('\\u001b[2J'))).toBe(true)
    expect(lines.some((line) => line.includes('\\u009b31m'))).toBe(true)
  })

  it('is never an answer header, nor a part of one but an escaped path in Location', () => {
    for (const { headers } of replies)
      for (const [name, value] of headers) {
        expect(name).toMatch(/^[A-Za-z0-9-]+$/)
        expect(['x-evil', 'set-cookie']).not.toContain(name.toLowerCase())
        expect(value).toMatch(/^[\x20-\x7e]*$/)
        if (name !== 'Location') expect(value).not.toMatch(/evil|\[2J|31m|fatal|a{65}/)
        else expect(value).not.toMatch(/[\s<>"]/)
      }
  })

  it('is an answer header only as a request id of harmless characters', async () => {
    const idOf = async (given: string): Promise<string | undefined> => {
      const { headers } = await send('GET', '/v1/balance/get-supported-chains', [['X-Request-Id', given]])
      return new Map(headers.map(([name, value]) => [name.toLowerCase(), value])).get('x-request-id')
    }
    expect(await idOf('abc-1.2:3_4')).toBe('abc-1.2:3_4')
    for (const given of ['', 'a b', 'a"b', '<a>', 'ä', 'a'.repeat(65), 'a,b', 'a;b', 'a/b', '%0d%0a'])
      expect(await idOf(given)).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('does not change what metrics and health look like', async () => {
    const text = (await send('GET', '/metrics')).body.toString()
    for (const line of text.split('\n')) expect(line).not.toMatch(FORBIDDEN)
    expect(text).not.toMatch(/evil|2J|31m|forged/)
  })
})

describe('names that a chain gives its tokens', () => {
  it('are logged on one line by every logger', () => {
    const written: string[] = []
    const logger = createLogger({ level: 'trace' }, { write: (line) => void written.push(line) })
    logger.info({ name: EVIL, [EVIL]: { [EVIL]: [EVIL] } }, EVIL)
    logger.child({ token: EVIL }).warn(new Error(EVIL, { cause: new Error(EVIL) }))
    logger.debug(`%s ${EVIL}`, EVIL)
    expect(written).toHaveLength(3)
    for (const line of written) {
      expect(line.slice(0, -1)).not.toMatch(FORBIDDEN)
      expect(line.endsWith('}\n')).toBe(true)
    }
    expect((JSON.parse(written[0] ?? '') as { name: string }).name.replace('\ufffd', '\ud800')).toBe(EVIL)
  })
})
