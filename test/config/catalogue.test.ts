import { createHash } from 'node:crypto'
import { Value } from '@sinclair/typebox/value'
import { getAddress, isAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../src/config/catalogue/index.ts'
import { publicGenesisFile, type SolanaChainConfig } from '../../src/config/index.ts'
import { ConfigSchema } from '../../src/config/schema.ts'
import { decodeCb58 } from '../../src/lib/bytes/cb58.ts'
import { configOf } from './sources.ts'

const { evm, bitcoin, solana, avalanche } = catalogue
type Entry = Omit<SolanaChainConfig, 'tokenLists'>

const everything = [avalanche, evm, bitcoin, solana].flatMap((family): [string, Entry][] => Object.entries(family))

describe('the built-in catalogue', () => {
  it('fits the schema as it stands', () => {
    expect([...Value.Errors(ConfigSchema.properties.chains, { catalogue: true, ...catalogue })]).toEqual([])
    expect(configOf().chains).toEqual({ catalogue: true, ...catalogue })
  })

  it('holds the chains that are promised', () => {
    const ids = ['1', '10', '56', '137', '4337', '8453', '42161', '43113', '43114', '53935', '432204', '11155111']
    expect(Object.keys(evm).sort()).toEqual(ids.sort())
    expect(Object.keys(bitcoin)).toEqual(['000000000019d6689c085ae165831e93', '000000000933ea01ad0ee984209779ba'])
    expect(Object.keys(solana)).toEqual(['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1'])
    expect(Object.keys(avalanche)).toEqual(['mainnet', 'testnet'])
  })

  it.each(everything)('%s: upstreams are keyless, encrypted and not repeated', (_, { upstreams }) => {
    const urls = upstreams.map(({ url }) => url)
    expect(new Set(urls).size).toBe(urls.length)
    for (const url of urls) {
      const { protocol, username, search, pathname } = new URL(url)
      expect(['https:', 'tls:']).toContain(protocol)
      expect([username, search]).toEqual(['', ''])
      // A path segment as long as a key would be one.
      for (const segment of pathname.split('/')) expect(segment.length).toBeLessThan(20)
    }
  })

  // Closed to callers without a key since February 2026; not on the free plan; no eth_call on Base and Arbitrum, and
  // nothing on Avalanche.
  it.each(['polygon-rpc.com', 'solana.drpc.org', 'base.meowrpc.com', 'arbitrum.meowrpc.com', 'avax.meowrpc.com'])(
    'leaves out %s, which answers no balances any more',
    (host) => {
      expect(everything.flatMap(([, { upstreams }]) => upstreams.map(({ url }) => new URL(url).host))).not.toContain(
        host,
      )
    },
  )

  it('names chains only once', () => {
    const names = everything.map(([, { name }]) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it('has several upstreams wherever several keyless ones are known', () => {
    const single = everything.filter(([, { upstreams }]) => upstreams.length < 2).map(([id]) => id)
    expect(single).toEqual(['432204'])
  })

  it('writes native coins as wallets know them', () => {
    const ether = ['1', '10', '8453', '42161'].map((id) => evm[id]?.native)
    for (const native of ether) expect(native).toMatchObject({ name: 'ETH', symbol: 'ETH', internalId: 'NATIVE-eth' })
    expect(evm['43114']?.native).toMatchObject({ name: 'Avalanche', symbol: 'AVAX', decimals: 18 })
    for (const network of [avalanche.mainnet, avalanche.testnet]) {
      expect(network?.native).toMatchObject({
        name: 'Avalanche',
        symbol: 'AVAX',
        decimals: 9,
        internalId: 'NATIVE-avax',
      })
    }
    for (const [, { native }] of everything) {
      expect(native?.internalId).toBe(`NATIVE-${native?.symbol.toLowerCase()}`)
      expect(native?.logoUri).toMatch(/^https:\/\//)
      expect(native?.priceId).toBeTruthy()
    }
    expect(Object.values(bitcoin).map(({ native }) => native?.decimals)).toEqual([8, 8])
    expect(Object.values(solana).map(({ native }) => native?.decimals)).toEqual([9, 9])
  })

  it('knows the time between blocks and a block explorer of each chain', () => {
    for (const [id, { blockTimeMs, explorer }] of everything) {
      expect(blockTimeMs, id).toBeGreaterThan(0)
      expect(explorer, id).toMatch(/^https:\/\//)
    }
  })

  it('has addresses with good checksums', () => {
    for (const [, { multicall }] of Object.entries(evm)) {
      if (multicall !== undefined) expect(isAddress(multicall) && getAddress(multicall)).toBe(multicall)
    }
  })

  it('has IDs whose checksums are good and from which the wire’s references follow', () => {
    const ids = [
      ...Object.values(avalanche).flatMap((network) => [
        network?.xBlockchainId,
        network?.cBlockchainId,
        network?.avaxAssetId,
      ]),
      ...Object.values(evm).flatMap(({ blockchainId }) => (blockchainId === undefined ? [] : [blockchainId])),
    ]
    for (const id of ids) expect(decodeCb58(id ?? '')).toHaveLength(32)
    const reference = (text: string | undefined) =>
      createHash('sha256')
        .update(text ?? '')
        .digest('base64url')
        .slice(0, 32)
    expect(reference(avalanche.mainnet?.xBlockchainId)).toBe('imji8papUf2EhV3le337w1vgFauqkJg-')
    expect(reference(avalanche.mainnet?.cBlockchainId)).toBe('8aDU0Kqh-5d23op-B-r-4YbQFRbsgF9a')
    expect(reference(`fuji${avalanche.testnet?.xBlockchainId}`)).toBe('8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl')
    expect(reference(`fuji${avalanche.testnet?.cBlockchainId}`)).toBe('YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd')
  })

  it('names the genesis of public networks, whoever’s nodes they are asked of', () => {
    for (const network of Object.values(catalogue.avalanche))
      expect(publicGenesisFile(network?.xBlockchainId ?? '')).toBe(network?.genesisFile)
    expect(publicGenesisFile('2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5')).toBeUndefined()
  })

  it('ties each network to its C-chain', () => {
    for (const network of [avalanche.mainnet, avalanche.testnet]) {
      expect(evm[String(network?.evmChainId)]?.blockchainId).toBe(network?.cBlockchainId)
    }
  })
})
