import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createDerivedAddresses } from '../../../../src/chains/avalanche/keys/derived-addresses.ts'
import type { WalletAccount } from '../../../../src/chains/capabilities.ts'
import { formatBech32Address } from '../../../../src/lib/bytes/bech32-address.ts'
import { gate } from '../../../support/waiting/gate.ts'
import { CHAIN_IDS, secpUtxo, stakerOf } from '../ledger-data.ts'
import { context, natives, useLedger } from '../ledger-sources.ts'

/*
 * A wallet with an extended key and single addresses: whatever is on its way between them, its number is that of one
 * state of the chain.
 */
const KEY =
  'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952BbNpDTBqiv6TvCTbTUwnjdzMVRruBp6TbVutVN2xY8aEopGtwroK6HEooK'
const SINGLE = '11'.repeat(20)
const derived = createDerivedAddresses()
const at = async (index: number) => (await derived.range(KEY, 0, index, index + 1, 'fuji'))[0]?.hex as string

const { node, put, sources, count } = useLedger()

const mixed = (hex = SINGLE, id = 'w'): WalletAccount => ({
  id,
  addresses: [formatBech32Address(Buffer.from(hex, 'hex'), 'fuji')],
  extendedPublicKeys: [KEY],
  filterOutDust: false,
})

type Side = 'P' | 'X'
const METHODS = { P: 'platform.getUTXOs', X: 'avm.getUTXOs' } as const
const read = async (side: Side, account = mixed()) => {
  const { pvm, avm } = sources()
  return natives(await (side === 'P' ? pvm : avm).readBalances([account], context()))
}

/** What a memory holds from the n-th question about it on; the chain goes on by a block with it. */
function changeBefore(side: Side, question: number, utxos: readonly string[]) {
  let asked = 0
  node().before = (call) => {
    if (call.method !== METHODS[side] || call.params['sourceChain']) return undefined
    asked += 1
    if (asked !== question) return undefined
    node().ledger.heights[side] += 1
    node().ledger.memories.set(side, [...utxos])
    node().reindex()
    return undefined
  }
}

describe.each(['P', 'X'] as const)('a coin on its way on %s', (side) => {
  test.each([1, 2, 3])('between key and address counts once, whenever it moves (%i)', async (question) => {
    const ofKey = secpUtxo(await at(3), 7n)
    const ofAddress = secpUtxo(SINGLE, 7n)
    const stays = [secpUtxo(await at(5), 10n), secpUtxo(SINGLE, 100n)]
    for (const [from, to] of [
      [ofKey, ofAddress],
      [ofAddress, ofKey],
    ] as const) {
      node().ledger.memories.set(side, [])
      put(side, from, ...stays)
      changeBefore(side, question, [to, ...stays])
      expect(await read(side)).toEqual({ w: 117n })
    }
  })

  test.each([2, 3, 4])(
    'between key and address counts once also where the key takes several windows (%i)',
    async (question) => {
      const deep = [secpUtxo(await at(120), 10n), secpUtxo(await at(600), 20n)]
      const ofKey = secpUtxo(await at(300), 7n)
      const ofAddress = secpUtxo(SINGLE, 7n)
      for (const [from, to] of [
        [ofKey, ofAddress],
        [ofAddress, ofKey],
      ] as const) {
        node().ledger.memories.set(side, [])
        put(side, from, ...deep, secpUtxo(await at(500), 1n))
        changeBefore(side, question, [to, ...deep, secpUtxo(await at(500), 1n)])
        expect(await read(side)).toEqual({ w: 38n })
      }
    },
  )
})

test.each([1, 2, 3, 4])(
  'a coin that key and address only spend together counts once while it is imported from C (%i)',
  async (question) => {
    const together = [await at(3), SINGLE].sort()
    const coin = secpUtxo(together, 7n, { threshold: 2 })
    const stays = [secpUtxo(await at(5), 10n), secpUtxo(SINGLE, 100n)]
    const balances = async () => (await sources().pvm.readBalances([mixed()], context())).get('w')
    put('P', ...stays)
    put('P←C', coin)
    const before = await balances()
    let [asked, waiting] = [0, 0]
    const told = gate()
    node().before = async ({ method, params }) => {
      if (method === METHODS.P && params['sourceChain'] === 'C' && ++waiting === question) told.open()
      if (method !== METHODS.P || params['sourceChain'] !== undefined || ++asked !== question) return undefined
      // What waits has been told by then.
      await told.opened
      await setImmediate()
      node().ledger.heights.P += 1
      node().ledger.memories.delete('P←C')
      put('P', coin)
      return undefined
    }
    const moving = await balances()
    node().before = () => undefined
    const after = asked < question ? before : await balances()
    expect(before).toMatchObject({ value: { native: 110n, atomicMemoryUnlocked: { [CHAIN_IDS.C]: 7n } } })
    if (asked >= question) expect(after).toMatchObject({ value: { native: 117n, unlockedUnstakedMultiSig: 7n } })
    expect([before, after]).toContainEqual(moving)
  },
)

describe('while nothing moves', () => {
  test('an address beside a key costs no question of its own', async () => {
    put('P', secpUtxo(SINGLE, 1n), secpUtxo(await at(0), 10n))
    put('X', secpUtxo(SINGLE, 2n), secpUtxo(await at(0), 20n))
    const { pvm, avm } = sources()
    const [p, x] = await Promise.all([pvm.readBalances([mixed()], context()), avm.readBalances([mixed()], context())])
    expect([natives(p), natives(x)]).toEqual([{ w: 11n }, { w: 22n }])
    const asked = ['platform.getUTXOs', 'platform.getStake', 'platform.getHeight', 'avm.getUTXOs', 'avm.getHeight']
    // 257 addresses: getStake takes 256, so that P is compared with itself.
    expect(asked.map(count)).toEqual([3, 2, 2, 3, 0])
  })

  test('an address that the key has anyway costs no question of its own either', async () => {
    put('P', secpUtxo(await at(0), 10n))
    expect(await read('P', mixed(await at(0)))).toEqual({ w: 10n })
    const asked = ['platform.getUTXOs', 'platform.getStake', 'platform.getHeight', 'avm.getUTXOs', 'avm.getHeight']
    // Outputs and stakes of P twice, as what is new is.
    expect(asked.map(count)).toEqual([4, 2, 0, 3, 0])
  })

  test('of two wallets with one key in one request, dust is left out of that one only which says so, not where it is staked or waits', async () => {
    const owner = await at(2)
    put('P', secpUtxo(owner, 1_999_999n), secpUtxo(owner, 2_000_000n), secpUtxo(SINGLE, 5n))
    put('P←X', secpUtxo(owner, 3n))
    node().ledger.stakers.push(stakerOf({ endTime: 5_000, outputs: [{ owners: [owner], amount: 7n }] }))
    const accounts = [mixed(SINGLE, 'all'), { ...mixed(SINGLE, 'clean'), filterOutDust: true }]
    const outcomes = await sources().pvm.readBalances(accounts, context())
    expect(natives(outcomes)).toEqual({ all: 4_000_011n, clean: 2_000_007n })
    for (const outcome of outcomes.values())
      expect(outcome).toMatchObject({ value: { unlockedStaked: 7n, atomicMemoryUnlocked: { [CHAIN_IDS.X]: 3n } } })
  })

  test('neighbours keep what is theirs, whoever shares keys, addresses and coins', async () => {
    const [own, far] = [await at(2), await at(200)]
    put('P', secpUtxo(own, 1n), secpUtxo(SINGLE, 10n), secpUtxo([own, SINGLE].sort(), 100n), secpUtxo(far, 1_000n))
    put('P', secpUtxo(await at(100), 10_000n))
    node().ledger.stakers.push(
      stakerOf({ endTime: 5_000, outputs: [{ owners: [far, SINGLE].sort(), amount: 100_000n }] }),
    )
    const plain = (id: string, keys: string[], ...hexes: string[]): WalletAccount => ({
      ...mixed(SINGLE, id),
      extendedPublicKeys: keys,
      addresses: hexes.map((hex) => formatBech32Address(Buffer.from(hex, 'hex'), 'fuji')),
    })
    const outcomes = await sources().pvm.readBalances(
      [
        mixed(SINGLE, 'mixed'),
        plain('key', [KEY]),
        plain('address', [], SINGLE),
        // Given, and found again by the second window of the key.
        plain('twice', [KEY], far, own),
        plain('both', [], own, far),
      ],
      context(),
    )
    expect(natives(outcomes)).toEqual({
      mixed: 111_111n,
      key: 111_101n,
      address: 100_110n,
      twice: 111_101n,
      both: 101_101n,
    })
  })
})
