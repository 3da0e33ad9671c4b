import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAvalancheNetwork } from '../../../src/chains/avalanche/index.ts'
import { avalancheNetworks } from '../../../src/config/catalogue/avalanche.ts'
import { PRIMARY_NETWORK_ID, SIDES } from '../../../src/facts/primary-network.ts'
import { idFromCb58, idToCb58 } from '../../../src/lib/bytes/ids.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../src/upstream/index.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'
import { AVAX, CHAIN_IDS, emptyLedger } from './ledger-data.ts'
import { type LedgerNode, startLedgerNode } from './ledger-node.ts'

let node: LedgerNode
let pool: UpstreamPool
beforeAll(async () => {
  node = await startLedgerNode(emptyLedger())
})
beforeEach(() => {
  Object.assign(node.ledger, emptyLedger())
  node.before = () => undefined
  node.calls.length = 0
  const limits = { ...DEFAULT_LIMITS, requestsPerSecond: 10_000, hedgeMinMs: 0, maxAttempts: 1 }
  pool = createUpstreamPool('network', [{ url: node.url }], limits)
})
afterEach(() => pool.close())
afterAll(() => node.close())

describe('a network', () => {
  test('is found through its node, once', async () => {
    const network = createAvalancheNetwork({ pool })
    expect(network.known()).toBeUndefined()
    const [facts] = await Promise.all([network.facts(), network.facts(), network.facts()])
    expect(facts).toEqual({
      networkId: 5,
      hrp: 'fuji',
      blockchainIds: { P: PRIMARY_NETWORK_ID, X: CHAIN_IDS.X, C: CHAIN_IDS.C },
      avaxAssetId: idToCb58(AVAX),
      avaxAssetHex: AVAX,
    })
    expect(idFromCb58(PRIMARY_NETWORK_ID)).toBe('0'.repeat(64))
    await network.facts()
    expect(node.calls.length).toBe(4)
    expect(network.known()).toBe(facts)
  })

  test.each([
    [1, 'avax'],
    [12_345, 'local'],
    [76, 'custom'],
    [1_337, 'custom'],
  ])('number %i writes %s addresses', async (networkId, hrp) => {
    node.ledger.networkId = networkId
    expect(await createAvalancheNetwork({ pool }).facts()).toMatchObject({ networkId, hrp })
  })

  test('whose configured AVAX is that of another one is an error, and asked about until it is known', async () => {
    const other = idToCb58('3'.repeat(64))
    const network = createAvalancheNetwork({ pool, overrides: { avaxAssetId: other } })
    const why = `avaxAssetId is configured as ${other}, and ${idToCb58(AVAX)} on the nodes`
    for (let turn = 0; turn < 2; turn++) await expect(network.facts()).rejects.toThrow(why)
    const right = createAvalancheNetwork({ pool, overrides: { avaxAssetId: idToCb58(AVAX) } })
    expect(await right.facts()).toMatchObject({ avaxAssetHex: AVAX })
    node.calls.length = 0
    await right.facts()
    expect(node.calls).toEqual([])
  })

  test('keeps what it found and asks again for the rest', async () => {
    node.before = (call) =>
      call.method === 'avm.getAssetDescription' ? { code: -32000, message: 'not yet' } : undefined
    const network = createAvalancheNetwork({ pool })
    await expect(network.facts()).rejects.toMatchObject({ code: 'JSON_RPC' })
    node.before = () => undefined
    node.calls.length = 0
    expect(await network.facts()).toMatchObject({ networkId: 5 })
    expect(node.calls.map(({ method }) => method)).toEqual(['avm.getAssetDescription'])
  })

  test('does not keep for good what is no id, and asks again', async () => {
    const answers: Record<string, unknown> = {
      'info.getNetworkID': { networkID: '5' },
      'info.getBlockchainID': { blockchainID: CHAIN_IDS.X },
      'avm.getAssetDescription': { assetID: 'not an id' },
      'platform.getStakingAssetID': { assetID: `${idToCb58(AVAX)}1` },
    }
    const rpc = async (_path: string, method: string) => answers[method]
    const network = createAvalancheNetwork({ pool: { rpc } as unknown as UpstreamPool })
    await expect(network.facts()).rejects.toMatchObject({ code: 'BAD_ANSWER' })
    answers['platform.getStakingAssetID'] = { assetID: idToCb58(AVAX) }
    expect(await network.facts()).toMatchObject({ avaxAssetHex: AVAX })
  })

  test.each(SIDES)(
    'believes the configuration and asks for nothing it says, where AVAX is that of %s',
    async (network) => {
      const overrides = {
        networkId: 1,
        hrp: 'firn',
        xBlockchainId: CHAIN_IDS.C,
        cBlockchainId: CHAIN_IDS.X,
        avaxAssetId: avalancheNetworks[network].avaxAssetId ?? '',
      }
      const facts = await createAvalancheNetwork({ pool, overrides }).facts()
      expect(facts).toMatchObject({ networkId: 1, hrp: 'firn', blockchainIds: { X: CHAIN_IDS.C } })
      expect(node.calls).toEqual([])
    },
  )

  test('whose chains are known by P alone: a node that names none is not the last one asked', async () => {
    const named = (['X', 'C'] as const).map((letter) => {
      return { id: CHAIN_IDS[letter], subnetID: PRIMARY_NETWORK_ID, name: `${letter}-Chain` }
    })
    const hidden = { code: -32601, message: 'method not found', methods: ['info.getBlockchainID'] }
    const servers = [null, { blockchains: named }].map((told) => ({ answer: () => told, faults: { rpcError: hidden } }))
    const { pool: several } = await startTestPool(servers, { spec: (_, priority) => ({ priority }) })
    const overrides = { networkId: 5, avaxAssetId: avalancheNetworks.testnet.avaxAssetId ?? '' }
    const facts = await createAvalancheNetwork({ pool: several, overrides }).facts()
    expect(facts.blockchainIds).toEqual({ P: PRIMARY_NETWORK_ID, X: CHAIN_IDS.X, C: CHAIN_IDS.C })
  })

  test('one that leaves does not take the answer from the others', async () => {
    let release = () => {}
    const held = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined)
    })
    node.before = () => held
    const network = createAvalancheNetwork({ pool })
    const leaving = new AbortController()
    const left = network.facts({ signal: leaving.signal })
    const stayed = network.facts({ signal: new AbortController().signal })
    leaving.abort()
    await expect(left).rejects.toMatchObject({ code: 'CANCELLED' })
    release()
    expect(await stayed).toMatchObject({ networkId: 5 })
  })

  test('is looked for until it is there', async () => {
    let refused = 0
    node.before = (call) =>
      call.method === 'info.getNetworkID' && refused++ < 1 ? { code: -32000, message: 'no' } : undefined
    const network = createAvalancheNetwork({ pool })
    await network.discover(new AbortController().signal)
    expect(network.known()).toMatchObject({ networkId: 5 })
    const stopped = new AbortController()
    node.before = () => ({ code: -32000, message: 'no' })
    const never = createAvalancheNetwork({ pool })
    const looking = never.discover(stopped.signal)
    stopped.abort()
    await looking
    expect(never.known()).toBeUndefined()
  })
})
