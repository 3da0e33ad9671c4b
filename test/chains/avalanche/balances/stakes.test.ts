import { describe, expect, test } from 'vitest'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createKeyScanner,
  createPvmBalanceSource,
} from '../../../../src/chains/avalanche/index.ts'
import { secpUtxo, stakerOf } from '../ledger-data.ts'
import { context, hex, NOW, text, useLedger, wallet } from '../ledger-sources.ts'

const { node, pool, put, sources, count } = useLedger()

describe('staked outputs by their state after the stake', () => {
  const bound = (until: bigint, amount = 50n) => ({ owners: [hex(1)], amount, stakeableUntil: until })
  const read = async () => (await sources().pvm.readBalances([wallet('w', text(1))], context())).get('w')

  test('a lock that ends before the stake is no lock any more', async () => {
    node().ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 2_000n }], nodeId: 'NodeID-a' }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 6_000, outputs: [bound(5_000n)] }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 4_000, outputs: [bound(5_000n, 60n)] }),
      stakerOf({ endTime: 8_000, outputs: [bound(5_000n, 70n), { owners: [hex(2)], amount: 5n }] }),
    )
    expect(await read()).toMatchObject({ value: { unlockedStaked: 120n, lockedStaked: 60n, native: 180n } })
  })

  test('a lock that ends in the very second of the stake, or has ended in this one, is none', async () => {
    node().ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [bound(9_000n)], nodeId: 'NodeID-a' }),
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 2_000n }], nodeId: 'NodeID-b' }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-b', endTime: 6_000, outputs: [bound(6_000n, 7n)] }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-b', endTime: 6_000, outputs: [bound(6_001n, 300n)] }),
    )
    expect(await read()).toMatchObject({ value: { unlockedStaked: 57n, lockedStaked: 300n } })
    const before = count('platform.getCurrentValidators')
    node().ledger.stakers.splice(0, 4, stakerOf({ endTime: 9_000, outputs: [bound(BigInt(NOW))] }))
    expect(await read()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 0n } })
    // It is no lock any more, so that nobody has to be asked how long the stake lasts.
    expect(count('platform.getCurrentValidators')).toBe(before)
  })

  test('a delegation may be larger than its validator, and the only one there', async () => {
    node().ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 20n }], nodeId: 'NodeID-a' }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 6_000, outputs: [bound(5_000n)] }),
    )
    expect(await read()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 0n } })
  })

  test('a lock of the owners counts like one that binds to staking, the later of both', async () => {
    const owned = (locktime: bigint, stakeableUntil: bigint, amount: bigint) => ({
      ...bound(stakeableUntil, amount),
      locktime,
    })
    node().ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [owned(9_500n, 0n, 50n), owned(9_500n, 1_500n, 6n), owned(8_000n, 0n, 1n)] }),
    )
    expect(await read()).toMatchObject({ value: { unlockedStaked: 1n, lockedStaked: 56n } })
  })

  test('equal outputs in two stakes are told apart by how many outlast the lock', async () => {
    node().ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 2_000n }], nodeId: 'NodeID-a' }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 6_000, outputs: [bound(5_000n)] }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 4_000, outputs: [bound(5_000n)] }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 4_500, outputs: [bound(5_000n)] }),
    )
    expect(await read()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 100n } })
  })

  test('the stake of several outputs is found by what they weigh together, among more stakes than are looked into', async () => {
    node().ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 2_000n }], nodeId: 'NodeID-a' }),
      ...Array.from({ length: 100 }, () =>
        stakerOf({
          kind: 'delegator',
          nodeId: 'NodeID-a',
          endTime: 8_000,
          outputs: [{ owners: [hex(8)], amount: 99n }],
        }),
      ),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 6_000, outputs: [bound(5_000n), bound(5_000n, 70n)] }),
    )
    expect(await read()).toMatchObject({ value: { unlockedStaked: 120n, lockedStaked: 0n } })
  })

  test('of equal outputs that one is found as well which lies in a stake with that of a stranger', async () => {
    node().ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 2_000n }], nodeId: 'NodeID-a' }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 6_000, outputs: [bound(5_000n)] }),
      stakerOf({
        kind: 'delegator',
        nodeId: 'NodeID-a',
        endTime: 7_000,
        outputs: [bound(5_000n), { owners: [hex(8)], amount: 5n }],
      }),
    )
    expect(await read()).toMatchObject({ value: { unlockedStaked: 100n, lockedStaked: 0n } })
  })

  test('a stake shared with a stranger, behind more than are fetched at once, is found by a later reading', async () => {
    const strangers = { owners: [hex(8)], amount: 99n }
    node().ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 2_000n }], nodeId: 'NodeID-a' }),
      ...Array.from({ length: 150 }, () =>
        stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 8_000, outputs: [strangers] }),
      ),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 6_000, outputs: [bound(5_000n), strangers] }),
    )
    const { pvm } = sources()
    const next = async () => (await pvm.readBalances([wallet('w', text(1))], context())).get('w')
    expect(await next()).toMatchObject({ value: { unlockedStaked: 0n, lockedStaked: 50n } })
    // What was fetched before is looked into without a call, and counts no more.
    await next()
    await next()
    expect(await next()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 0n } })
  })

  test('the cheap cases ask nothing, or the list of validators only', async () => {
    node().ledger.stakers.push(stakerOf({ endTime: 9_000, outputs: [bound(900n)] }))
    expect(await read()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 0n } })
    expect(count('platform.getCurrentValidators')).toBe(0)
    node().ledger.stakers.push(stakerOf({ endTime: 9_000, outputs: [bound(9_001n, 7n)] }))
    expect(await read()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 7n } })
    expect(count('platform.getCurrentValidators')).toBe(1)
    expect(count('platform.getTx')).toBe(0)
  })

  test('a stake that began behind the lists of stakers is looked for in newer ones, and only that', async () => {
    node().ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 2_000n }], nodeId: 'NodeID-a' }),
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 4_000, outputs: [bound(5_000n, 60n)] }),
    )
    const network = createAvalancheNetwork({ pool: pool() })
    const deps = { network, keys: createKeyScanner({ network }), caip2Id: AVALANCHE_CAIP2.testnet.P }
    let clock = 0
    const pvm = createPvmBalanceSource({ ...deps, now: () => NOW, clock: () => clock })
    const again = async () => (await pvm.readBalances([wallet('w', text(1))], context())).get('w')
    expect(await again()).toMatchObject({ value: { unlockedStaked: 0n, lockedStaked: 60n } })
    clock = 6_000
    node().ledger.stakers.push(
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime: 6_000, outputs: [bound(5_000n)] }),
    )
    expect(await again()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 60n } })
    clock = 12_000
    node().ledger.stakers.push(stakerOf({ endTime: 20_000, outputs: [bound(15_000n, 70n)], nodeId: 'NodeID-b' }))
    expect(await again()).toMatchObject({ value: { unlockedStaked: 120n, lockedStaked: 60n } })
    const asked = count('platform.getCurrentValidators')
    clock = 50_000
    expect(await again()).toMatchObject({ value: { unlockedStaked: 120n, lockedStaked: 60n } })
    expect(count('platform.getCurrentValidators')).toBe(asked)
  })

  test('what left one stake and is in the next is not taken for what it was in the first', async () => {
    const delegation = (endTime: number) =>
      stakerOf({ kind: 'delegator', nodeId: 'NodeID-a', endTime, outputs: [bound(5_000n)] })
    node().ledger.stakers.push(
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(9)], amount: 2_000n }], nodeId: 'NodeID-a' }),
      delegation(4_000),
    )
    const network = createAvalancheNetwork({ pool: pool() })
    const deps = { network, keys: createKeyScanner({ network }), caip2Id: AVALANCHE_CAIP2.testnet.P }
    let now = NOW
    let clock = 0
    const pvm = createPvmBalanceSource({ ...deps, now: () => now, clock: () => clock })
    const again = async () => (await pvm.readBalances([wallet('w', text(1))], context())).get('w')
    expect(await again()).toMatchObject({ value: { unlockedStaked: 0n, lockedStaked: 50n } })
    now = 4_002
    clock = 10_000
    node().ledger.stakers.splice(1, 1, delegation(6_000))
    expect(await again()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 0n } })
  })

  test('who has no such stake is answered when the validators cannot be read', async () => {
    node().ledger.stakers.push(stakerOf({ endTime: 9_000, outputs: [bound(5_000n)] }))
    put('P', secpUtxo(hex(2), 3n))
    node().before = (call) =>
      call.method === 'platform.getCurrentValidators' ? { code: -32000, message: 'no' } : undefined
    const outcomes = await sources().pvm.readBalances([wallet('w', text(1)), wallet('other', text(2))], context())
    expect(outcomes.get('w')).toMatchObject({ ok: false })
    expect(outcomes.get('other')).toMatchObject({ ok: true, value: { native: 3n } })
  })
})

test('a stake that the node fails to give is no stake that it does not have', async () => {
  const output = { owners: [hex(1)], amount: 50n, stakeableUntil: 5_000n }
  node().ledger.stakers.push(stakerOf({ endTime: 9_000, outputs: [output] }))
  const { pvm } = sources()
  const read = async () => (await pvm.readBalances([wallet('w', text(1))], context())).get('w')
  for (const message of ['internal error', 'the database is closed']) {
    node().before = (call) => (call.method === 'platform.getTx' ? { code: -32000, message } : undefined)
    expect(await read()).toMatchObject({ ok: false })
  }
  node().before = () => undefined
  expect(await read()).toMatchObject({ value: { unlockedStaked: 50n, lockedStaked: 0n } })
})
