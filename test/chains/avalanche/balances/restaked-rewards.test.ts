import { describe, expect, test } from 'vitest'
import { MOST_RENEWING } from '../../../../src/chains/avalanche/balances/restaked-rewards.ts'
import {
  AVALANCHE_CAIP2,
  createAvalancheNetwork,
  createKeyScanner,
  createPvmBalanceSource,
} from '../../../../src/chains/avalanche/index.ts'
import { secpUtxo, stakerOf } from '../ledger-data.ts'
import { context, hex, NOW, text, useLedger, wallet } from '../ledger-sources.ts'

const { node, pool, put, sources, count } = useLedger()
const RENEWS = { nextPeriod: '86400', autoCompoundRewardShares: 1_000_000 }

describe('restaked rewards', () => {
  const renewing = () =>
    stakerOf({
      endTime: 9_000,
      outputs: [{ owners: [hex(1)], amount: 50n }],
      weight: 57n,
      extra: RENEWS,
    })
  const read = async () => (await sources().pvm.readBalances([wallet('w', text(1))], context())).get('w')
  const active = { heliconTime: new Date((NOW - 1) * 1000).toISOString() }

  test('are the weight beyond the own stake once validators can renew themselves', async () => {
    node().ledger.stakers.push(
      renewing(),
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(2)], amount: 5n }], weight: 9n }),
    )
    node().ledger.upgrades = active
    expect(await read()).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
  })

  test('are whole for every wallet that owns one of the staked outputs', async () => {
    const outputs = [1, 2].map((owner) => ({ owners: [hex(owner)], amount: owner === 1 ? 50n : 5n }))
    node().ledger.stakers.push(stakerOf({ endTime: 9_000, outputs, weight: 62n, extra: RENEWS }))
    node().ledger.upgrades = active
    const wallets = [wallet('w', text(1)), wallet('other', text(2)), wallet('none', text(3))]
    const found = await sources().pvm.readBalances(wallets, context())
    expect(found.get('w')).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
    expect(found.get('other')).toMatchObject({ value: { restakedRewards: 7n, native: 12n } })
    expect(found.get('none')).toMatchObject({ value: { restakedRewards: 0n, native: 0n } })
  })

  test('of a validator that has left are not counted beside what it has paid out', async () => {
    const other = stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(1)], amount: 5n }] })
    node().ledger.stakers.push(renewing(), other)
    node().ledger.upgrades = active
    const { pvm } = sources()
    const again = async () => (await pvm.readBalances([wallet('w', text(1))], context())).get('w')
    expect(await again()).toMatchObject({ value: { restakedRewards: 7n, native: 62n } })
    node().ledger.stakers.splice(0, 1)
    put('P', secpUtxo(hex(1), 57n))
    expect(await again()).toMatchObject({ value: { restakedRewards: 0n, unlockedUnstaked: 57n, native: 62n } })
  })

  test('change where a period ends: the list of validators of before is asked for again', async () => {
    const validator = renewing()
    node().ledger.stakers.push(validator)
    node().ledger.upgrades = active
    const network = createAvalancheNetwork({ pool: pool() })
    const deps = { network, keys: createKeyScanner({ network }), caip2Id: AVALANCHE_CAIP2.testnet.P }
    let now = NOW
    const pvm = createPvmBalanceSource({ ...deps, now: () => now })
    const again = async () => (await pvm.readBalances([wallet('w', text(1))], context())).get('w')
    expect(await again()).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
    now = 8_999
    expect(await again()).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
    expect(count('platform.getCurrentValidators')).toBe(1)
    Object.assign(validator, { weight: 60n, endTime: 10_000 })
    now = 9_000
    expect(await again()).toMatchObject({ value: { restakedRewards: 10n, native: 60n } })
    // It leaves and pays out, and the same outputs become the stake of another one, which has compounded nothing yet.
    node().ledger.stakers.splice(0, 1, { ...renewing(), weight: 50n, endTime: 12_000 })
    put('P', secpUtxo(hex(1), 10n))
    now = 10_000
    expect(await again()).toMatchObject({ value: { restakedRewards: 0n, unlockedUnstaked: 10n, native: 60n } })
    expect(count('platform.getCurrentValidators')).toBe(3)
  })

  test('are zero before that, without looking', async () => {
    node().ledger.stakers.push(renewing())
    expect(await read()).toMatchObject({ value: { restakedRewards: 0n, native: 50n } })
    node().ledger.upgrades = { heliconTime: '9999-12-01T00:00:00Z' }
    expect(await read()).toMatchObject({ value: { restakedRewards: 0n } })
    expect(count('platform.getCurrentValidators')).toBe(0)
  })

  test('are told by the validators where no node tells of its upgrades: gateways hide methods', async () => {
    node().ledger.stakers.push(renewing())
    node().ledger.upgrades = undefined
    node().ledger.upgrades = undefined
    expect(await read()).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
    node().before = (call) =>
      call.method === 'info.upgrades' ? { code: -32000, message: 'internal error' } : undefined
    expect(await read()).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
    node().ledger.stakers.splice(0, 1, stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(1)], amount: 50n }] }))
    expect(await read()).toMatchObject({ value: { restakedRewards: 0n, native: 50n } })
  })

  test('of a validator count once for a wallet that owns several of its staked outputs', async () => {
    const outputs = [50n, 5n].map((amount) => ({ owners: [hex(1)], amount }))
    node().ledger.stakers.push(stakerOf({ endTime: 9_000, outputs, weight: 62n, extra: RENEWS }))
    node().ledger.upgrades = active
    expect(await read()).toMatchObject({ value: { restakedRewards: 7n, native: 62n } })
  })

  test('are worked out where the node does not tell the id of a transaction: older ones', async () => {
    node().ledger.stakers.push({ ...renewing(), toldId: null })
    node().ledger.upgrades = active
    expect(await read()).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
  })

  test('are looked up of more validators than the largest network has', async () => {
    node().ledger.stakers.push(
      ...Array.from({ length: 1_200 }, (_, index) =>
        stakerOf({
          endTime: 9_000,
          outputs: [{ owners: [hex(index === 1_199 ? 1 : 2)], amount: 50n }],
          weight: 57n,
          extra: RENEWS,
        }),
      ),
    )
    node().ledger.upgrades = active
    expect(await read()).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
  })

  test('are left out, not zero, where more validators renew themselves than are looked into', async () => {
    node().ledger.stakers.push(...Array.from({ length: MOST_RENEWING + 1 }, renewing))
    node().ledger.upgrades = active
    const outcome = await read()
    expect(outcome).toMatchObject({ ok: true, value: { native: 50n * BigInt(MOST_RENEWING + 1) } })
    expect(outcome?.ok && 'restakedRewards' in outcome.value).toBe(false)
    expect(count('platform.getTx')).toBe(0)
  })

  test('are left out when they cannot be read, and zero for who stakes nothing', async () => {
    node().ledger.stakers.push(renewing())
    node().ledger.upgrades = active
    node().before = (call) => (call.method === 'platform.getTx' ? { code: -32000, message: 'no' } : undefined)
    const outcome = await read()
    expect(outcome).toMatchObject({ ok: true, value: { native: 50n } })
    expect(outcome?.ok && 'restakedRewards' in outcome.value).toBe(false)
    const none = await sources().pvm.readBalances([wallet('none', text(5))], context())
    expect(none.get('none')).toMatchObject({ value: { restakedRewards: 0n } })
  })

  test('that a wallet had are missed, not left out, when they cannot be read again', async () => {
    node().ledger.stakers.push(renewing(), stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(2)], amount: 5n }] }))
    node().ledger.upgrades = active
    const network = createAvalancheNetwork({ pool: pool() })
    const deps = { network, keys: createKeyScanner({ network }), caip2Id: AVALANCHE_CAIP2.testnet.P }
    let clock = 0
    const pvm = createPvmBalanceSource({ ...deps, now: () => NOW, clock: () => clock })
    const again = () => pvm.readBalances([wallet('w', text(1)), wallet('other', text(2))], context())
    expect((await again()).get('w')).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
    clock = 100_000
    node().before = (call) =>
      call.method === 'platform.getCurrentValidators' ? { code: -32000, message: 'no' } : undefined
    const found = await again()
    expect(found.get('w')).toMatchObject({ ok: false })
    expect(found.get('other')).toMatchObject({ ok: true, value: { native: 5n } })
    node().before = () => undefined
    expect((await again()).get('w')).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
  })

  test('are not worked out from another transaction than the one that was asked for', async () => {
    const validator = renewing()
    node().ledger.stakers.push(validator)
    node().ledger.upgrades = active
    const { pvm } = sources()
    const again = async () => (await pvm.readBalances([wallet('w', text(1))], context())).get('w')
    validator.toldId = 'another'
    const outcome = await again()
    expect(outcome?.ok && 'restakedRewards' in outcome.value).toBe(false)
    validator.toldId = undefined
    expect(await again()).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
  })
})
