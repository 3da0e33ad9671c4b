import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { C, CLOCK_SECONDS, id, node, owner, P, startAsked, X } from './asked-index.ts'

let { asked, get, post, close }: Awaited<ReturnType<typeof startAsked>> = {} as never
beforeAll(async () => {
  ;({ asked, get, post, close } = await startAsked())
})
afterAll(() => close())
beforeEach(() => {
  asked.length = 0
})

const owners = (count: number): string => Array.from({ length: count }, (_, at) => owner(at)).join()

it.each([
  ['5', 5n],
  ['5.5', 6n],
  ['5.0', 5n],
  ['%2B9007199254740993', 9_007_199_254_740_993n],
  ['1e3', 1_000n],
  ['2.5e0', 3n],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['0', undefined],
  ['0.0', undefined],
])('the least amount %s is %s', async (text, amount) => {
  expect((await get(`${P}/utxos?addresses=${owner(1)}&minUtxoAmount=${text}`)).status).toBe(200)
  expect(asked.at(-1)?.['minAmount']).toBe(amount)
})

it('the least amount is exact wherever it stands in the query, and one that no amount can reach is none', async () => {
  expect((await get(`${P}/utxos?minUtxoAmount=9007199254740993&addresses=${owner(1)}`)).status).toBe(200)
  expect(asked.at(-1)?.['minAmount']).toBe(9_007_199_254_740_993n)
  expect((await get(`${P}/utxos?addresses=${owner(1)}&minUtxoAmount=1e400`)).status).toBe(400)
})

it('an asset is asked for on X, and no word on P and C', async () => {
  const assetOf = async (url: string) => {
    const { status } = await get(url)
    return [status, asked.at(-1)?.['assetId']]
  }
  expect(await assetOf(`${X}/utxos?addresses=${owner(1)}&assetId=${id('4')}`)).toEqual([200, '4'.repeat(64)])
  expect(await assetOf(`${X}/utxos?addresses=${owner(1)}&assetId=`)).toEqual([200, undefined])
  for (const path of [P, C]) {
    expect(await assetOf(`${path}/utxos?addresses=${owner(1)}&assetId=nonsense`)).toEqual([200, undefined])
    expect(await assetOf(`${path}/utxos?addresses=${owner(1)}&assetId=${id('4')}`)).toEqual([200, undefined])
  }
  expect((await get(`${X}/utxos?addresses=${owner(1)}&assetId=nonsense`)).status).toBe(400)
})

it('takes as many addresses and entries as the specification says, and not one more', async () => {
  const statuses = async (calls: Promise<{ status: number }>[]) =>
    (await Promise.all(calls)).map(({ status }) => status)
  for (const path of ['utxos', 'balances', 'lastActivityTimestampByAddresses']) {
    const ok = path === 'lastActivityTimestampByAddresses' ? 404 : 200
    expect(await statuses([64, 65].map((count) => get(`${P}/${path}?addresses=${owners(count)}`))), path).toEqual([
      ok,
      400,
    ])
  }
  for (const [path, ok] of [
    ['utxos', 200],
    ['lastActivityTimestampByAddresses', 404],
  ] as const)
    expect(await statuses([1_024, 1_025].map((count) => post(`${P}/${path}`, owners(count)))), path).toEqual([ok, 400])
  expect(await statuses([100, 101].map((size) => get(`${P}/utxos?addresses=${owner(1)}&pageSize=${size}`)))).toEqual([
    200, 400,
  ])
  expect(await statuses([1_024, 1_025].map((size) => post(`${P}/utxos?pageSize=${size}`, owner(1))))).toEqual([
    200, 400,
  ])
})

it('a block is found by a height that can be one, and by a hash in either case', async () => {
  expect(await get(`${P}/blocks/${'9'.repeat(19)}`)).toMatchObject({ status: 404 })
  expect(asked).toEqual([])
  expect((await get(`${P}/blocks/${'9'.repeat(18)}`)).body).toMatchObject({ blockType: 'Standard' })
  const C = P.replace('p-chain', 'c-chain')
  expect((await get(`${C}/blocks/0x${'AB'.repeat(32)}`)).body).toMatchObject({
    blockType: 'Proposal',
    blockHash: `0x${'a'.repeat(64)}`,
    transactions: [`0x${'c'.repeat(64)}`],
    proposerDetails: {
      proposerId: id('d'),
      proposerParentId: id('e'),
      proposerNodeId: node('f'),
      proposerPChainHeight: 3,
      proposerTimestamp: 4,
    },
  })
  expect(asked.at(-1)).toMatchObject({ more: 'ab'.repeat(32) })
})

it('lists over EVM chains are of the chains of one kind of network, or of all', async () => {
  const read = async (path: string) => {
    await get(`/v1/${path}`)
    const { streams: names, success } = asked.at(-1) ?? {}
    return [names, success]
  }
  expect(await read('blocks')).toEqual([['eip155:1', 'eip155:5'], undefined])
  expect(await read('blocks?network=mainnet')).toEqual([['eip155:1'], undefined])
  expect(await read('transactions?network=fuji&status=failed')).toEqual([['eip155:5'], false])
  expect(await read('transactions?network=testnet&status=success')).toEqual([['eip155:5'], true])
})

it('locks are judged by the moment that is asked for, those of now by the seconds that are over', async () => {
  await get(`${P}/balances?addresses=${owner(1)}&blockTimestamp=77`)
  expect(asked.at(-1)).toMatchObject({ at: 77n, locksAt: 77n, edge: 'strict' })
  await get(`${P}/balances?addresses=${owner(1)}`)
  expect(asked.at(-1)).toMatchObject({ locksAt: BigInt(CLOCK_SECONDS) })
  expect(asked.at(-1)).not.toHaveProperty('at')
})

it('addresses may stand in any form of writing, and each counts once', async () => {
  const one = owner(1)
  for (const text of [`,${one},`, `%20${one}%20,`, `P-${one},${one},x-${one}`, `${one}&addresses=P-${one}`]) {
    expect([text, (await get(`${P}/balances?addresses=${text}`)).status]).toEqual([text, 200])
    expect(asked.at(-1)?.['addresses']).toEqual(['0'.repeat(39) + 1])
  }
  for (const text of ['', ',', '%20'])
    expect((await get(`${P}/balances?addresses=${text}`)).body).toMatchObject({
      statusCode: 400,
      message: 'addresses is required: one or more addresses, comma separated',
    })
})

it.each([
  ['p-chain', 'P'],
  ['x-chain', 'X'],
  ['c-chain', 'C'],
  [id('0'), 'P'],
  [id('1'), 'X'],
  [id('2'), 'C'],
  ['11111111111111111111111111111111LpoYY', 'P'],
  ['2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm', 'X'],
  ['yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp', 'C'],
  ['2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM', undefined],
  ['P', undefined],
])('a chain goes by its name, its id, and the id of the public network: %s', async (name, letter) => {
  const { status } = await get(`/v1/networks/testnet/blockchains/${name}/balances?addresses=${owner(1)}`)
  expect([status, asked.at(-1)?.['chain']]).toEqual(
    letter === undefined ? [400, undefined] : [200, { network: 'testnet', letter }],
  )
})

it('blocks of a node are those from the one second to the other, both included', async () => {
  await get(`${P}/nodes/${node('1')}/blocks?startTimestamp=5&endTimestamp=9`)
  expect(asked.at(-1)).toMatchObject({ from: 5n, to: 9n, nodeId: '1'.repeat(40) })
})
