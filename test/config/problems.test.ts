import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/index.ts'
import { DATA_OPERATIONS } from '../../src/schemas/index.ts'
import { type Given, problemsOf } from './sources.ts'

const LONG_SECRET = 'correct-horse-battery-staple'
const UNREADABLE =
  ', of which host and port, or user and password, cannot be read (in a password / ? # @ % are %2F %3F %23 %40 %25)'

/** Each row: what is wrong, and the one line that tells it. */
const rows: [string, Given, string][] = [
  [
    'flag of the wrong type',
    { argv: ['--http-port', 'abc'] },
    'http.port: given "abc" (flag --http-port); allowed: a whole number from 0 to 65535',
  ],
  [
    'flag out of range',
    { argv: ['--http-port=70000'] },
    'http.port: given 70000 (flag --http-port); allowed: a whole number from 0 to 65535',
  ],
  [
    'variable',
    { env: { FIRN_LOG_LEVEL: 'loud' } },
    'log.level: given "loud" (FIRN_LOG_LEVEL); allowed: one of fatal, error, warn, info, debug, trace, silent',
  ],
  [
    '.env',
    { dotenv: 'FIRN_BALANCE_XPUB_GAP=5' },
    'balance.xpubGap: given 5 (FIRN_BALANCE_XPUB_GAP in .env); allowed: a whole number from 20 to 100',
  ],
  [
    'file',
    { file: { http: { trustProxy: 'yes' } } },
    'http.trustProxy: given "yes" (firn.config.json); allowed: true or false',
  ],
  [
    'another file',
    { argv: ['--config', 'x.json'], files: { 'x.json': '{"upstream":{"requestsPerSecond":0}}' } },
    'upstream.requestsPerSecond: given 0 (x.json); allowed: a number above 0',
  ],
  [
    'section that is no object',
    { file: { log: 5 } },
    'log: given 5 (firn.config.json); allowed: an object with level, displayLevel, dir',
  ],
  [
    'node flag by its own name',
    { argv: ['--health-check-frequency', '1ms'] },
    'node.healthCheckFrequencyMs: given 1 (flag --health-check-frequency); allowed: a whole number from 100 to 604800000 (milliseconds; flags and variables also take 5s or 1m30s)',
  ],
  [
    'unit that there is not',
    { env: { FIRN_HTTP_HEADERS_TIMEOUT_MS: '5x' } },
    'http.headersTimeoutMs: given "5x" (FIRN_HTTP_HEADERS_TIMEOUT_MS); allowed: a whole number from 1 to 604800000 (milliseconds; flags and variables also take 5s or 1m30s)',
  ],
  [
    'wait that no timer holds',
    { argv: ['--http-shutdown-grace-ms', '600h'] },
    'http.shutdownGraceMs: given 2160000000 (flag --http-shutdown-grace-ms); allowed: a whole number from 0 to 604800000 (milliseconds; flags and variables also take 5s or 1m30s)',
  ],
  [
    'limit in time that would be none',
    { argv: ['--http-headers-timeout-ms', '0'] },
    'http.headersTimeoutMs: given 0 (flag --http-headers-timeout-ms); allowed: a whole number from 1 to 604800000 (milliseconds; flags and variables also take 5s or 1m30s)',
  ],
  [
    'more entries than memory can hold',
    { argv: ['--balance-cache-entries', '4000000000'] },
    'balance.cacheEntries: given 4000000000 (flag --balance-cache-entries); allowed: a whole number from 1 to 10000000',
  ],
  [
    'issuer that an empty variable names: no token has it',
    { argv: ['--balance-app-check-issuer='] },
    'balance.appCheck.issuer: given "" (flag --balance-app-check-issuer); allowed: text, not empty',
  ],
  [
    'audience in the same way',
    { file: { balance: { appCheck: { audience: '' } } } },
    'balance.appCheck.audience: given "" (firn.config.json); allowed: text, not empty',
  ],
  ['file that an empty variable names', { argv: ['--config', ''] }, '--config: needs a value'],
  [
    'key at the wrong level',
    { file: { chainDeadlineMs: 1 } },
    'chainDeadlineMs: unknown key (firn.config.json); did you mean balance.chainDeadlineMs?',
  ],
  [
    'operation of a plan that there is not',
    { file: { data: { plans: { default: { operations: ['live-check', 'getUtxosByAddresse'] } } } } },
    `data.plans.default.operations.1: given "getUtxosByAddresse" (firn.config.json); allowed: one of ${DATA_OPERATIONS.join(', ')}`,
  ],
  [
    'no plan for requests without a key',
    { argv: ['--data-plans', '{"default":null,"paid":{}}'] },
    'data.plans.default: missing; needed: a plan for requests without a key, also where data.keyRequired is true',
  ],
  ['flag without value', { argv: ['--http-port'] }, '--http-port: needs a value'],
  ['flag followed by a flag', { argv: ['--http-port', '--http-trust-proxy'] }, '--http-port: needs a value'],
  ['unknown flag', { argv: ['--http-prot', '1'] }, '--http-prot: unknown flag; did you mean --http-port?'],
  ['half a flag', { argv: ['--log=debug'] }, '--log: unknown flag; see --help'],
  ['flag remembered by its end', { argv: ['--port=1'] }, '--port: unknown flag; did you mean --http-port?'],
  ['stray argument', { argv: ['start'] }, 'argument 1: unexpected; settings are given as --flag value'],
  [
    'unknown variable',
    { env: { FIRN_HTP_PORT: '1' } },
    'FIRN_HTP_PORT: unknown variable; did you mean FIRN_HTTP_PORT?',
  ],
  ['unknown variable in .env', { dotenv: 'FIRN_XYZZY=1' }, 'FIRN_XYZZY in .env: unknown variable; see --help'],
  [
    'unknown key',
    { file: { http: { prot: 1 } } },
    'http.prot: unknown key (firn.config.json); did you mean http.port?',
  ],
  ['unknown section', { file: { blance: {} } }, 'blance: unknown key (firn.config.json); did you mean balance?'],
  [
    'key that pollutes prototypes elsewhere',
    { file: '{"log":{"__proto__":{"level":"debug"}}}' },
    'log.__proto__: unknown key (firn.config.json); allowed: level, displayLevel, dir',
  ],
  [
    'chain id that is none',
    { file: { chains: { evm: { main: {} } } } },
    'chains.evm.main: unknown key (firn.config.json); allowed: an object keyed by EVM chain ids (decimal, no leading zero)',
  ],
  [
    'new chain without a name',
    {
      env: {
        FIRN_CHAINS_EVM: '{"9":{"upstreams":[{"url":"https://x"}],"native":{"name":"a","symbol":"b"},"blockTimeMs":1}}',
      },
    },
    'chains.evm.9.name: missing (FIRN_CHAINS_EVM); needed: text, not empty',
  ],
  [
    'chain without upstreams',
    { file: { chains: { evm: { '1': { upstreams: [] } } } } },
    'chains.evm.1.upstreams: given [] (firn.config.json); allowed: a list of at least 1: each an object with url, headers, requestsPerSecond, maxConcurrent, batchItems, priority',
  ],
  [
    'http logo',
    { file: { chains: { evm: { '1': { native: { logoUri: 'http://x/y.png' } } } } } },
    'chains.evm.1.native.logoUri: given "http://x/y.png" (firn.config.json); allowed: a URL beginning with https://',
  ],
  ['file that is not there', { argv: ['--config=no.json'] }, 'no.json: no such file (flag --config)'],
  ['file that FIRN_CONFIG names', { env: { FIRN_CONFIG: 'no.json' } }, 'no.json: no such file (FIRN_CONFIG)'],
  [
    'chain id in a form that nobody asks for',
    { env: { FIRN_CHAINS_EVM: '{"01":{}}' } },
    'chains.evm.01: unknown key (FIRN_CHAINS_EVM); allowed: an object keyed by EVM chain ids (decimal, no leading zero)',
  ],
  [
    'prefix that no address can have',
    { file: { chains: { avalanche: { mainnet: { hrp: 'a|.*' } } } } },
    'chains.avalanche.mainnet.hrp: given "a|.*" (firn.config.json); allowed: small letters and digits, 32 at most',
  ],
  [
    'prefix of another network than the one that the ID is',
    { file: { chains: { avalanche: { mainnet: { networkId: 1, hrp: 'fuji' } } } } },
    'chains.avalanche.mainnet.hrp: given "fuji"; allowed: avax, the prefix of network 1, or another networkId',
  ],
  [
    'prefix of mainnet for the testnet of the catalogue',
    { file: { chains: { avalanche: { testnet: { hrp: 'avax' } } } } },
    'chains.avalanche.testnet.hrp: given "avax"; allowed: fuji, the prefix of network 5, or another networkId',
  ],
  [
    'chain id of C that JSON does not carry whole',
    { file: '{"chains":{"avalanche":{"mainnet":{"evmChainId":9007199254740993}}}}' },
    'chains.avalanche.mainnet.evmChainId: given 9007199254740992 (firn.config.json); allowed: a whole number from 1 to 9007199254740991',
  ],
  ['file that is null', { file: 'null' }, 'firn.config.json: given null; allowed: a JSON object'],
  ['file that is a list', { file: [] }, 'firn.config.json: given a list; allowed: a JSON object'],
  [
    'two names that disagree',
    { env: { FIRN_PUBLIC: 'true', FIRN_NODE_PUBLIC_DEPLOYMENT: 'false' } },
    'node.publicDeployment: given twice with different values, by FIRN_NODE_PUBLIC_DEPLOYMENT and FIRN_PUBLIC',
  ],
  [
    'chain that is not known',
    { argv: ['--without', 'eip155:2'] },
    'flag --without: no chain "eip155:2"; did you mean eip155:1?',
  ],
  [
    'short form without chain',
    { argv: ['--chain-upstreams', 'https://a'] },
    'flag --chain-upstreams: needs <chain>=<url>, such as eip155:43114=https://node.example.org',
  ],
  [
    'keys named by themselves instead of a list',
    { file: { data: { apiKeys: { [LONG_SECRET]: { plan: 'default' } } } } },
    'data.apiKeys: given *** (firn.config.json); allowed: a list: each an object with key, plan',
  ],
  [
    'node that a script left empty',
    { argv: ['--avalanche-mainnet-node', ''] },
    '--avalanche-mainnet-node: needs a value',
  ],
  [
    'origin with the slash that no browser sends',
    { argv: ['--http-allowed-origins=https://app.example.org/'] },
    'http.corsOrigins.0: given "https://app.example.org/" (flag --http-allowed-origins); allowed: an origin such as https://app.example.org or https://*.example.org, or *',
  ],
  [
    'short secret',
    { argv: [`--balance-app-check-secret=${LONG_SECRET}`] },
    'balance.appCheck.secret: given "***" (flag --balance-app-check-secret); allowed: text of at least 32 characters',
  ],
  [
    'upstream that is no URL',
    { argv: [`--chain-upstreams=eip155:1=${LONG_SECRET}`] },
    'chains.evm.1.upstreams.0.url: given "***" (flag --chain-upstreams); allowed: a URL beginning with https://, http://',
  ],
  [
    'port that there is not',
    { env: { FIRN_AVALANCHE_MAINNET_NODE: 'http://127.0.0.1:99999', FIRN_WITHOUT: 'eip155' } },
    `chains.avalanche.mainnet.upstreams.0.url: given "http://127.0.0.1:99999" (FIRN_AVALANCHE_MAINNET_NODE)${UNREADABLE}; allowed: a URL beginning with https://, http://`,
  ],
  [
    'password that was not escaped',
    { env: { DATABASE_URL: `postgres://firn:${LONG_SECRET}/x@db/firn` } },
    `store.databaseUrl: given "***" (DATABASE_URL)${UNREADABLE}; allowed: a URL beginning with postgres://, postgresql://`,
  ],
  [
    'shared server by a port that is none',
    { argv: ['--redis-url=redis://cache:abc'] },
    `redis.url: given "***" (flag --redis-url)${UNREADABLE}; allowed: a URL beginning with redis://, rediss://`,
  ],
  [
    'keys at a host that cannot be read',
    { argv: ['--balance-app-check-jwks=https://[keys/jwks.json'] },
    `balance.appCheck.jwks: given "https://[keys/jwks.json" (flag --balance-app-check-jwks)${UNREADABLE}; allowed: text, not empty`,
  ],
  [
    'database of another kind',
    { env: { DATABASE_URL: `mysql://firn:${LONG_SECRET}@db/firn` } },
    'store.databaseUrl: given "mysql://db/***" (DATABASE_URL); allowed: a URL beginning with postgres://, postgresql://',
  ],
  [
    'broken JSON with a secret inside',
    { env: { FIRN_CHAINS_EVM: `{"1":{"upstreams":[{"url":"https://x/${LONG_SECRET}"` } },
    'chains.evm: given *** (FIRN_CHAINS_EVM); allowed: an object keyed by EVM chain ids (decimal, no leading zero)',
  ],
]

describe('a mistake stops the start with one line', () => {
  it.each(rows)('%s', (_, given, line) => {
    expect(problemsOf(given)).toEqual([line])
  })

  it('shows the first 80 characters of what was given', () => {
    expect(problemsOf({ argv: [`--http-port=${'x'.repeat(100)}`] })).toEqual([
      expect.stringMatching(/^http\.port: given "x{79}…/),
    ])
  })

  it.each([
    ['a duration where there is no time', ['--http-port=5s'], /^http\.port: given "5s"/],
    ['a chain of the network that it has not', ['--index-streams=mainnet:D'], /^index\.streams\.0: given "mainnet:D"/],
    ['an argument that objects have by themselves', ['constructor'], /^argument 1: unexpected; settings are given/],
    ['a name that objects have by themselves', ['--without=eip155:constructor'], /no chain "eip155:constructor"/],
    [
      'a gateway without the slash before what is put behind it',
      ['--data-nft-metadata-ipfs-gateway=https://x/ipfs'],
      /^data\.nftMetadata\.ipfsGateway: given "https:\/\/x\/\*\*\*"/,
    ],
  ])('%s', (_, argv, line) => {
    expect(problemsOf({ argv })).toEqual([expect.stringMatching(line)])
  })

  it('never shows a secret', () => {
    for (const [, given] of rows) expect(problemsOf(given).join('\n')).not.toContain(LONG_SECRET)
    const misplaced = { file: { node: { api: { auth: { pasword: LONG_SECRET } } } } }
    expect(problemsOf(misplaced)).toEqual([
      'node.api.auth.pasword: unknown key (firn.config.json); did you mean node.api.auth.password?',
    ])
    expect(problemsOf({ argv: [`--api-auth-pasword=${LONG_SECRET}`] })[0]).toBe(
      '--api-auth-pasword: unknown flag; did you mean --api-auth-password?',
    )
  })

  it('tells all mistakes of all sources at once', () => {
    expect(
      problemsOf({
        argv: ['--http-prot=1', '--log-level=x'],
        env: { FIRN_X: '1', FIRN_HTTP_PORT: 'x' },
        file: { nope: 1, data: { keyRequired: 3 } },
      }).map((line) => line.split(':')[0]),
    ).toEqual(['--http-prot', 'FIRN_X', 'nope', 'http.port', 'log.level', 'data.keyRequired'])
  })

  it('a file that cannot be read is told, not taken for absent', () => {
    const readFile = () => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' })
    }
    expect(() => loadConfig({ argv: [], env: {}, cwd: '/x', readFile })).toThrow(
      '/x/.env: cannot be read: EACCES\n/x/firn.config.json: cannot be read: EACCES',
    )
  })
})
