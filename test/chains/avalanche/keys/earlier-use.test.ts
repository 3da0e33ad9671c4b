import { expect, test } from 'vitest'
import { createAvalancheNetwork, createPvmBalanceSource } from '../../../../src/chains/avalanche/index.ts'
import { createDerivedAddresses } from '../../../../src/chains/avalanche/keys/derived-addresses.ts'
import { createEarlierUse, type EverUsed } from '../../../../src/chains/avalanche/keys/earlier-use.ts'
import { createKeyScanner } from '../../../../src/chains/avalanche/keys/key-scanner.ts'
import type { LastUsed } from '../../../../src/chains/avalanche/keys/scan-progress.ts'
import { AVALANCHE_CAIP2 } from '../../../../src/chains/avalanche/references.ts'
import { nextTurn } from '../../../../src/lib/waiting/next-turn.ts'
import { KEYS } from '../../../services/balances/money/holders.ts'
import { gate } from '../../../support/waiting/gate.ts'
import { secpUtxo } from '../ledger-data.ts'
import { context, NOW, useLedger } from '../ledger-sources.ts'

const KEY =
  'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952BbNpDTBqiv6TvCTbTUwnjdzMVRruBp6TbVutVN2xY8aEopGtwroK6HEooK'
const derived = createDerivedAddresses()
const at = async (branch: 0 | 1, index: number): Promise<string> => {
  const [address] = await derived.range(KEY, branch, index, index + 1, 'fuji')
  if (!address) throw new Error('no address')
  return address.hex
}
const every = (step: number, last: number): number[] => Array.from({ length: 1 + last / step }, (_, n) => n * step)

const { pool, put } = useLedger()

/** A wallet that used no address twice: what it has is behind hundreds that it has emptied. */
async function stage(everUsed?: (used: ReadonlySet<string>) => EverUsed) {
  put('P', secpUtxo(await at(0, 1_000), 1n), secpUtxo(await at(1, 180), 10n))
  const used = new Set(
    await Promise.all([
      ...every(50, 1_000).map((index) => at(0, index)),
      ...every(45, 180).map((index) => at(1, index)),
    ]),
  )
  const network = createAvalancheNetwork({ pool: pool() })
  const keys = createKeyScanner({ network, gap: 50, everUsed: everUsed?.(used) })
  const source = createPvmBalanceSource({ network, keys, now: () => NOW, caip2Id: AVALANCHE_CAIP2.testnet.P })
  const wallet = { id: 'w', addresses: [], extendedPublicKeys: [KEY], filterOutDust: false }
  return async (call = context()): Promise<bigint> => {
    const outcome = (await source.readBalances([wallet], call)).get('w')
    if (!outcome?.ok) throw outcome?.error ?? new Error('no answer')
    return outcome.value.native
  }
}

test('addresses that were emptied do not end the scan of a key where an own index knows them', async () => {
  let asked = 0
  const native = await stage((used) => async (addresses) => {
    asked += 1
    return addresses.some((hex) => used.has(hex))
  })
  // A busy machine may take longer than an index is waited for.
  await expect.poll(native).toBe(11n)
  const first = asked
  expect(await native()).toBe(11n)
  expect([first > 0, asked]).toEqual([true, first])
})

test.each<[string, ((used: ReadonlySet<string>) => EverUsed) | undefined]>([
  ['without an index', undefined],
  ['with one that cannot be read', () => () => Promise.reject(new Error('no database'))],
  ['with one that knows of none', () => async () => false],
])('the scan goes by what the node has %s', async (_, everUsed) => {
  expect(await (await stage(everUsed))()).toBe(0n)
})

test('an index that is busy holds up the first scan only, and not for long', async () => {
  const busy = gate()
  let asked = 0
  const native = await stage((used) => async (addresses) => {
    asked += 1
    await busy.opened
    return addresses.some((hex) => used.has(hex))
  })
  expect(await native()).toBe(0n)
  expect(await native()).toBe(0n)
  // Of each branch, and not again by the second scan.
  expect(asked).toBe(2)
  busy.open()
  await expect.poll(native).toBe(11n)
})

test('who leaves while the index is asked leaves the next reader no less', async () => {
  const leaving = new AbortController()
  const native = await stage((used) => async (addresses) => {
    leaving.abort()
    return addresses.some((hex) => used.has(hex))
  })
  await expect(native({ ...context(), signal: leaving.signal })).rejects.toThrow()
  await expect.poll(native).toBe(11n)
})

const many = [KEY, ...KEYS.map(({ texts: [text] }) => text)]

/** What is learned of keys, of each of which the first external address was used once. */
async function lessons(everUsed: (isUsed: boolean) => Promise<boolean>) {
  const known = new Map<string, LastUsed>()
  const firsts = (await Promise.all(many.map((key) => derived.range(key, 0, 0, 1, 'fuji')))).flat()
  const learn = createEarlierUse({
    derived,
    everUsed: async (addresses) => everUsed(firsts.some(({ hex }) => addresses.includes(hex))),
    gap: 50,
    known: (key) => known.get(key),
    found: (key, lastUsed) => void known.set(key, lastUsed),
    // A busy machine may take longer than an index is waited for.
    patienceMs: 60_000,
  })
  return { known, learn }
}

test('who comes while a key is looked up for a stranger does not go on without it', async () => {
  const busy = gate()
  const { known, learn } = await lessons(async (isUsed) => {
    await busy.opened
    return isUsed
  })
  const stranger = learn(many, 'fuji')
  const own = learn([KEY], 'fuji').then(() => known.get(KEY))
  busy.open()
  expect(await own).toEqual([0, -1])
  await stranger
})

test('keys whose turn had not come when their reader left are looked up for the next one', async () => {
  const leaving = new AbortController()
  const { known, learn } = await lessons(async (isUsed) => {
    leaving.abort()
    return isUsed
  })
  await learn(many, 'fuji', leaving.signal)
  // Until whatever he began has ended.
  for (let turn = 0; turn < 200; turn++) await nextTurn()
  await learn(many, 'fuji')
  expect(many.map((key) => known.get(key))).toEqual(many.map(() => [0, -1]))
})
