import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { recordedJson } from '../../../support/recorded/recordings.ts'
import { trueUtxos } from '../../../support/recorded/true-utxos.ts'
import type { IndexedServer } from '../indexed-server.ts'
import { everyAddress, isStaked, LETTERS, type Letter, placeOf } from '../recorded-truth.ts'

/** Category → asset → amount; in shared memory category → other chain → asset → amount. */
export type Balances = Record<string, Record<string, unknown>>
interface Moment {
  address: string
  time: number
  edge: boolean
  balances: Balances
  balancesCreatedStrictlyBefore?: Balances
}
interface Entry {
  assetId: string
  amount: string
  sharedWithChainId?: string
}

const CATEGORIES: Record<Letter, string[]> = {
  P: ['unlockedUnstaked', 'unlockedStaked', 'lockedPlatform', 'lockedStakeable', 'lockedStaked', 'pendingStaked'],
  X: ['locked', 'unlocked'],
  C: [],
}
const SHARED = ['atomicMemoryUnlocked', 'atomicMemoryLocked']

const ids = recordedJson<{ chains: Record<Letter, string>; recordedAt: string }>('network')
/** Every lock that was ahead then outlasts the stake that it is on; what is left of it now decides nothing. */
const RECORDED_AT = Date.parse(ids.recordedAt) / 1000
const letterOf = (id: string): Letter => {
  const letter = LETTERS.find((one) => ids.chains[one] === id)
  if (!letter) throw new Error(`no chain ${id}`)
  return letter
}

function told(letter: Letter, balances: Record<string, Entry[]>): Balances {
  expect(Object.keys(balances).sort()).toEqual([...CATEGORIES[letter], ...SHARED].sort())
  const found: Balances = {}
  for (const [category, entries] of Object.entries(balances)) {
    for (const { assetId, amount, sharedWithChainId } of entries) {
      const of = found[category] ?? {}
      found[category] = of
      if (sharedWithChainId === undefined) of[assetId] = amount
      else of[letterOf(sharedWithChainId)] = { ...(of[letterOf(sharedWithChainId)] as object), [assetId]: amount }
    }
  }
  return found
}

function counted(letter: Letter, balances: Balances): Balances {
  const found = Object.fromEntries(
    [...CATEGORIES[letter], ...SHARED].flatMap((name) => (balances[name] ? [[name, { ...balances[name] }]] : [])),
  )
  // The counting program keeps outputs of several owners apart; a node's balance has them in it.
  for (const [asset, amount] of Object.entries(balances['unlockedUnstakedMultiSig'] ?? {})) {
    const of = found['unlockedUnstaked'] ?? {}
    found['unlockedUnstaked'] = of
    of[asset] = (BigInt(String(of[asset] ?? '0')) + BigInt(String(amount))).toString()
  }
  return found
}

const moments = JSON.parse(
  gunzipSync(readFileSync(new URL('../../../fixtures/network/truth/balances-at.json.gz', import.meta.url))).toString(),
) as Record<Letter, Moment[]>

/** What an address owns at the end, summed from the true UTXOs. */
function ownedAtTheEnd(letter: Letter, address: string, now: number): Balances {
  const sums = new Map<string, bigint>()
  for (const utxo of trueUtxos()) {
    if (!utxo.addresses.includes(address) || utxo.amount === null) continue
    if (utxo.consumableOnChain !== letter || utxo.consumedAtHeight !== null) continue
    const locked = utxo.locktime > now
    const stakeable = (utxo.stakeableLocktime ?? 0) > now
    const plain = letter === 'X' ? (locked ? 'locked' : 'unlocked') : locked ? 'lockedPlatform' : 'unlockedUnstaked'
    const category = utxo.sharedMemory
      ? `${locked ? 'atomicMemoryLocked' : 'atomicMemoryUnlocked'}/${utxo.createdOnChain}`
      : isStaked(utxo)
        ? Math.max(utxo.locktime, utxo.stakeableLocktime ?? 0) > RECORDED_AT
          ? 'lockedStaked'
          : 'unlockedStaked'
        : !locked && stakeable
          ? 'lockedStakeable'
          : plain
    const key = `${category}/${utxo.assetId}`
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(utxo.amount))
  }
  const found: Balances = {}
  for (const [key, amount] of sums) {
    if (amount === 0n) continue
    const [category = '', second = '', third] = key.split('/')
    const of = found[category] ?? {}
    found[category] = of
    if (third === undefined) of[second] = amount.toString()
    else of[second] = { ...(of[second] as object), [third]: amount.toString() }
  }
  return found
}

export async function balancesOf(
  server: IndexedServer,
  letter: Letter,
  address: string,
  at?: number,
): Promise<Balances> {
  const time = at === undefined ? '' : `&blockTimestamp=${at}`
  const { status, body } = await server.get(`${placeOf(letter)}/balances?addresses=${address}${time}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return told(letter, body.balances)
}

export function checkBalancesNow(server: () => IndexedServer): void {
  it.each(LETTERS)('%s: balances now of every address', async (letter) => {
    const now = Math.floor(Date.now() / 1000)
    const addresses = everyAddress(trueUtxos())
    expect(addresses.length).toBeGreaterThan(100)
    for (const address of addresses) {
      expect(await balancesOf(server(), letter, address), address).toEqual(ownedAtTheEnd(letter, address, now))
    }
  })
}

/** `strict` leaves out what was created in the very second that is asked for. */
export function checkBalancesAt(server: () => IndexedServer, edge: 'strict' | 'inclusive'): void {
  it.each(LETTERS)(`%s: balances at 200 moments (${edge})`, async (letter) => {
    for (const moment of moments[letter]) {
      const { address, time, balances, balancesCreatedStrictlyBefore } = moment
      const expected = edge === 'strict' ? (balancesCreatedStrictlyBefore ?? balances) : balances
      expect(await balancesOf(server(), letter, address, time), `${address} at ${time}`).toEqual(
        counted(letter, expected),
      )
    }
  })
}
