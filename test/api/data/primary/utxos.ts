import { expect, it } from 'vitest'
import { recordedJson } from '../../../support/recorded/recordings.ts'
import { type TrueUtxo, trueUtxos } from '../../../support/recorded/true-utxos.ts'
import type { DataAnswer, IndexedServer } from '../indexed-server.ts'
import { everyAddress, isStaked, LETTERS, type Letter, placeOf } from '../recorded-truth.ts'

type Item = Record<string, unknown> & { utxoId: string; asset: { amount: string } }

const { chains } = recordedJson<{ chains: Record<Letter, string> }>('network')

const amountOf = (utxo: TrueUtxo): string => utxo.amount ?? '0'

/** All that the truth knows of a UTXO, in the words of a P-chain list. */
function onPlatform(utxo: TrueUtxo): Record<string, unknown> {
  const staked = isStaked(utxo)
  const native = utxo.createdOnChain === utxo.consumableOnChain
  return {
    ...common(utxo),
    amount: amountOf(utxo),
    assetId: utxo.assetId,
    txHash: utxo.txHash,
    outputIndex: utxo.outputIndex,
    blockTimestamp: utxo.createdAtTime,
    blockNumber: String(utxo.rewardTxHeight ?? utxo.createdAtHeight),
    ...(utxo.consumedBy === null
      ? {}
      : {
          consumingTxHash: utxo.consumedBy,
          consumingBlockTimestamp: utxo.consumedAtTime,
          consumingBlockNumber: String(utxo.consumedAtHeight),
        }),
    ...(native || utxo.locktime > 0 ? { platformLocktime: utxo.locktime } : {}),
    ...(utxo.stakeableLocktime === null ? {} : { stakeableLocktime: utxo.stakeableLocktime }),
    ...(staked ? { staked: true, utxoStartTimestamp: utxo.staking?.start, utxoEndTimestamp: utxo.staking?.end } : {}),
    utxoType: utxo.stakeableLocktime === null ? 'TRANSFER' : 'STAKE',
  }
}

/** The same in the words of X- and C-chain lists. */
function onExchange(utxo: TrueUtxo): Record<string, unknown> {
  return {
    ...common(utxo),
    creationTxHash: utxo.txHash,
    outputIndex: String(utxo.outputIndex),
    timestamp: utxo.createdAtTime,
    ...(utxo.consumedBy === null
      ? {}
      : { consumingTxHash: utxo.consumedBy, consumingTxTimestamp: utxo.consumedAtTime }),
    locktime: utxo.locktime,
  }
}

const common = (utxo: TrueUtxo) => ({
  utxoId: utxo.utxoId,
  addresses: [...utxo.addresses].sort(),
  utxoBytes: utxo.utxoBytes,
  threshold: utxo.threshold,
  createdOnChainId: chains[utxo.createdOnChain],
  consumedOnChainId: chains[utxo.consumableOnChain],
})

const scope = (letter: Letter, utxos: readonly TrueUtxo[]): TrueUtxo[] =>
  utxos.filter((utxo) => utxo.addresses.length > 0 && [utxo.createdOnChain, utxo.consumableOnChain].includes(letter))

/** Every page; each but the last must be full. */
async function allPages(ask: (token: string) => Promise<DataAnswer>, pageSize: number): Promise<Item[]> {
  const found: Item[] = []
  let token = ''
  do {
    const { status, body } = await ask(token)
    expect(status, JSON.stringify(body)).toBe(200)
    found.push(...(body.utxos as Item[]))
    token = body.nextPageToken ?? ''
    if (token !== '') expect(body.utxos).toHaveLength(pageSize)
  } while (token !== '')
  return found
}

function expectSorted(items: readonly Item[], sortBy: string, order: string): void {
  const values = items.map((item) =>
    BigInt(sortBy === 'amount' ? item.asset.amount : Number(item['timestamp'] ?? item['blockTimestamp'])),
  )
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  expect(values).toEqual(order === 'asc' ? sorted : sorted.reverse())
}

const byId = (items: readonly Record<string, unknown>[]) =>
  [...items].sort((a, b) => (String(a['utxoId']) < String(b['utxoId']) ? -1 : 1))

const SORTS = ['timestamp', 'amount'].flatMap((by) => ['asc', 'desc'].map((order) => [by, order] as const))

export function checkUtxos(server: () => IndexedServer): void {
  const utxos = trueUtxos()
  const addresses = everyAddress(utxos)

  it.each(LETTERS)('%s: everything of every address, spent or not, member by member', async (letter) => {
    const present = letter === 'P' ? onPlatform : onExchange
    for (const includeSpent of [true, false]) {
      const expected = scope(letter, utxos).filter((utxo) => includeSpent || utxo.consumedBy === null)
      const found = await allPages(
        (token) =>
          server().post(`${placeOf(letter)}/utxos?pageSize=1024&includeSpent=${includeSpent}&pageToken=${token}`, {
            addresses: addresses.join(','),
          }),
        1024,
      )
      expect(found).toHaveLength(expected.length)
      const members = new Set(expected.flatMap((utxo) => Object.keys(present(utxo))))
      const told = found.map((item) => ({
        ...Object.fromEntries(Object.entries(item).filter(([name]) => members.has(name))),
        addresses: [...(item['addresses'] as string[])].sort(),
      }))
      expect(byId(told)).toEqual(byId(expected.map(present)))
      const amounts = new Map(expected.map((utxo) => [utxo.utxoId, { amount: amountOf(utxo), assetId: utxo.assetId }]))
      for (const { utxoId, asset } of found) expect(asset).toMatchObject(amounts.get(utxoId) ?? {})
    }
  })

  it.each(LETTERS)('%s: every order, GET with small pages as POST with large ones', async (letter) => {
    // The 20 addresses with least keep the number of small pages low, one with a thousand crosses pages.
    const few = addresses.slice(0, 20)
    for (const [sortBy, sortOrder] of SORTS) {
      const order = `sortBy=${sortBy}&sortOrder=${sortOrder}&includeSpent=true`
      const get = await allPages(
        (token) =>
          server().get(`${placeOf(letter)}/utxos?${order}&pageSize=100&pageToken=${token}&addresses=${few.join(',')}`),
        100,
      )
      const post = await allPages(
        (token) =>
          server().post(`${placeOf(letter)}/utxos?${order}&pageSize=1024&pageToken=${token}`, { addresses: few }),
        1024,
      )
      expect(get).toEqual(post)
      expectSorted(get, sortBy, sortOrder)
      expect(new Set(get.map(({ utxoId }) => utxoId)).size).toBe(get.length)
    }
  })

  it('filters by amount, from that amount on, and on X by asset', async () => {
    const owner = addresses.join(',')
    const list = (letter: Letter, query: string) =>
      allPages(
        (token) =>
          server().post(`${placeOf(letter)}/utxos?${query}&pageSize=1024&pageToken=${token}`, { addresses: owner }),
        1024,
      )
    const live = (letter: Letter) => scope(letter, utxos).filter(({ consumedBy }) => consumedBy === null)
    const ids = (items: readonly { utxoId: string }[]) => items.map(({ utxoId }) => utxoId).sort()
    const dust = live('P').filter(({ amount }) => BigInt(amount ?? 0) >= 2_000_000n)
    expect(dust.some(({ amount }) => amount === '2000000')).toBe(true)
    expect(ids(await list('P', 'minUtxoAmount=2000000'))).toEqual(ids(dust))
    const { avaxAssetID } = recordedJson<{ avaxAssetID: string }>('network')
    const other = live('X').find(({ assetId }) => assetId !== avaxAssetID)?.assetId
    const ofOther = live('X').filter(({ assetId }) => assetId === other)
    expect(ids(await list('X', `assetId=${other}`))).toEqual(ids(ofOther))
    expect(await list('P', `assetId=${other}`)).toHaveLength(live('P').length)
  })
  it('compares amounts beyond 2^53 exactly, and refuses what no number is', async () => {
    const live = scope('X', utxos).filter(({ consumedBy }) => consumedBy === null)
    // Between these values doubles are two apart.
    const large = live.find(({ amount }) => BigInt(amount ?? 0) === 10_000_000_000_000_000n)
    const owner = large?.addresses[0]
    const from = async (least: string) => {
      const path = `${placeOf('X')}/utxos?sortBy=amount&pageSize=100&addresses=${owner}&minUtxoAmount=${least}`
      const { status, body } = await server().get(path)
      return [status, status === 200 && body.utxos.some(({ utxoId }: Item) => utxoId === large?.utxoId)]
    }
    expect(await from('10000000000000000')).toEqual([200, true])
    expect(await from('10000000000000001')).toEqual([200, false])
    expect(await from('10000000000000000.0')).toEqual([200, true])
    expect(await from('10000000000000000.1')).toEqual([200, false])
    expect(await from('%2B10000000000000001')).toEqual([200, false])
    expect(await from('0.5')).toEqual([200, true])
    for (const none of ['Infinity', '1e400', 'NaN', '-1', '']) expect(await from(none)).toEqual([400, false])
  })

  it.each(['constructor', '__proto__', 'toString', 'P'])('no chain: %s', async (name) => {
    const { status, body } = await server().get(`/v1/networks/fuji/blockchains/${name}/blocks/0`)
    expect([status, body.error]).toEqual([400, 'Bad Request'])
  })
}
