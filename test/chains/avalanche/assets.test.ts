import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAssetDirectory, type IndexedAssets } from '../../../src/chains/avalanche/assets.ts'
import { idFromCb58, idToCb58 } from '../../../src/lib/bytes/ids.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../src/upstream/index.ts'
import { startLyingProxy } from '../../indexer/lying-proxy.ts'
import { recordedJson } from '../../support/recorded/recordings.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { emptyLedger } from './ledger-data.ts'
import { type LedgerNode, startLedgerNode } from './ledger-node.ts'

const TOKEN = 'bb'.repeat(32)
const ID = idToCb58(TOKEN)
const KNOWN = { assetId: ID, name: 'Token', symbol: 'TOK', decimals: 6 }
const START = 1_000_000
const NO_METHOD = { code: -32000, message: 'rpc: can\'t find method "avm.GetAssetDescription"' }

let nodes: LedgerNode[] = []
let pool: UpstreamPool
let now = START

beforeEach(async () => {
  nodes = [await startLedgerNode(emptyLedger()), await startLedgerNode(emptyLedger())]
  pool = createUpstreamPool(
    'two',
    nodes.map(({ url }) => ({ url })),
    { ...DEFAULT_LIMITS, requestsPerSecond: 10_000, hedgeMinMs: 0 },
  )
  now = START
})
afterEach(async () => {
  await pool.close()
  await Promise.all(nodes.map((node) => node.close()))
})

const learns = (node: LedgerNode | undefined) =>
  node?.ledger.assets.set(ID, { name: 'Token', symbol: 'TOK', denomination: '6' })

function directory(indexed?: IndexedAssets) {
  const { describe: read } = createAssetDirectory({ pool, indexed, clock: () => now })
  return async () => (await read([TOKEN], { deadline: Date.now() + 10_000 })).get(TOKEN)
}

const asked = () => nodes.map(({ calls }) => calls.length)

describe('an asset that a node does not know', () => {
  it('is described by another one', async () => {
    learns(nodes[1])
    const read = directory()
    expect(await read()).toEqual(KNOWN)
    const before = asked()
    expect(await read()).toEqual(KNOWN)
    expect(asked()).toEqual(before)
  })

  it('is an error while all are behind, which is over with them, and nobody is asked at every poll', async () => {
    const read = directory()
    expect(await read()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', message: expect.stringContaining(ID) })
    const before = asked()
    now = START + 4_000
    expect(await read()).toBeInstanceOf(Error)
    expect(asked()).toEqual(before)
    learns(nodes[0])
    now = START + 6_000
    expect(await read()).toEqual(KNOWN)
  })

  it('is told by the own index, which is asked only then', async () => {
    let questions = 0
    const indexed: IndexedAssets = async (id) => {
      questions += 1
      return id === TOKEN ? { name: 'Token', symbol: 'TOK', decimals: 6 } : undefined
    }
    expect(await directory(indexed)()).toEqual(KNOWN)
    expect(questions).toBe(1)
    for (const { ledger } of nodes) ledger.assets.set(ID, { name: 'Token', symbol: 'TOK', denomination: '6' })
    expect(await directory(indexed)()).toEqual(KNOWN)
    expect(questions).toBe(1)
  })

  it('is an error for as long as nobody tells, whatever the nodes say', async () => {
    const troubles = [undefined, NO_METHOD, { code: -32000, message: 'database closed' }]
    for (const trouble of troubles) {
      for (const node of nodes) node.before = () => trouble
      const read = directory()
      expect(await read()).toBeInstanceOf(Error)
      now += 3_600_000
      expect(await read()).toBeInstanceOf(Error)
    }
  })

  it('is described by the node that has the method, or by the index', async () => {
    learns(nodes[1])
    ;(nodes[0] as LedgerNode).before = () => NO_METHOD
    expect(await directory()()).toEqual(KNOWN)
    ;(nodes[1] as LedgerNode).before = () => NO_METHOD
    expect(await directory(async () => ({ name: 'Token', symbol: 'TOK', decimals: 6 }))()).toEqual(KNOWN)
  })
})

describe('a node that describes something else', () => {
  const other = { assetID: idToCb58('cc'.repeat(32)), name: 'Other', symbol: 'OTH', denomination: '0' }
  const wrong = [other, { ...other, assetID: ID, denomination: '99' }, { name: 'Token', symbol: 'TOK' }]
  const says = (node: LedgerNode | undefined, asset: object) => node?.ledger.assets.set(ID, asset as never)

  it('is not believed: another node describes the asset, or it is an error', async () => {
    for (const asset of wrong) {
      for (const node of nodes) says(node, asset)
      expect(await directory()()).toBeInstanceOf(Error)
      learns(nodes[1])
      expect(await directory()()).toEqual(KNOWN)
    }
  })

  it('is not believed where the first one does not know the asset', async () => {
    for (const asset of wrong) {
      says(nodes[1], asset)
      expect(await directory()()).toBeInstanceOf(Error)
    }
  })
})

describe('behind gateways that hide avm.getAssetDescription', () => {
  const { assets, avaxAssetID } = recordedJson<{ avaxAssetID: string; assets: { assetID: string }[] }>('network')
  // AVAX is known without being asked for.
  const hexes = assets.flatMap(({ assetID }) => (assetID === avaxAssetID ? [] : [idFromCb58(assetID)]))

  it('assets are read off the transactions that made them, and a wrong transaction is none', async () => {
    const replay = await startReplayNode()
    let change = (body: Buffer, _request: { body: string }): Buffer => body
    const front = await startLyingProxy(replay.url, (body, request) => change(body, request))
    const gateway = createUpstreamPool('gateway', [{ url: front.url }], {
      ...DEFAULT_LIMITS,
      requestsPerSecond: 10_000,
    })
    const read = async () => createAssetDirectory({ pool: gateway }).describe(hexes, { deadline: Date.now() + 10_000 })
    try {
      const described = await read()
      expect(described.size).toBeGreaterThan(2)
      const refusal = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_601, message: 'method not allowed' } })
      const hide = (body: Buffer, request: { body: string }) =>
        request.body.includes('getAssetDescription') ? Buffer.from(refusal) : body
      change = hide
      expect(await read()).toEqual(described)

      const [first, second] = hexes as [string, string]
      const makingOf = (hex: string): Promise<Buffer> =>
        gateway
          .rpc('/ext/bc/X', 'avm.getTx', { txID: idToCb58(hex), encoding: 'hex' })
          .then((result) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result })))
      const other = await makingOf(second)
      change = (body, request) => (request.body.includes('avm.getTx') ? other : hide(body, request))
      const lied = await read()
      expect(lied.get(first)).toMatchObject({ code: 'BAD_ANSWER' })
      expect(lied.get(second)).toEqual(described.get(second))
    } finally {
      await gateway.close()
      await front.stop()
      await replay.stop()
    }
  })
})
