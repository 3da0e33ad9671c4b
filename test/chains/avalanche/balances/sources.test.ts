import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createAvmBalanceSource,
  createCorethBalanceSource,
  createKeyScanner,
  createPvmBalanceSource,
} from '../../../../src/chains/avalanche/index.ts'
import type { Outcome, WalletAccount } from '../../../../src/chains/capabilities.ts'
import { formatBech32Address } from '../../../../src/lib/bech32-address.ts'
import { idToCb58 } from '../../../../src/lib/ids.ts'
import { createUpstreamPool, DEFAULT_LIMITS, type UpstreamPool } from '../../../../src/upstream/index.ts'
import { AVAX, CHAIN_IDS, emptyLedger, secpUtxo, stakerOf, utxoOf } from '../ledger-data.ts'
import { type LedgerNode, startLedgerNode } from '../ledger-node.ts'

const hex = (n: number) => n.toString(16).padStart(40, '0')
const text = (n: number, hrp = 'fuji') => formatBech32Address(Buffer.from(hex(n), 'hex'), hrp)
const TOKEN = 'bb'.repeat(32)
const NOW = 1_000

let node: LedgerNode
let pool: UpstreamPool
beforeAll(async () => {
  node = await startLedgerNode(emptyLedger())
})
beforeEach(() => {
  Object.assign(node.ledger, { upgrades: undefined }, emptyLedger())
  node.reindex()
  node.before = () => undefined
  node.calls.length = 0
  const limits = { ...DEFAULT_LIMITS, requestsPerSecond: 10_000, hedgeMinMs: 0, maxAttempts: 1 }
  pool = createUpstreamPool('sources', [{ url: node.url }], limits)
})
afterEach(() => pool.close())
afterAll(() => node.close())

function put(memory: string, ...utxos: string[]) {
  node.ledger.memories.set(memory, [...(node.ledger.memories.get(memory) ?? []), ...utxos])
  node.reindex()
}

function sources() {
  const network = createAvalancheNetwork({ pool })
  const keys = createKeyScanner({ network })
  const now = () => NOW
  return {
    pvm: createPvmBalanceSource({ network, caip2Id: AVALANCHE_CAIP2.testnet.P, keys, now }),
    avm: createAvmBalanceSource({ network, caip2Id: AVALANCHE_CAIP2.testnet.X, keys, now }),
    coreth: createCorethBalanceSource({ network, caip2Id: AVALANCHE_CAIP2.testnet.C, now }),
  }
}

const wallet = (id: string, ...addresses: string[]): WalletAccount => ({
  id,
  addresses,
  extendedPublicKeys: [],
  filterOutDust: false,
})
const context = () => ({ signal: new AbortController().signal, deadline: Date.now() + 20_000 })
const count = (method: string) => node.calls.filter((call) => call.method === method).length

function natives(outcomes: Map<string, Outcome<{ native: bigint }>>): Record<string, unknown> {
  return Object.fromEntries(
    [...outcomes].map(([id, outcome]) => [id, outcome.ok ? outcome.value.native : outcome.error.message]),
  )
}

describe('one read for all wallets', () => {
  test('takes four calls on P, three on X, two for C, and no height', async () => {
    const { pvm, avm, coreth } = sources()
    const wallets = Array.from({ length: 50 }, (_, index) => wallet(`w${index}`, text(index), text(index + 1)))
    await pvm.readBalances([wallet('first', text(1))], context())
    for (const [source, expected] of [
      [pvm, 4],
      [avm, 3],
      [coreth, 2],
    ] as const) {
      node.calls.length = 0
      expect((await source.readBalances(wallets, context())).size).toBe(50)
      expect(node.calls.length).toBe(expected)
    }
  })

  test('what several wallets own counts in each, what a wallet lists twice counts once', async () => {
    put('P', secpUtxo(hex(1), 1n), secpUtxo([hex(1), hex(2)], 10n, { threshold: 2 }), secpUtxo([hex(2), hex(3)], 100n))
    const both = wallet('both', text(1), text(2), text(1), text(1, 'avax'))
    const outcomes = await sources().pvm.readBalances(
      [wallet('one', text(1)), both, wallet('three', text(3))],
      context(),
    )
    expect(natives(outcomes)).toEqual({ one: 11n, both: 111n, three: 100n })
  })

  test('an X output is locked for who cannot sign for it alone', async () => {
    put('X', secpUtxo([hex(1), hex(2)], 10n, { threshold: 2 }))
    const outcomes = await sources().avm.readBalances(
      [wallet('half', text(1)), wallet('whole', text(2), text(1))],
      context(),
    )
    expect(outcomes.get('half')).toMatchObject({ value: { native: 10n, unlocked: [], locked: [{ balance: 10n }] } })
    expect(outcomes.get('whole')).toMatchObject({ value: { native: 10n, unlocked: [{ balance: 10n }], locked: [] } })
  })

  test('addresses of the other HRP are the same addresses; wrong ones fail their wallet only', async () => {
    put('X', secpUtxo(hex(1), 7n))
    const good = text(1)
    const outcomes = await sources().avm.readBalances(
      [
        wallet('mainnet', text(1, 'avax')),
        wallet('upper', good.toUpperCase()),
        wallet('typo', good, `${good.slice(0, -1)}q`),
      ],
      context(),
    )
    expect(natives(outcomes)).toEqual({
      mainnet: 7n,
      upper: 7n,
      typo: expect.stringContaining(`${good.slice(0, -1)}q`),
    })
    expect(outcomes.get('typo')).toMatchObject({ error: { code: 'BAD_INPUT' } })
  })

  test('only outputs with an amount count, and only AVAX on P', async () => {
    const owners = { locktime: 0n, threshold: 1, addresses: [Buffer.from(hex(1), 'hex')] }
    node.ledger.assets.set(idToCb58(TOKEN), { name: '', symbol: ' ', denomination: '2' })
    put(
      'X',
      secpUtxo(hex(1), 5n, { assetId: TOKEN }),
      utxoOf(TOKEN, { type: 'secp-mint', ...owners }),
      utxoOf(TOKEN, { type: 'nft-transfer', groupId: 1, payload: Buffer.from('x'), ...owners }),
      utxoOf(TOKEN, { type: 'property-owned', ...owners }),
    )
    put('P', secpUtxo(hex(1), 5n, { assetId: TOKEN }), secpUtxo(hex(1), 3n))
    const { pvm, avm } = sources()
    expect(natives(await pvm.readBalances([wallet('w', text(1))], context()))).toEqual({ w: 3n })
    const id = idToCb58(TOKEN)
    // Blank names fall back to the asset id.
    expect((await avm.readBalances([wallet('w', text(1))], context())).get('w')).toMatchObject({
      value: {
        native: 0n,
        unlocked: [{ assetId: id, name: id, symbol: id, decimals: 2, balance: 5n, type: 'unknown' }],
      },
    })
  })

  test('shared memory stays apart from the total and is keyed by the other chain', async () => {
    put(
      'P←X',
      secpUtxo(hex(1), 5n),
      secpUtxo(hex(1), 6n, { locktime: 2_000n }),
      secpUtxo([hex(1), hex(2)], 7n, { threshold: 2 }),
    )
    put('C←P', secpUtxo(hex(1), 8n))
    const { pvm, coreth } = sources()
    expect((await pvm.readBalances([wallet('w', text(1))], context())).get('w')).toMatchObject({
      value: { native: 0n, atomicMemoryUnlocked: { [CHAIN_IDS.X]: 5n }, atomicMemoryLocked: { [CHAIN_IDS.X]: 13n } },
    })
    expect((await coreth.readBalances([wallet('w', text(1))], context())).get('w')).toMatchObject({
      value: { native: 8n, atomicMemoryUnlocked: { [CHAIN_IDS.P]: [{ symbol: 'AVAX', decimals: 9, balance: 8n }] } },
    })
  })

  test('a node that fails gives errors, not zeros', async () => {
    put('P', secpUtxo(hex(1), 5n))
    const { pvm } = sources()
    await pvm.readBalances([wallet('w', text(1))], context())
    for (const method of ['platform.getStake', 'platform.getUTXOs']) {
      node.before = (call) => (call.method === method ? { code: -32000, message: 'no' } : undefined)
      expect((await pvm.readBalances([wallet('w', text(1))], context())).get('w')).toMatchObject({ ok: false })
    }
  })

  test('an asset that cannot be described fails who holds it only', async () => {
    node.ledger.assets.set(idToCb58(TOKEN), { name: 'T', symbol: 'T', denomination: '77' })
    put('X', secpUtxo(hex(1), 5n, { assetId: TOKEN }), secpUtxo(hex(2), 6n))
    const outcomes = await sources().avm.readBalances([wallet('token', text(1)), wallet('avax', text(2))], context())
    expect(natives(outcomes)).toEqual({ token: expect.stringContaining('decimals'), avax: 6n })
  })
})

describe('large wallets', () => {
  test('a wallet beyond 1,024 addresses is read in parts of one state; a stake with owners in several parts counts once', async () => {
    const addresses = Array.from({ length: 1_300 }, (_, index) => text(index))
    put('P', secpUtxo(hex(0), 1n), secpUtxo([hex(10), hex(1_299)].sort(), 10n), secpUtxo(hex(1_200), 100n))
    node.ledger.stakers.push(
      stakerOf({ endTime: 5_000, outputs: [{ owners: [hex(3), hex(700), hex(1_250)].sort(), amount: 1_000n }] }),
      stakerOf({ endTime: 6_000, outputs: [{ owners: [hex(3), hex(700), hex(1_250)].sort(), amount: 1_000n }] }),
    )
    const outcomes = await sources().pvm.readBalances(
      [wallet('large', ...addresses), wallet('small', text(1_250))],
      context(),
    )
    expect(natives(outcomes)).toEqual({ large: 2_111n, small: 2_000n })
    for (const { method, params } of node.calls) {
      const asked = (params['addresses'] as string[] | undefined)?.length ?? 0
      expect(asked).toBeLessThanOrEqual(method === 'platform.getStake' ? 256 : 1_024)
    }
  })

  test('a wallet is never split: wallets that do not fit together are read apart', async () => {
    const wallets = [0, 1, 2].map((n) =>
      wallet(`w${n}`, ...Array.from({ length: 600 }, (_, index) => text(n * 600 + index))),
    )
    put('X', secpUtxo([hex(0), hex(599)].sort(), 1n), secpUtxo([hex(599), hex(600)], 10n), secpUtxo(hex(1_799), 100n))
    expect(natives(await sources().avm.readBalances(wallets, context()))).toEqual({ w0: 11n, w1: 10n, w2: 100n })
    expect(node.calls.filter((call) => call.method === 'avm.getUTXOs').length).toBe(9)
  })
})

describe('a chain that moves while it is read', () => {
  const many = () => Array.from({ length: 1_500 }, () => secpUtxo(hex(1), 1n))

  /** After the n-th page the tip moves, and a coin of the first page is spent into a new one that comes last. */
  function moveAfterPages(...pages: number[]) {
    let page = 0
    node.before = (call) => {
      if (call.method !== 'avm.getUTXOs' || call.params['sourceChain']) return undefined
      if (pages.includes(page++)) {
        node.ledger.heights.X += 1
        node.ledger.memories.set('X', many())
        node.reindex()
      }
      return undefined
    }
  }

  test('is read again until it stood still', async () => {
    put('X', ...many())
    moveAfterPages(1, 3)
    expect(natives(await sources().avm.readBalances([wallet('w', text(1))], context()))).toEqual({ w: 1_500n })
    // Moved during the first and the second reading; the third one stood.
    expect(count('avm.getUTXOs')).toBe(3 * 4)
    expect(count('avm.getHeight')).toBe(3)
  })

  test('the next reading of a wallet known to be long asks for the height first and takes one reading', async () => {
    put('X', ...many())
    const { avm } = sources()
    await avm.readBalances([wallet('w', text(1))], context())
    node.calls.length = 0
    await avm.readBalances([wallet('w', text(1))], context())
    expect(node.calls[0]?.method).toBe('avm.getHeight')
    expect(count('avm.getUTXOs')).toBe(4)
    expect(count('avm.getHeight')).toBe(2)
  })

  test('without end is an error in the end', async () => {
    put('X', ...many())
    moveAfterPages(1, 3, 5, 7, 9, 11)
    const outcomes = await sources().avm.readBalances([wallet('w', text(1)), wallet('also', text(2))], context())
    expect(natives(outcomes)).toEqual({ w: expect.stringContaining('moved'), also: expect.stringContaining('moved') })
  })
})

describe('staked outputs by their state after the stake', () => {
  const bound = (until: bigint, amount = 50n) => ({ owners: [hex(1)], amount, stakeableUntil: until })
  const read = async () => (await sources().pvm.readBalances([wallet('w', text(1))], context())).get('w')

  test('a lock that ends before the stake is no lock any more', async () => {
    node.ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 2_000n }], nodeId: 'NodeID-a' }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 6_000, outputs: [bound(5_000n)] }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 4_000, outputs: [bound(5_000n, 60n)] }),
      stakerOf({ endTime: 8_000, outputs: [bound(5_000n, 70n), { owners: [hex(2)], amount: 5n }] }),
    )
    expect(await read()).toMatchObject({ value: { unlockedStaked: 120n, lockedStaked: 60n, native: 180n } })
  })

  test('equal outputs in two stakes are told apart by how many outlast the lock', async () => {
    node.ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 2_000n }], nodeId: 'NodeID-a' }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 6_000, outputs: [bound(5_000n)] }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 4_000, outputs: [bound(5_000n)] }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 4_500, outputs: [bound(5_000n)] }),
    )
    expect(await read()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 100n } })
  })

  test('the cheap cases ask nothing, or the list of validators only', async () => {
    node.ledger.stakers.push(stakerOf({ endTime: 9_000, outputs: [bound(900n)] }))
    expect(await read()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 0n } })
    expect(count('platform.getCurrentValidators')).toBe(0)
    node.ledger.stakers.push(stakerOf({ endTime: 9_000, outputs: [bound(9_001n, 7n)] }))
    expect(await read()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 7n } })
    expect(count('platform.getCurrentValidators')).toBe(1)
    expect(count('platform.getTx')).toBe(0)
  })

  test('who has no such stake is answered when the validators cannot be read', async () => {
    node.ledger.stakers.push(stakerOf({ endTime: 9_000, outputs: [bound(5_000n)] }))
    put('P', secpUtxo(hex(2), 3n))
    node.before = (call) =>
      call.method === 'platform.getCurrentValidators' ? { code: -32000, message: 'no' } : undefined
    const outcomes = await sources().pvm.readBalances([wallet('w', text(1)), wallet('other', text(2))], context())
    expect(outcomes.get('w')).toMatchObject({ ok: false })
    expect(outcomes.get('other')).toMatchObject({ ok: true, value: { native: 3n } })
  })
})

describe('restaked rewards', () => {
  const renewing = () =>
    stakerOf({
      endTime: 9_000,
      outputs: [{ owners: [hex(1)], amount: 50n }],
      weight: 57n,
      extra: { nextPeriod: '86400', autoCompoundRewardShares: 1_000_000 },
    })
  const read = async () => (await sources().pvm.readBalances([wallet('w', text(1))], context())).get('w')
  const active = { heliconTime: new Date((NOW - 1) * 1000).toISOString() }

  test('are the weight beyond the own stake once validators can renew themselves', async () => {
    node.ledger.stakers.push(
      renewing(),
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(2)], amount: 5n }], weight: 9n }),
    )
    node.ledger.upgrades = active
    expect(await read()).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
  })

  test('are zero before that, without looking', async () => {
    node.ledger.stakers.push(renewing())
    expect(await read()).toMatchObject({ value: { restakedRewards: 0n, native: 50n } })
    node.ledger.upgrades = { heliconTime: '9999-12-01T00:00:00Z' }
    expect(await read()).toMatchObject({ value: { restakedRewards: 0n } })
    expect(count('platform.getCurrentValidators')).toBe(0)
  })

  test('are left out when they cannot be read, and zero for who stakes nothing', async () => {
    node.ledger.stakers.push(renewing())
    node.ledger.upgrades = active
    node.before = (call) => (call.method === 'platform.getTx' ? { code: -32000, message: 'no' } : undefined)
    const outcome = await read()
    expect(outcome).toMatchObject({ ok: true, value: { native: 50n } })
    expect(outcome?.ok && 'restakedRewards' in outcome.value).toBe(false)
    const none = await sources().pvm.readBalances([wallet('none', text(5))], context())
    expect(none.get('none')).toMatchObject({ value: { restakedRewards: 0n } })
  })
})

test('AVAX is described to wallets as they know it', async () => {
  const { pvm } = sources()
  expect(pvm.native).not.toHaveProperty('assetId')
  await pvm.readBalances([wallet('w', text(1))], context())
  expect(pvm.native).toMatchObject({
    name: 'Avalanche',
    symbol: 'AVAX',
    decimals: 9,
    internalId: 'NATIVE-avax',
    assetId: idToCb58(AVAX),
  })
})
