import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/index.ts'
import { ConfigError } from '../../src/errors.ts'

const URL = 'postgres://firn:s3cret@db/firn'
const load = (env: Record<string, string>, files: Record<string, string> = {}) => {
  const loaded = loadConfig({ argv: [], env, cwd: '/', readFile: (path) => files[path] })
  if (loaded.action !== 'run') throw new Error(loaded.action)
  return loaded.config
}
const problems = (run: () => unknown): readonly string[] => {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('a variable with _FILE', () => {
  it.each(['DATABASE_URL', 'FIRN_STORE_DATABASE_URL'])('gives %s the content of a file', (name) => {
    expect(load({ [`${name}_FILE`]: '/run/secrets/db' }, { '/run/secrets/db': `${URL}\n` }).store.databaseUrl).toBe(URL)
  })

  it('gives the short forms theirs: URLs of nodes carry keys', () => {
    const files = {
      '/run/secrets/eth': 'eip155:1=https://eth.example/KEY\n',
      '/run/secrets/node': 'https://node.example/KEY',
    }
    const env = { FIRN_CHAIN_UPSTREAMS_FILE: '/run/secrets/eth', FIRN_AVALANCHE_MAINNET_NODE_FILE: '/run/secrets/node' }
    const { chains } = load(env, files)
    expect(chains.evm['1']?.upstreams.map(({ url }) => url)).toEqual(['https://eth.example/KEY'])
    expect(chains.avalanche.mainnet?.upstreams.map(({ url }) => url)).toEqual(['https://node.example/KEY'])
  })

  it('is read where it stands in .env, and is less than the real environment', () => {
    const files = {
      '/.env': 'DATABASE_URL_FILE=/run/secrets/db\n',
      '/run/secrets/db': URL,
      '/other': 'postgres://other/x',
    }
    expect(load({}, files).store.databaseUrl).toBe(URL)
    expect(load({ DATABASE_URL: 'postgres://real/x' }, files).store.databaseUrl).toBe('postgres://real/x')
    expect(load({ DATABASE_URL_FILE: '/other' }, files).store.databaseUrl).toBe('postgres://other/x')
    const without = { '/.env': files['/.env'] }
    expect(load({ DATABASE_URL: 'postgres://real/x' }, without).store.databaseUrl).toBe('postgres://real/x')
    const gone = problems(() => load({}, without))
    expect(gone).toEqual(['/run/secrets/db: no such file (DATABASE_URL_FILE)'])
  })

  it('leaves keys alone that are called so', () => {
    const env = { FIRN_MARKET_PRICES_FILE: '/prices.json', FIRN_MARKET_PRICES_PROVIDER: 'file' }
    expect(load(env).market.prices.file).toBe('/prices.json')
  })

  it('counts as not set when it is empty', () => {
    expect(load({ DATABASE_URL_FILE: '' }).store.databaseUrl).toBeUndefined()
  })

  it.each(['', '\n'])(
    'stops the start when its file holds nothing, which is no choice of the embedded database',
    (text) => {
      const line = 'DATABASE_URL: missing; needed: a value in the file that DATABASE_URL_FILE names, which is empty'
      expect(problems(() => load({ DATABASE_URL_FILE: '/db' }, { '/db': text }))).toEqual([line])
      const dotenv = { '/.env': 'DATABASE_URL_FILE=/db', '/db': text }
      expect(problems(() => load({}, dotenv))).toEqual([line])
    },
  )

  it('stops the start when there is no such file, or the value is there already; the value is not told', () => {
    expect(problems(() => load({ DATABASE_URL_FILE: '/none' }))).toEqual(['/none: no such file (DATABASE_URL_FILE)'])
    const twice = problems(() => load({ DATABASE_URL_FILE: '/db', DATABASE_URL: URL }, { '/db': URL }))
    expect(twice).toEqual(['DATABASE_URL: given twice, by DATABASE_URL and DATABASE_URL_FILE'])
    expect(problems(() => load({ DATABASE_URL_FILE: URL }))).toEqual(['***: no such file (DATABASE_URL_FILE)'])
    expect(problems(() => load({ FIRN_NOTHING_FILE: '/x' })).join()).toContain('unknown variable')
  })
})
