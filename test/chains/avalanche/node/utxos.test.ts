import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readHeight, readStake, readUtxos } from '../../../../src/chains/avalanche/index.ts'
import { BadAnswerError, BadInputError } from '../../../../src/errors.ts'
import { formatBech32Address } from '../../../../src/lib/bytes/bech32-address.ts'
import type { UpstreamPool } from '../../../../src/upstream/index.ts'
import { emptyLedger, secpUtxo, stakerOf } from '../ledger-data.ts'
import { type LedgerNode, startLedgerNode } from '../ledger-node.ts'

const hex = (n: number) => n.toString(16).padStart(40, '0')
const text = (n: number) => formatBech32Address(Buffer.from(hex(n), 'hex'), 'fuji')

let node: LedgerNode
beforeAll(async () => {
  node = await startLedgerNode(emptyLedger())
})
beforeEach(() => {
  node.ledger.memories.clear()
  node.reindex()
  node.calls.length = 0
})
afterAll(() => node.close())

/** Answers every call with what the test says. */
function poolAnswering(result: unknown): UpstreamPool {
  return { rpc: async () => result } as unknown as UpstreamPool
}

describe('reading UTXOs', () => {
  let pool: UpstreamPool
  beforeEach(async () => {
    const { createUpstreamPool, DEFAULT_LIMITS } = await import('../../../../src/upstream/index.ts')
    pool = createUpstreamPool('node', [{ url: node.url }], { ...DEFAULT_LIMITS, requestsPerSecond: 10_000 })
  })
  afterEach(() => pool.close())

  const fill = (count: number, owners: string[]) => {
    node.ledger.memories.set(
      'X',
      Array.from({ length: count }, () => secpUtxo(owners, 1n)),
    )
    node.reindex()
  }

  test.each([
    [0, 1],
    [1, 1],
    [1_023, 1],
    [1_024, 2],
    [1_025, 2],
    [2_048, 3],
    [3_000, 3],
  ])('%i UTXOs take %i pages', async (count, pages) => {
    fill(count, [hex(1)])
    const read = await readUtxos(pool, { chain: 'X', addresses: [text(1)] }, {})
    expect({ count: read.utxos.length, pages: read.pages }).toEqual({ count, pages })
    expect(new Set(read.utxos.map(({ txId }) => txId)).size).toBe(count)
  })

  test('UTXOs that come again on a later page because of another owner are dropped', async () => {
    fill(1_500, [hex(1), hex(2)])
    const read = await readUtxos(pool, { chain: 'X', addresses: [text(1), text(2)] }, {})
    expect(read.utxos.length).toBe(1_500)
    // The second owner's list begins anew on the second page: the node does send repeats.
    expect(read.pages).toBeGreaterThan(2)
  })

  test('shared memory is asked for by the alias of the exporting chain', async () => {
    node.ledger.memories.set('C←X', [secpUtxo(hex(1), 5n)])
    node.reindex()
    const read = await readUtxos(pool, { chain: 'C', sourceChain: 'X', addresses: [text(1)] }, {})
    expect(read.utxos).toMatchObject([{ output: { amount: 5n } }])
    expect(node.calls[0]).toMatchObject({ path: '/ext/bc/C/avax', method: 'avax.getUTXOs' })
  })

  test('heights of all chains', async () => {
    expect(await Promise.all((['P', 'X', 'C'] as const).map((chain) => readHeight(pool, chain, {})))).toEqual([
      10n,
      20n,
      30n,
    ])
  })

  test('more addresses than the node takes are our mistake', async () => {
    const addresses = Array.from({ length: 1_025 }, (_, index) => text(index))
    await expect(readUtxos(pool, { chain: 'X', addresses }, {})).rejects.toBeInstanceOf(BadInputError)
    await expect(readUtxos(pool, { chain: 'X', addresses: [] }, {})).rejects.toBeInstanceOf(BadInputError)
    await expect(readStake(pool, addresses.slice(0, 257), {})).rejects.toBeInstanceOf(BadInputError)
  })

  test('a stake comes as its output', async () => {
    node.ledger.stakers.push(stakerOf({ endTime: 9, outputs: [{ owners: [hex(1)], amount: 5n, stakeableUntil: 3n }] }))
    expect(await readStake(pool, [text(1)], {})).toMatchObject([{ output: { locktime: 3n, output: { amount: 5n } } }])
  })
})

describe('answers that are none', () => {
  const good = secpUtxo(hex(1), 1n)
  const end = { address: 'X-a', utxo: 'b' }
  const bad: [string, unknown][] = [
    ['null', null],
    ['a list', []],
    ['no numFetched', { utxos: [], endIndex: end }],
    ['a negative count', { numFetched: '-1', utxos: [], endIndex: end }],
    ['fewer UTXOs than named', { numFetched: '2', utxos: [good], endIndex: end }],
    ['a UTXO that is no text', { numFetched: '1', utxos: [5], endIndex: end }],
    [
      'a wrong checksum',
      { numFetched: '1', utxos: [`${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`], endIndex: end },
    ],
    ['bytes cut off', { numFetched: '1', utxos: [`${good.slice(0, 60)}${good.slice(-8)}`], endIndex: end }],
    ['a full page without end index', { numFetched: '1024', utxos: new Array(1_024).fill(good) }],
    [
      'an end index without text',
      { numFetched: '1024', utxos: new Array(1_024).fill(good), endIndex: { address: 1, utxo: 2 } },
    ],
    ['more than a page', { numFetched: '1025', utxos: new Array(1_025).fill(good), endIndex: end }],
    ['a full page that leads nowhere', { numFetched: '1024', utxos: new Array(1_024).fill(good), endIndex: end }],
  ]
  test.each(bad)('getUTXOs: %s', async (_, result) => {
    const read = readUtxos(poolAnswering(result), { chain: 'X', addresses: [text(1)] }, {})
    await expect(read).rejects.toBeInstanceOf(BadAnswerError)
  })

  test.each([
    ['nothing', {}],
    ['a number', { stakedOutputs: 5 }],
    ['rubbish', { stakedOutputs: ['0x00'] }],
    ['a UTXO', { stakedOutputs: [good] }],
  ])('getStake: %s', async (_, result) => {
    await expect(readStake(poolAnswering(result), [text(1)], {})).rejects.toBeInstanceOf(BadAnswerError)
  })

  test('heights that are none', async () => {
    for (const result of [{}, { height: -1 }, { height: '1e3' }, '0x5']) {
      await expect(readHeight(poolAnswering(result), 'P', {})).rejects.toBeInstanceOf(BadAnswerError)
    }
    await expect(readHeight(poolAnswering({ height: '5' }), 'C', {})).rejects.toBeInstanceOf(BadAnswerError)
  })
})
