import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { maskBySchema } from '../../src/config/mask-config.ts'
import { configOf, problemsOf, textOf } from './sources.ts'

const SECRET = 'correct-horse-battery-staple-0123456789'

/** Every place of the configuration that may hold something secret, filled. */
const file = {
  balance: {
    appCheck: {
      mode: 'static',
      tokens: [SECRET, SECRET],
      secret: SECRET,
      jwks: `https://u:${SECRET}@keys.example/jwks?k=${SECRET}`,
    },
  },
  market: {
    prices: { apiKey: SECRET, url: `https://prices.example/${SECRET}` },
    defaultTokenLists: [`https://lists.example/all.json?key=${SECRET}`, 'lists/own.json'],
  },
  node: { api: { auth: { password: SECRET } } },
  store: { databaseUrl: `postgres://firn:${SECRET}@db.example:5432/firn` },
  redis: { url: `rediss://:${SECRET}@cache.example/0` },
  otel: { endpoint: `https://${SECRET}@otel.example/v1` },
  data: {
    apiKeys: [{ key: SECRET, plan: 'default' }],
    nftMetadata: {
      ipfsGateway: `https://ipfs.example/${SECRET}/`,
      arweaveGateway: `https://ar.example/${SECRET}/`,
    },
  },
  chains: {
    evm: {
      '1': {
        tokenLists: [`https://${SECRET}@lists.example/one.json#${SECRET}`],
        upstreams: [
          { url: `https://user:${SECRET}@rpc.example/v2/${SECRET}?key=${SECRET}`, headers: { 'x-api-key': SECRET } },
        ],
      },
    },
    bitcoin: {
      '000000000019d6689c085ae165831e93': { upstreams: [{ kind: 'esplora', url: `https://btc.example/${SECRET}` }] },
    },
    avalanche: {
      mainnet: {
        upstreams: [{ url: `https://node.example/${SECRET}`, headers: { authorization: SECRET } }],
        genesisFile: `https://u:${SECRET}@genesis.example/own.json?key=${SECRET}`,
      },
      testnet: { upstreams: [{ url: `https://${SECRET}@test.example` }] },
    },
    solana: {
      '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': {
        tokenLists: [`https://lists.example/sol.json?key=${SECRET}`],
        upstreams: [{ url: `https://sol.example/?api-key=${SECRET}`, headers: { 'x-token': SECRET } }],
      },
    },
  },
}

describe('--print-config', () => {
  const text = textOf({ file, env: { FIRN_LOG_LEVEL: 'debug' }, argv: ['--print-config', '--http-port=0'] })
  const printed = JSON.parse(text) as Record<string, Record<string, unknown>>

  it('shows no secret', () => {
    expect(text).not.toContain(SECRET)
  })

  it('shows that there are secrets, and upstreams by host', () => {
    expect(printed).toMatchObject({
      balance: {
        appCheck: { mode: 'static', tokens: ['***', '***'], secret: '***', jwks: 'https://keys.example/jwks?***' },
      },
      market: {
        prices: { apiKey: '***', url: 'https://prices.example/***' },
        defaultTokenLists: ['https://lists.example/all.json?***', 'lists/own.json'],
      },
      node: { api: { auth: { password: '***' } } },
      store: { databaseUrl: 'postgres://db.example:5432/***' },
      redis: { url: 'rediss://cache.example/***' },
      otel: { endpoint: 'https://otel.example/***' },
      data: { apiKeys: [{ key: '***', plan: 'default' }] },
      chains: {
        evm: {
          '1': {
            tokenLists: ['https://lists.example/one.json?***'],
            upstreams: [{ url: 'https://rpc.example/***', headers: { 'x-api-key': '***' } }],
          },
        },
        avalanche: {
          mainnet: {
            upstreams: [{ url: 'https://node.example/***' }],
            genesisFile: 'https://genesis.example/own.json?***',
          },
        },
      },
    })
  })

  it('shows nothing of what no schema knows', () => {
    const schema = Type.Object({ known: Type.String() })
    const value = { known: 'x', other: SECRET, more: { members: [SECRET] } }
    expect(maskBySchema(schema, value)).toEqual({ known: 'x', other: '***', more: { members: ['***'] } })
  })

  it('says where values came from', () => {
    expect(printed['$sources']).toMatchObject({
      'http.port': 'flag --http-port',
      'log.level': 'FIRN_LOG_LEVEL',
      'chains.evm.1.upstreams': 'firn.config.json',
    })
    expect(printed['$sources']).not.toHaveProperty('http')
    expect(printed['$sources']).not.toHaveProperty('http.host')
    // Chain 10 is not inside chain 1.
    const removed = textOf({ file: { chains: { evm: { 1: null, 10: null } } }, argv: ['--print-config'] })
    const source = 'firn.config.json'
    expect(JSON.parse(removed).$sources).toEqual({ 'chains.evm.1': source, 'chains.evm.10': source })
  })

  it('prints the defaults in a form that can be a configuration file', () => {
    const defaults = textOf({ argv: ['--print-config'] })
    const again = JSON.parse(textOf({ file: defaults, argv: ['--print-config'] })) as Record<string, unknown>
    expect(JSON.parse(defaults)).toMatchObject({ http: { port: 8650 }, $sources: {} })
    expect({ ...again, $sources: {} }).toEqual(JSON.parse(defaults))
    expect(configOf({ file: defaults })).toEqual(configOf())
  })
})

describe('what was taken away', () => {
  it.each([
    ['a chain', ['--without', 'eip155:1', '--without', 'avalanche:mainnet']],
    ['a family', ['--without', 'bip122']],
    ['members of entries', ['--chains-evm', '{"1":{"multicall":null,"explorer":null}}']],
    ['what a coin of one’s own has not', ['--chains-evm', '{"1":{"native":{"name":"One","symbol":"ONE"}}}']],
    ['chains of a program without the catalogue', ['--chains-catalogue=false', '--chains-evm', '{"1":null}']],
    ['a plan', ['--data-plans', '{"paid":{}}']],
  ])('stays away where what --print-config prints is the configuration: %s', (_, argv) => {
    const file = textOf({ argv: [...argv, '--print-config'] })
    expect(configOf({ file })).toEqual(configOf({ argv }))
    expect(JSON.parse(textOf({ file, argv: ['--print-config'] }))).toEqual({
      ...JSON.parse(file),
      $sources: expect.anything(),
    })
  })
})

describe('what --print-config prints, given back', () => {
  it('stops the start with a line for each secret in it: none is a key', () => {
    const printed: unknown = JSON.parse(textOf({ file, argv: ['--print-config'] }))
    const named = problemsOf({ file: printed }).map((line) => line.split(': given the mask')[0])
    expect(named).toEqual(
      expect.arrayContaining([
        'balance.appCheck.tokens.0',
        'balance.appCheck.tokens.1',
        'balance.appCheck.secret',
        'balance.appCheck.jwks',
        'market.prices.apiKey',
        'market.prices.url',
        'market.defaultTokenLists.0',
        'node.api.auth.password',
        'store.databaseUrl',
        'redis.url',
        'otel.endpoint',
        'data.apiKeys.0.key',
        'chains.evm.1.upstreams.0.url',
        'chains.evm.1.upstreams.0.headers.x-api-key',
        'chains.bitcoin.000000000019d6689c085ae165831e93.upstreams.0.url',
        'chains.avalanche.mainnet.upstreams.0.headers.authorization',
      ]),
    )
    expect(named).not.toContain('market.defaultTokenLists.1')
  })

  it.each([
    [{ env: { FIRN_MARKET_PRICES_API_KEY: '***' } }, 'market.prices.apiKey', 'FIRN_MARKET_PRICES_API_KEY'],
    [{ env: { DATABASE_URL: 'postgres://db.example:5432/***' } }, 'store.databaseUrl', 'DATABASE_URL'],
    [
      { argv: ['--chain-upstreams', 'eip155:1=https://rpc.example/***'] },
      'chains.evm.1.upstreams.0.url',
      'flag --chain-upstreams',
    ],
  ])('also out of other sources: %j', (given, key, origin) => {
    expect(problemsOf(given)).toEqual([
      `${key}: given the mask that --print-config shows (${origin}); allowed: the value itself`,
    ])
  })

  it('a secret that only holds such signs is one', () => {
    expect(problemsOf({ env: { FIRN_MARKET_PRICES_API_KEY: 'a***b' } })).toEqual([])
  })
})
