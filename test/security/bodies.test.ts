import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/index.ts'
import { ConfigError } from '../../src/errors.ts'
import { createStage } from '../support/server/stage.ts'

const stage = createStage()
afterAll(() => stage.clear())

const ADDRESS = `0x${'11'.repeat(20)}`
const CHAIN = '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'

let url = ''
beforeAll(async () => {
  const evm = await stage.upstream({ answer: () => '0x1' })
  const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const served = await stage.serve({
    http: { bodyLimitBytes: 100_000 },
    node: { network: 'mainnet', bodyLimitBytes: 100_000, api: { admin: { enabled: true } } },
    chains: {
      evm: { 1: { name: 'One', upstreams: [{ url: evm.url }], native, blockTimeMs: 1_000 } },
      avalanche: { mainnet: { name: 'Own', upstreams: [{ url: evm.url }] } },
    },
  })
  url = served.url
})

interface Answer {
  status: number
  text: string
}

const post = async (path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> => {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
    signal: AbortSignal.timeout(30_000),
  })
  return { status: answer.status, text: await answer.text() }
}

const alive = async (): Promise<void> => {
  expect((await fetch(`${url}/v1/balance/get-supported-chains`)).status).toBe(200)
}

const call = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`

/** Every route that reads JSON, with a body that it takes: HERE is where something may be put in. */
const ROUTES: readonly (readonly [path: string, body: string])[] = [
  [
    '/v1/balance/get-balances',
    `{"currency":"usd","data":[{"namespace":"eip155","references":["1"],"addresses":["${ADDRESS}"]HERE}]HERE}`,
  ],
  ['/v1/networks/mainnet/blockchains/p-chain/utxos', '{"addresses":["P-avax1x"]HERE}'],
  [`/v1/networks/mainnet/blockchains/${CHAIN}/lastActivityTimestampByAddresses`, '{"addresses":["x"]HERE}'],
  [`/v1/chains/1/nfts/collections/${ADDRESS}/tokens/1:reindex`, '{"x":1HERE}'],
  ['/ext/info', call('info.getTxFee', '{"x":1HERE}').replace(/\}$/, 'HERE}')],
  ['/ext/admin', call('admin.getLoggerLevel', '{"x":1HERE}').replace(/\}$/, 'HERE}')],
  ['/ext/bc/P', call('platform.getHeight', '{"x":1HERE}').replace(/\}$/, 'HERE}')],
  ['/ext/bc/X', call('avm.getHeight', '{"x":1HERE}').replace(/\}$/, 'HERE}')],
  ['/ext/bc/C/rpc', call('eth_call', '[{"to":"0x"HERE},"latest"]').replace(/\}$/, 'HERE}')],
  ['/ext/bc/C/rpc', `[${call('eth_chainId', '[]').replace(/\}$/, 'HERE}')}]`],
  ['/ext/bc/C/avax', call('avax.getUTXOs', '{"x":1HERE}').replace(/\}$/, 'HERE}')],
]

const POLLUTIONS = [
  '"__proto__":{"polluted":"yes"}',
  '"constructor":{"prototype":{"polluted":"yes"}}',
  '"prototype":{"polluted":"yes"}',
  '"__proto__":null',
  '"__proto__":[]',
  '"\\u005f_proto__":{"polluted":"yes"}',
  '"a":{"b":{"__proto__":{"polluted":"yes"}}}',
  '"a":[{"constructor":{"prototype":{"polluted":"yes"}}}]',
  '"toString":1,"hasOwnProperty":1,"valueOf":1',
]

const clean = (): void => {
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  expect(([] as unknown as Record<string, unknown>)['polluted']).toBeUndefined()
  expect(Object.keys(Object.prototype)).toEqual([])
}

describe('members that name a prototype', () => {
  it.each(ROUTES)('change nothing at %s', async (path, template) => {
    for (const members of POLLUTIONS) {
      const places = template.split('HERE').length - 1
      for (let place = 0; place < places; place += 1) {
        let at = 0
        const body = template.replaceAll('HERE', () => (at++ === place ? `,${members}` : ''))
        const { status } = await post(path, body)
        expect(status, body).toBeLessThan(501)
        expect(status, body).not.toBe(500)
      }
    }
    clean()
  })

  it('change nothing in queries and paths', async () => {
    for (const query of [
      '__proto__[polluted]=yes',
      '__proto__.polluted=yes',
      'constructor[prototype][polluted]=yes',
      '__proto__=x',
    ])
      for (const path of ['/v1/blocks', '/v1/balance/get-supported-chains', '/ext/health', '/ext/info', '/'])
        expect((await fetch(`${url}${path}?${query}`)).status).not.toBe(500)
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      for (const path of [
        `/v1/chains/${name}`,
        `/ext/${name}`,
        `/ext/bc/${name}`,
        `/ext/bc/${name}/rpc`,
        `/page/${name}`,
        `/${name}`,
      ])
        expect([400, 404], path).toContain((await fetch(url + path)).status)
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect((await post('/ext/info', call(`info.${name}`, '{}'))).status).not.toBe(500)
      expect((await post('/ext/admin', call(`admin.${name}`, '{}'))).text).toContain("can't find method")
    }
    clean()
  })

  it('are unknown keys of a configuration file, by every source', () => {
    for (const member of ['__proto__', 'constructor', 'prototype'])
      for (const text of [
        `{"${member}":{"polluted":"yes"}}`,
        `{"http":{"${member}":{"polluted":"yes"}}}`,
        `{"chains":{"evm":{"${member}":{"polluted":"yes"}}}}`,
        `{"chains":{"evm":{"1":{"${member}":{"polluted":"yes"}}}}}`,
        `{"data":{"plans":{"default":{"${member}":{"polluted":"yes"}}}}}`,
      ]) {
        const readFile = (path: string) => (path.endsWith('firn.config.json') ? text : undefined)
        expect(() => loadConfig({ argv: [], env: {}, cwd: '/', readFile }), text).toThrow(ConfigError)
      }
    for (const argv of [['--__proto__=x'], ['--chains-evm={"__proto__":{"polluted":"yes"}}'], ['--constructor', 'x']])
      expect(() => loadConfig({ argv, env: {}, cwd: '/', readFile: () => undefined })).toThrow(ConfigError)
    clean()
  })
})

const nested = (depth: number, open = '[', close = ']'): string => open.repeat(depth) + close.repeat(depth)

describe('JSON bombs', () => {
  const BOMBS: readonly (readonly [name: string, json: string])[] = [
    ['deep lists', nested(45_000)],
    ['deep objects', nested(15_000, '{"a":', '}').replace(':}', ':1}')],
    ['a list that never closes', '['.repeat(90_000)],
    ['a wide list', `[${'0,'.repeat(45_000)}0]`],
    ['a wide object', `{${Array.from({ length: 8_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['one member many times', `{${'"a":1,'.repeat(15_000)}"a":1}`],
    ['a number of many digits', '9'.repeat(90_000)],
    ['a huge exponent', '1e999999999'],
    ['a tiny exponent', '1e-999999999'],
    ['a long text', `"${'a'.repeat(90_000)}"`],
    ['a text of escapes', `"${'\\u0000'.repeat(15_000)}"`],
    ['lone surrogates', `"${'\\ud800'.repeat(15_000)}"`],
  ]

  it.each(BOMBS)('%s are answered, and the server goes on', async (_name, json) => {
    const begin = process.cpuUsage()
    for (const [path, template] of ROUTES) {
      expect((await post(path, json)).status, path).not.toBe(500)
      const { status } = await post(path, template.replace('HERE', `,"bomb":${json}`).replaceAll('HERE', ''))
      expect(status, path).not.toBe(500)
    }
    // 22 bodies of 100 kB are no work: a quadratic reader would take minutes.
    expect(process.cpuUsage(begin).user / 1e6).toBeLessThan(20)
    await alive()
  })

  it('beyond the limit are refused without being read', async () => {
    for (const [path, template] of ROUTES) {
      const { status } = await post(
        path,
        template.replace('HERE', `,"x":"${'a'.repeat(6_000_000)}"`).replaceAll('HERE', ''),
      )
      // EVM endpoints answer as their nodes do: a parse error of what was cut off.
      expect([400, 413, 200, 403, 404], path).toContain(status)
      if (status === 200) expect(path).toMatch(/\/rpc$/)
    }
    await alive()
  })
})

describe('compressed bodies', () => {
  const good = '{"currency":"usd","data":[]}'.padEnd(90_000, ' ')
  const ENCODINGS: readonly (readonly [string, Buffer])[] = [
    ['gzip', gzipSync(good)],
    ['br', brotliCompressSync(good)],
    ['deflate', gzipSync(Buffer.alloc(50_000_000, 32))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(10_000_000, 32)))],
  ]

  it.each(ENCODINGS)('%s are never unpacked', async (encoding, body) => {
    const begin = process.memoryUsage().arrayBuffers
    for (const [path] of ROUTES) {
      const { status } = await post(path, body, { 'content-encoding': encoding })
      expect(status, path).toBeLessThan(500)
    }
    expect(process.memoryUsage().arrayBuffers - begin).toBeLessThan(40_000_000)
    const { status } = await post('/v1/balance/get-balances', body, { 'content-encoding': encoding })
    expect([400, 413, 415]).toContain(status)
  })
})
