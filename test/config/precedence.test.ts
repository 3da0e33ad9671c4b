import { describe, expect, it } from 'vitest'
import { catalogue } from '../../src/config/catalogue/index.ts'
import { createConfig } from '../../src/config/index.ts'
import { configKeys } from '../../src/config/keys.ts'
import { valueAt } from '../../src/config/tree.ts'
import { configOf, type Given } from './sources.ts'

/** One setting in every source, lowest first; each row switches one source off from the top. */
const everywhere = {
  file: { http: { port: 1 } },
  dotenv: 'FIRN_HTTP_PORT=2',
  env: { FIRN_HTTP_PORT: '3' },
  argv: ['--http-port', '4'],
} satisfies Given

describe('precedence', () => {
  it.each<[string, Given, number]>([
    ['flag over all', everywhere, 4],
    ['environment over .env', { ...everywhere, argv: [] }, 3],
    ['.env over file', { ...everywhere, argv: [], env: {} }, 2],
    ['empty variable counts as not set', { ...everywhere, argv: [], env: { FIRN_HTTP_PORT: '' } }, 2],
    ['file over default', { file: everywhere.file }, 1],
    ['default', {}, 8650],
    ['flag over file', { file: everywhere.file, argv: everywhere.argv }, 4],
    ['a later flag over an earlier one', { argv: ['--http-port=5', '--http-port=6'] }, 6],
  ])('%s', (_, given, port) => {
    expect(configOf(given).http.port).toBe(port)
  })

  it('sources that set different keys add up', () => {
    const { http, log } = configOf({
      file: { http: { host: '::1', maxConnections: 7 } },
      env: { FIRN_LOG_LEVEL: 'debug' },
      argv: ['--http-max-connections=8'],
    })
    expect([http.host, http.maxConnections, log.level]).toEqual(['::1', 8, 'debug'])
  })

  it('the environment counts over .env by every name of a key', () => {
    const [real, other] = ['postgres://real/firn', 'postgres://other/firn']
    const ofBoth = (env: string, dotenv: string) =>
      configOf({ env: { [env]: real }, dotenv: `${dotenv}=${other}\n` }).store.databaseUrl
    expect(ofBoth('DATABASE_URL', 'FIRN_STORE_DATABASE_URL')).toBe(real)
    expect(ofBoth('FIRN_STORE_DATABASE_URL', 'DATABASE_URL')).toBe(real)
  })

  it('counts a list once that is given by both of its names', () => {
    const env = { FIRN_HTTP_CORS_ORIGINS: 'https://a', FIRN_HTTP_ALLOWED_ORIGINS: 'https://a' }
    expect(configOf({ env }).http.corsOrigins).toEqual(['https://a'])
  })

  it('takes another file by --config, by FIRN_CONFIG, the flag first', () => {
    const files = { 'a.json': '{"http":{"port":11}}', 'b.json': '{"http":{"port":12}}' }
    const env = { FIRN_CONFIG: 'a.json' }
    expect(configOf({ files, env, file: everywhere.file }).http.port).toBe(11)
    expect(configOf({ files, env, argv: ['--config', 'b.json'] }).http.port).toBe(12)
    expect(configOf({ files, dotenv: 'FIRN_CONFIG=b.json' }).http.port).toBe(12)
  })

  it('takes the catalogue away by whichever source comes last', () => {
    const off = { chains: { catalogue: false } }
    const env = { FIRN_CHAINS_CATALOGUE: 'on' }
    const count = (given: Given): number => Object.keys(configOf(given).chains.evm).length
    expect(count({ file: off })).toBe(0)
    expect(count({ file: off, env })).toBeGreaterThan(10)
    expect(count({ env, argv: ['--chains-catalogue=off'] })).toBe(0)
    expect(count({ env: { FIRN_CHAINS_CATALOGUE: 'off' }, argv: ['--chains-catalogue'] })).toBeGreaterThan(10)
  })

  it('reads a file that an editor began with a byte order mark', () => {
    expect(configOf({ file: `\uFEFF${JSON.stringify({ http: { port: 1 } })}` }).http.port).toBe(1)
    expect(configOf({ dotenv: '\uFEFFFIRN_HTTP_PORT=2' }).http.port).toBe(2)
  })

  it('merges objects and replaces lists', () => {
    const config = configOf({
      file: { http: { corsOrigins: ['https://a'] }, chains: { evm: { '1': { name: 'My Ethereum' } } } },
      env: { FIRN_CHAINS_EVM: '{"1":{"blockTimeMs":5}}' },
    })
    expect(config.http.corsOrigins).toEqual(['https://a'])
    expect(config.chains.evm['1']).toMatchObject({
      name: 'My Ethereum',
      blockTimeMs: 5,
      explorer: 'https://etherscan.io',
    })
  })
})

/** A value other than the default for every kind of key, as text and as what it becomes. */
const samples: Record<string, [text: string, value: unknown]> = {
  'http.trustProxy': ['true', true],
  'http.port': ['9', 9],
  'upstream.requestsPerSecond': ['2.5', 2.5],
  'http.keepAliveTimeoutMs': ['1m30s', 90_000],
  'balance.chainDeadlineMs': ['250ms', 250],
  dataDir: ['/data', '/data'],
  'log.level': ['warn', 'warn'],
  'http.corsOrigins': ['https://a, https://b', ['https://a', 'https://b']],
  'market.defaultTokenLists': ['["a,b"]', ['a,b']],
  'data.apiKeys': ['[{"key":"k","plan":"default"}]', [{ key: 'k', plan: 'default' }]],
}

describe('every kind of value', () => {
  it.each(Object.entries(samples))('%s by every name in every source', (name, [text, value]) => {
    const key = configKeys.find((candidate) => candidate.name === name)
    if (key === undefined) throw new Error(name)
    for (const flag of key.flags) {
      expect(valueAt(configOf({ argv: [`--${flag}=${text}`] }), key.path)).toEqual(value)
      expect(valueAt(configOf({ argv: [`--${flag}`, text] }), key.path)).toEqual(value)
    }
    for (const variable of key.variables) {
      expect(valueAt(configOf({ env: { [variable]: text } }), key.path)).toEqual(value)
      expect(valueAt(configOf({ dotenv: `${variable}='${text}'\n` }), key.path)).toEqual(value)
    }
  })

  it('durations with a fraction are as many milliseconds as they say', () => {
    const read = (text: string) => configOf({ argv: [`--http-keep-alive-timeout-ms=${text}`] }).http.keepAliveTimeoutMs
    expect(['16.1s', '2.01s', '0.07h', '1m4.03s'].map(read)).toEqual([16_100, 2_010, 252_000, 64_030])
    expect(() => read('1.5ms')).toThrow('given 1.5 ')
  })

  it('switches need no value and take the usual words', () => {
    const trust = (...argv: string[]) => configOf({ argv }).http.trustProxy
    expect(trust('--http-trust-proxy')).toBe(true)
    expect(trust('--http-trust-proxy', '--http-port', '1')).toBe(true)
    expect(trust('--http-trust-proxy=no')).toBe(false)
    expect(trust('--http-trust-proxy', 'off')).toBe(false)
    expect(trust('--http-trust-proxy', 'ON')).toBe(true)
    expect(configOf({ env: { FIRN_HTTP_TRUST_PROXY: '1' } }).http.trustProxy).toBe(true)
  })

  it('a flag of a list may be repeated, and empties it', () => {
    const argv = ['--http-cors-origins=http://a', '--http-cors-origins=http://b,http://c']
    expect(configOf({ argv }).http.corsOrigins).toEqual(['http://a', 'http://b', 'http://c'])
    expect(configOf({ argv: ['--http-cors-origins='] }).http.corsOrigins).toEqual([])
  })

  it('a flag of a list of objects may be repeated, too: the key that was given first is known', () => {
    const argv = ['--data-api-keys=[{"key":"one"}]', '--data-api-keys=[{"key":"other"}]']
    expect(configOf({ argv }).data.apiKeys.map(({ key }) => key)).toEqual(['one', 'other'])
  })

  it('a list may begin with an address in brackets, which is no JSON', () => {
    const allowed = (text: string) =>
      configOf({ env: { FIRN_DATA_NFT_METADATA_ALLOWED_ADDRESSES: text } }).data.nftMetadata.allowedAddresses
    expect(allowed('[fd00::7]:8080')).toEqual(['[fd00::7]:8080'])
    expect(allowed('[::1]:80, 10.0.0.7:8080')).toEqual(['[::1]:80', '10.0.0.7:8080'])
    expect(allowed('["[fd00::7]:8080"]')).toEqual(['[fd00::7]:8080'])
  })

  it('null in a file takes an optional value away and brings a default back', () => {
    const chain = configOf({ file: { chains: { evm: { '1': { explorer: null, multicall: null } } } } }).chains.evm['1']
    expect(chain).not.toHaveProperty('explorer')
    expect(chain).not.toHaveProperty('multicall')
    expect(configOf({ file: { http: { port: null } } }).http.port).toBe(8650)
  })
})

describe('the result', () => {
  it('is frozen all the way down', () => {
    const config = configOf({ file: { chains: { evm: { '1': { upstreams: [{ url: 'https://x' }] } } } } })
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen))
    expect(frozen(config)).toBe(true)
  })

  it('does not leak from one load into the next', () => {
    expect(
      configOf({ argv: ['--without', 'eip155', '--data-plans', '{"default":{"computeUnitsPerDay":1},"x":{}}'] }).chains
        .evm,
    ).toEqual({})
    expect(Object.keys(configOf().chains.evm).length).toBeGreaterThan(10)
    expect(Object.keys(configOf().data.plans)).toEqual(['default'])
  })

  it('fills in what an entry leaves out', () => {
    const native = { name: 'Mine', symbol: 'MINE' }
    const entry = { name: 'L1', upstreams: [{ url: 'https://x' }], native, blockTimeMs: 1 }
    expect(configOf({ file: { chains: { evm: { '99373': entry } } } }).chains.evm['99373']).toEqual({
      ...entry,
      testnet: false,
      tokenLists: [],
      native: { ...native, decimals: 18 },
    })
  })

  it('counts the coin of a chain as its family does, where an entry only names it', () => {
    const native = { name: 'Mine', symbol: 'MINE' }
    const bitcoin = { name: 'Own', network: 'regtest', upstreams: [{ kind: 'esplora', url: 'https://x' }], native }
    const solana = { name: 'Own', upstreams: [{ url: 'https://x' }], native }
    const { chains } = configOf({ file: { chains: { bitcoin: { own: bitcoin }, solana: { own: solana } } } })
    expect(chains.bitcoin['own']?.native).toEqual({ ...native, decimals: 8 })
    expect(chains.solana['own']?.native).toEqual({ ...native, decimals: 9 })
  })

  it('fills in what an item of a list leaves out', () => {
    expect(configOf({ file: { data: { apiKeys: [{ key: 'k' }] } } }).data.apiKeys).toEqual([
      { key: 'k', plan: 'default' },
    ])
  })

  it('does not freeze the catalogue of the program', () => {
    configOf()
    expect(Object.isFrozen(catalogue.evm)).toBe(false)
    expect(Object.isFrozen(catalogue.evm['1']?.native)).toBe(false)
  })

  it('can be made from code', () => {
    const config = createConfig({ http: { port: 0 }, chains: { catalogue: false } })
    expect(config.http).toMatchObject({ port: 0, host: '127.0.0.1' })
    expect(config.chains).toEqual({ catalogue: false, evm: {}, bitcoin: {}, solana: {}, avalanche: {} })
    expect(() => createConfig({ http: { port: -1 } })).toThrow('http.port: given -1')
  })
})
