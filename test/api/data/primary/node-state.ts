import { expect, it } from 'vitest'
import { recordedJson, recordedLines } from '../../../support/recorded/recordings.ts'
import { type TrueUtxo, trueUtxos } from '../../../support/recorded/true-utxos.ts'
import type { IndexedServer } from '../indexed-server.ts'
import { LETTERS, type Letter, placeOf } from '../recorded-truth.ts'
import { type Balances, balancesOf } from './balances.ts'

/** Amounts by asset. */
type Amounts = Record<string, string>
interface PlatformRow {
  balance: { unlockeds: Amounts; lockedStakeables: Amounts; lockedNotStakeables: Amounts }
  stake: { stakeds: Amounts }
}
interface ExchangeRow {
  balances: { asset: string; balance: string }[] | { balances: { asset: string; balance: string }[] }
}
/** What the node said about an address; hex UTXOs by the chain that exported them. */
type NodeRow = Partial<PlatformRow & ExchangeRow & Record<'atomicP' | 'atomicX' | 'atomicC' | 'utxos', string[]>>

interface Sample {
  chain: Letter
  at: string
  heights: Record<Letter, string>
  rows: Record<string, NodeRow>
}

const { keys, chains, avaxAssetID } = recordedJson<{
  keys: Record<string, { address: string }>
  chains: Record<Letter, string>
  avaxAssetID: string
}>('network')

const add = (sums: Record<string, bigint>, key: string, amount: bigint | string): void => {
  sums[key] = (sums[key] ?? 0n) + BigInt(amount)
  if (sums[key] === 0n) delete sums[key]
}

/** The node's words, as sums by category and asset. */
function said(letter: Letter, row: NodeRow, byBytes: ReadonlyMap<string, TrueUtxo>): Record<string, bigint> {
  const sums: Record<string, bigint> = {}
  const all = (category: string, amounts: Amounts = {}): void => {
    for (const [asset, amount] of Object.entries(amounts)) add(sums, `${category}/${asset}`, amount)
  }
  if (letter === 'P') {
    all('unlockedUnstaked', row.balance?.unlockeds)
    all('lockedStakeable', row.balance?.lockedStakeables)
    all('lockedPlatform', row.balance?.lockedNotStakeables)
    all('staked', row.stake?.stakeds)
  }
  const { balances = [] } = row
  for (const { asset, balance } of Array.isArray(balances) ? balances : balances.balances)
    add(sums, `unlocked/${asset === 'AVAX' ? avaxAssetID : asset}`, balance)
  for (const from of LETTERS) {
    for (const bytes of row[`atomic${from}`] ?? []) {
      const utxo = byBytes.get(bytes)
      if (!utxo) throw new Error(`an unknown output: ${bytes}`)
      if (utxo.amount !== null) add(sums, `atomic/${from}/${utxo.assetId}`, utxo.amount)
    }
  }
  return sums
}

/** The answer as such sums. `shared`: on X a node counts no outputs of several owners, and none that is locked. */
function answered(letter: Letter, balances: Balances, shared: readonly TrueUtxo[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {}
  for (const [category, amounts] of Object.entries(balances)) {
    for (const [key, amount] of Object.entries(amounts)) {
      if (typeof amount === 'object') {
        for (const [asset, part] of Object.entries(amount as Amounts)) add(sums, `atomic/${key}/${asset}`, part)
      } else if (letter === 'P')
        add(sums, `${category.endsWith('Staked') ? 'staked' : category}/${key}`, String(amount))
      else if (category === 'unlocked') add(sums, `unlocked/${key}`, String(amount))
    }
  }
  if (letter === 'X') for (const { assetId, amount } of shared) add(sums, `unlocked/${assetId}`, -BigInt(amount ?? 0))
  return sums
}

const sharedAt = (utxos: readonly TrueUtxo[], address: string, time: number): TrueUtxo[] =>
  utxos.filter(
    ({ createdOnChain, consumableOnChain, addresses, locktime, createdAtTime, consumedAtTime }) =>
      createdOnChain === 'X' &&
      consumableOnChain === 'X' &&
      addresses.length > 1 &&
      addresses.includes(address) &&
      locktime <= time &&
      createdAtTime <= time &&
      (consumedAtTime ?? Number.POSITIVE_INFINITY) > time,
  )

/** Everything that the node said of every address at the end: its outputs one by one, balances, stake. */
export function checkAddressState(server: () => IndexedServer): void {
  const states = recordedLines<{ address: string } & Record<Letter, NodeRow>>('address-state')
  const utxos = trueUtxos()
  const byBytes = new Map(utxos.map((utxo) => [utxo.utxoBytes, utxo]))
  const end = recordedJson<{ time: number }>('final-state').time

  it.each(LETTERS)('%s: outputs and balances of every address as the node had them at the end', async (letter) => {
    expect(states.length).toBeGreaterThan(100)
    for (const { address, [letter]: row } of states) {
      const found: Record<string, string[]> = { utxos: [], atomicP: [], atomicX: [], atomicC: [] }
      let token = ''
      do {
        const path = `${placeOf(letter)}/utxos?pageSize=1024&pageToken=${token}`
        const { body } = await server().post(path, { addresses: address })
        for (const utxo of body.utxos as Record<string, string>[]) {
          if (utxo['staked'] || utxo['consumedOnChainId'] !== chains[letter]) continue
          const from = LETTERS.find((one) => chains[one] === utxo['createdOnChainId'])
          found[from === letter ? 'utxos' : `atomic${from}`]?.push(utxo['utxoBytes'] ?? '')
        }
        token = body.nextPageToken ?? ''
      } while (token !== '')
      for (const [name, bytes] of Object.entries(found))
        expect(bytes.sort(), `${name} of ${address}`).toEqual([...(row[name as 'utxos'] ?? [])].sort())
      expect(answered(letter, await balancesOf(server(), letter, address, end), sharedAt(utxos, address, end))).toEqual(
        said(letter, row, byBytes),
      )
    }
  })
}

/**
 * The samples that a node was asked for over an hour, against balances at a past time. For servers that count what was
 * created in the very second, as a node does.
 */
export function checkBalanceSamples(server: () => IndexedServer): void {
  const utxos = trueUtxos()
  const byBytes = new Map(utxos.map((utxo) => [utxo.utxoBytes, utxo]))
  const times = blockTimes()

  it.each(LETTERS)('%s: balances at the moments at which a node was asked', async (letter) => {
    const samples = recordedLines<Sample>('balance-samples').filter(({ chain }) => chain === letter)
    const moments = samples.flatMap(({ heights, at, rows }) => {
      const time = momentOf(times, at, heights)
      return time === undefined ? [] : [{ time, at, rows }]
    })
    expect(moments.length).toBeGreaterThan(samples.length * 0.9)
    const rowAt = (i: number, key: string): string => JSON.stringify(moments[i]?.rows[key])
    for (const [i, { time, at, rows }] of moments.entries()) {
      // What does not move for minutes is asked for at both ends of that time.
      const asked = Object.entries(rows).filter(
        ([key]) => rowAt(i, key) !== rowAt(i - 1, key) || rowAt(i, key) !== rowAt(i + 1, key),
      )
      await Promise.all(
        asked.map(async ([key, row]) => {
          const address = keys[key]?.address ?? ''
          const balances = await balancesOf(server(), letter, address, time)
          const found = answered(letter, balances, sharedAt(utxos, address, time))
          expect(found, `${address} at ${time} (${at})`).toEqual(said(letter, row, byBytes))
        }),
      )
    }
  })
}

/** Unix seconds of every block by chain and height. */
function blockTimes(): Record<Letter, Map<number, number>> {
  const times: Record<Letter, Map<number, number>> = { P: new Map(), X: new Map(), C: new Map() }
  for (const { chain, height, timestamp } of recordedLines<{ chain: Letter; height: number; timestamp: number }>(
    'truth/blocks',
  ))
    times[chain].set(height, timestamp)
  return times
}

/**
 * A second at which all three chains stand where they stood in the sample: the one when it was taken, or the nearest.
 * Undefined when two blocks of one second lie around it, for which there is no question.
 */
function momentOf(
  times: Record<Letter, Map<number, number>>,
  at: string,
  heights: Sample['heights'],
): number | undefined {
  let time = Math.floor(Date.parse(at) / 1000)
  for (const letter of LETTERS) time = Math.max(time, times[letter].get(Number(heights[letter])) ?? 0)
  for (const letter of LETTERS) {
    const next = times[letter].get(Number(heights[letter]) + 1) ?? Number.POSITIVE_INFINITY
    if (time >= next) time = next - 1
  }
  return LETTERS.every((letter) => (times[letter].get(Number(heights[letter])) ?? 0) <= time) ? time : undefined
}
