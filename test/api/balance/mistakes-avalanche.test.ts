import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { formatBech32Address, parseBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { expectedAvm, type Moment } from '../../chains/avalanche/expected-balances.ts'
import { emptyLedger, secpUtxo, stakerOf } from '../../chains/avalanche/ledger-data.ts'
import { type LedgerNode, startLedgerNode } from '../../chains/avalanche/ledger-node.ts'
import { hex, text } from '../../chains/avalanche/ledger-sources.ts'
import { network, truthUtxos } from '../../chains/avalanche/recorded-truth.ts'
import { type SandboxAvalanche, startSandboxAvalanche } from '../../sandbox/avalanche-network.ts'
import { ask as askServer, type WireItem } from '../../support/balances/balance-api.ts'
import { recordedJson } from '../../support/recorded/recordings.ts'
import { createStage, type Stage } from '../../support/server/stage.ts'

/** What a naive server gets wrong, by the numbers under which the field knows it: X, P and C. */

const P = 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'
const X = '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'
const C = 'YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd'
const stage = createStage()
let recorded: SandboxAvalanche
let ledger: LedgerNode
let url: string
let ledgerUrl: string
let moment: Moment

const serve = async (on: Stage, nodeUrl: string) =>
  (await on.serve({ chains: { avalanche: { testnet: { name: 'N', upstreams: [{ url: nodeUrl }] } } } })).url
beforeAll(async () => {
  // Its locks end some weeks after it was recorded.
  const clock = Date.now.bind(Date)
  const ahead = clock() - Date.parse(recordedJson<{ recordedAt: string }>('network').recordedAt)
  vi.spyOn(Date, 'now').mockImplementation(() => clock() - ahead)
  recorded = await startSandboxAvalanche()
  moment = { heights: recorded.node.heights(), now: Math.floor(Date.now() / 1000) }
  url = await serve(stage, recorded.url)
})
beforeEach(async () => {
  const ownStage = createStage()
  ledger = await startLedgerNode(emptyLedger())
  ledgerUrl = await serve(ownStage, ledger.url)
  return async () => {
    await ownStage.clear()
    await ledger.close()
  }
})
afterAll(async () => {
  await stage.clear()
  await recorded?.stop()
  vi.restoreAllMocks()
})

interface Wallet {
  id: string
  addresses: string[]
}
const own = (address: string): Wallet => ({ id: address, addresses: [address] })
const xp = (wallets: Wallet[], rest: object = {}) => ({
  namespace: 'avax',
  references: [P, X],
  addressDetails: wallets,
  ...rest,
})
const atomic = (wallets: Wallet[]) => ({ namespace: 'avax', references: [C], addressDetails: wallets })
const ask = async (at: string, ...data: object[]): Promise<WireItem[]> => {
  const items = await askServer(at, { data })
  expect(items.filter(({ error }) => error !== null)).toEqual([])
  return items
}
const itemOf = (items: readonly WireItem[], networkType: string, id?: string): WireItem => {
  const found = items.filter((item) => item.networkType === networkType && (id === undefined || item.id === id))
  expect(found).toHaveLength(1)
  return found[0] as WireItem
}
const nativeOf = (item: WireItem): bigint => BigInt(item.balances.nativeTokenBalance.balance)
const categoriesOf = (item: WireItem) => item.balances.categories
const holder = (has: string): string => {
  const wallet = recorded.wallets.find((one) => (one.has as string[]).includes(has))
  if (!wallet) throw new Error(`nobody has ${has}`)
  return wallet.address
}
const sum = (amounts: Iterable<string | bigint>): bigint =>
  [...amounts].reduce<bigint>((all, one) => all + BigInt(one), 0n)
interface Asset {
  type: string
  balance: string
}
const avaxIn = (lists: Record<string, Asset[]> | Asset[]): bigint =>
  sum(
    [lists]
      .flat()
      .flatMap((part) => ('balance' in part ? [part as Asset] : Object.values(part).flat()))
      .filter(({ type }) => type === 'native')
      .map(({ balance }) => balance),
  )
const put = (memory: string, ...utxos: string[]): void => {
  ledger.ledger.memories.set(memory, utxos)
  ledger.reindex()
}

describe('does not make the mistake', () => {
  it('10: several items for one id, or its addresses counted twice', async () => {
    put('P', secpUtxo(hex(1), 3_000_000n), secpUtxo(hex(2), 5_000_000n), secpUtxo([hex(1), hex(2)], 7_000_000n))
    const wallets = [
      { id: 'one', addresses: [text(1)] },
      { id: 'one', addresses: [text(2), text(1)] },
    ]
    const items = await ask(ledgerUrl, xp(wallets), xp([{ id: 'one', addresses: [text(1), text(3)] }]))
    expect(items).toHaveLength(2)
    expect(nativeOf(itemOf(items, 'pvm', 'one'))).toBe(15_000_000n)
  })

  it('11: a category left out because it is empty', async () => {
    const items = await ask(ledgerUrl, xp([own(text(1))]), atomic([own(text(1))]))
    const maps = { atomicMemoryUnlocked: {}, atomicMemoryLocked: {} }
    expect(categoriesOf(itemOf(items, 'avm'))).toEqual({ unlocked: [], locked: [], ...maps })
    expect(categoriesOf(itemOf(items, 'coreth'))).toEqual(maps)
    expect(categoriesOf(itemOf(items, 'pvm'))).toEqual({
      ...{ unlockedStaked: '0', unlockedUnstaked: '0', unlockedUnstakedMultiSig: '0', restakedRewards: '0' },
      ...{ lockedStaked: '0', lockedPlatform: '0', lockedStakeable: '0' },
      ...maps,
    })
  })

  it('13: natives without the name under which wallets know the price', async () => {
    const items = await ask(url, xp([own(holder('P'))]), atomic([own(holder('P'))]))
    const expected = {
      name: 'Avalanche',
      symbol: 'AVAX',
      decimals: 9,
      internalId: 'NATIVE-avax',
      assetId: network.avaxAssetID,
    }
    for (const { balances } of items) expect(balances.nativeTokenBalance).toMatchObject(expected)
    expect(items).toHaveLength(3)
  })

  it('14: shared memory inside the total of P or X, or under two chains', async () => {
    const address = holder('P atomic')
    const items = await ask(url, xp([own(address)]), atomic([own(address)]))
    const pvm = itemOf(items, 'pvm')
    const { atomicMemoryUnlocked, atomicMemoryLocked, ...rest } = categoriesOf(pvm)
    expect(nativeOf(pvm)).toBe(sum(Object.values(rest) as string[]))
    const avm = categoriesOf(itemOf(items, 'avm'))
    expect(nativeOf(itemOf(items, 'avm'))).toBe(avaxIn(avm.unlocked) + avaxIn(avm.locked))
    const shared = [itemOf(items, 'avm'), itemOf(items, 'coreth')].map(
      (item) => avaxIn(categoriesOf(item).atomicMemoryUnlocked) + avaxIn(categoriesOf(item).atomicMemoryLocked),
    )
    const onP = sum([...Object.values(atomicMemoryUnlocked), ...Object.values(atomicMemoryLocked)] as string[])
    const live = truthUtxos.filter(
      (utxo) =>
        utxo.createdOnChain !== utxo.consumableOnChain &&
        utxo.addresses.includes(address) &&
        utxo.assetId === network.avaxAssetID &&
        utxo.spendableAtHeight !== null &&
        utxo.consumedAtHeight === null,
    )
    expect(onP).toBeGreaterThan(0n)
    expect(onP + sum(shared)).toBe(sum(live.map(({ amount }) => amount ?? 0n)))
  })

  it('15: the EVM balance, or 18 decimals, for what waits for C', async () => {
    // A key that also has an account on the EVM side of C.
    const wallet = recorded.wallets.find(({ has, evmAddress }) => has.includes('C atomic') && evmAddress !== undefined)
    const items = await ask(url, atomic([own(wallet?.address as string)]))
    const waiting = itemOf(items, 'coreth')
    const { atomicMemoryUnlocked, atomicMemoryLocked } = categoriesOf(waiting)
    expect(nativeOf(waiting)).toBe(avaxIn(atomicMemoryUnlocked) + avaxIn(atomicMemoryLocked))
    expect(nativeOf(waiting)).toBeGreaterThan(0n)
    expect(waiting.balances.nativeTokenBalance.decimals).toBe(9)
  })

  it('16: other assets counted as AVAX', async () => {
    const address = holder('other assets')
    const avm = itemOf(await ask(url, xp([own(address)])), 'avm')
    const assets: (Asset & { assetId: string })[] = [...categoriesOf(avm).unlocked, ...categoriesOf(avm).locked]
    const [avax, others] = [true, false].map((is) =>
      assets.filter(({ assetId }) => (assetId === network.avaxAssetID) === is),
    )
    expect(others?.length).toBeGreaterThan(0)
    expect(others?.every(({ type }) => type === 'unknown')).toBe(true)
    expect(nativeOf(avm)).toBe(sum((avax ?? []).map(({ balance }) => balance)))
    expect(nativeOf(avm)).toBe(expectedAvm(address, moment).native)
  })

  it('17: a total of what can be spent only', async () => {
    const addresses = recorded.wallets.slice(0, 50).map(({ address }) => address)
    const items = await ask(url, xp(addresses.map(own)))
    const seen = new Set<string>()
    for (const address of addresses) {
      const {
        atomicMemoryUnlocked: _1,
        atomicMemoryLocked: _2,
        ...classes
      } = categoriesOf(itemOf(items, 'pvm', address))
      for (const [name, amount] of Object.entries(classes)) if (amount !== '0') seen.add(name)
      expect(nativeOf(itemOf(items, 'pvm', address))).toBe(sum(Object.values(classes) as string[]))
      const { unlocked, locked } = categoriesOf(itemOf(items, 'avm', address))
      expect(nativeOf(itemOf(items, 'avm', address))).toBe(avaxIn(unlocked) + avaxIn(locked))
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(['lockedStaked', 'lockedStakeable', 'lockedPlatform', 'unlockedUnstakedMultiSig']),
    )
  })

  it('18: dust kept by default, or taken by total, on X, at the limit, of stakes or of shared memory', async () => {
    const limit = 2_000_000n
    const amounts = [1n, limit - 1n, limit, limit + 1n]
    const utxos = () => amounts.map((amount) => secpUtxo(hex(1), amount))
    for (const memory of ['P', 'X', 'P←X', 'P←C', 'C←P']) ledger.ledger.memories.set(memory, utxos())
    const outputs = [{ owners: [hex(1)], amount: 5n }]
    ledger.ledger.stakers.push(stakerOf({ endTime: moment.now + 9_999, outputs }))
    ledger.reindex()
    const all = sum(amounts)
    for (const [filter, spendable] of [
      [undefined, 2n * limit + 1n],
      [true, 2n * limit + 1n],
      [false, all],
    ] as const) {
      const wallets = [{ id: `${filter}`, addresses: [text(1)] }]
      const rest = filter === undefined ? {} : { filterOutDustUtxos: filter }
      const items = await ask(ledgerUrl, xp(wallets, rest), { ...atomic(wallets), ...rest })
      const { unlockedUnstaked, unlockedStaked, atomicMemoryUnlocked } = categoriesOf(itemOf(items, 'pvm'))
      expect(BigInt(unlockedUnstaked)).toBe(spendable)
      expect(unlockedStaked).toBe('5')
      expect(sum(Object.values(atomicMemoryUnlocked) as string[])).toBe(2n * all)
      expect(nativeOf(itemOf(items, 'avm'))).toBe(all)
      expect(nativeOf(itemOf(items, 'coreth'))).toBe(all)
    }
  })

  it('19: an address of the other network refused', async () => {
    const fuji = holder('C atomic')
    const { bytes } = parseBech32Address(fuji)
    const avax = formatBech32Address(bytes, 'avax')
    const items = await ask(url, xp([own(fuji), own(avax)]), atomic([own(fuji), own(avax)]))
    for (const type of ['pvm', 'avm', 'coreth']) {
      expect(itemOf(items, type, avax).balances).toEqual(itemOf(items, type, fuji).balances)
    }
    expect(nativeOf(itemOf(items, 'coreth', avax))).toBeGreaterThan(0n)
  })
})
