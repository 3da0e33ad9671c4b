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

  test('of too many validators are an error for who may have some, and zero for who cannot', async () => {
    node().ledger.stakers.push(
      ...Array.from({ length: MOST_RENEWING + 1 }, renewing),
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(2)], amount: 58n }] }),
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(3)], amount: 57n }] }),
    )
    node().ledger.upgrades = active
    const wallets = [1, 2, 3, 4].map((owner) => wallet(`w${owner}`, text(owner)))
    const found = await sources().pvm.readBalances(wallets, context())
    expect(found.get('w1')).toMatchObject({ ok: false, error: { code: 'OVERLOADED' } })
    expect(found.get('w2')).toMatchObject({ value: { restakedRewards: 0n, native: 58n } })
    expect(found.get('w3')).toMatchObject({ ok: false })
    expect(found.get('w4')).toMatchObject({ value: { restakedRewards: 0n, native: 0n } })
    expect(count('platform.getTx')).toBe(0)
  })

  test('of an unreadable stake make an error of every wallet that may own it, and of no other', async () => {
    node().ledger.stakers.push(
      renewing(),
      stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(2)], amount: 500n }], weight: 560n, extra: RENEWS }),
    )
    node().ledger.upgrades = active
    const { pvm } = sources()
    const wallets = [1, 2, 5].map((owner) => wallet(`w${owner}`, text(owner)))
    let asked = 0
    node().before = (call) =>
      call.method === 'platform.getTx' && asked++ === 0 ? { code: -32000, message: 'no' } : undefined
    const found = await pvm.readBalances(wallets, context())
    expect(found.get('w1')).toMatchObject({ ok: false })
    expect(found.get('w2')).toMatchObject({ value: { restakedRewards: 60n, native: 560n } })
    expect(found.get('w5')).toMatchObject({ value: { restakedRewards: 0n, native: 0n } })
    const again = await pvm.readBalances(wallets, context())
    expect(again.get('w1')).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
    expect(count('platform.getTx')).toBe(3)
  })

  test('of a node that is away do not cost a call for every validator', async () => {
    node().ledger.stakers.push(...Array.from({ length: 200 }, renewing))
    node().ledger.upgrades = active
    node().before = (call) => (call.method === 'platform.getTx' ? { code: -32000, message: 'no' } : undefined)
    expect(await read()).toMatchObject({ ok: false })
    expect(count('platform.getTx')).toBeLessThan(40)
  })

  test('are missed, not left out, when the validators cannot be read, the first time or again', async () => {
    node().ledger.stakers.push(renewing(), stakerOf({ endTime: 9_000, outputs: [{ owners: [hex(2)], amount: 5n }] }))
    node().ledger.upgrades = active
    const network = createAvalancheNetwork({ pool: pool() })
    const deps = { network, keys: createKeyScanner({ network }), caip2Id: AVALANCHE_CAIP2.testnet.P }
    let clock = 0
    const pvm = createPvmBalanceSource({ ...deps, now: () => NOW, clock: () => clock })
    const again = async () => {
      const wallets = [1, 2, 3].map((owner) => wallet(`w${owner}`, text(owner)))
      const found = await pvm.readBalances(wallets, context())
      return [...found.values()].map((outcome) => (outcome.ok ? outcome.value.native : 'error'))
    }
    const away = (call: { method: string }) =>
      call.method === 'platform.getCurrentValidators' ? { code: -32000, message: 'no' } : undefined
    node().before = away
    expect(await again()).toEqual(['error', 'error', 0n])
    node().before = () => undefined
    expect(await again()).toEqual([57n, 5n, 0n])
    clock = 100_000
    node().before = away
    // Others may have begun to renew themselves since.
    expect(await again()).toEqual(['error', 'error', 0n])
  })

  test('are left out, not zero, for who stakes, where every gateway hides the validators', async () => {
    node().ledger.stakers.push(renewing())
    node().ledger.upgrades = active
    const hidden = {
      code: -32_601,
      message: 'the method platform.getCurrentValidators does not exist/is not available',
    }
    node().before = (call) => (call.method === 'platform.getCurrentValidators' ? hidden : undefined)
    const network = createAvalancheNetwork({ pool: pool() })
    const deps = { network, keys: createKeyScanner({ network }), caip2Id: AVALANCHE_CAIP2.testnet.P }
    let clock = 0
    const pvm = createPvmBalanceSource({ ...deps, now: () => NOW, clock: () => clock })
    const again = () => {
      const wallets = [1, 5].map((owner) => wallet(`w${owner}`, text(owner)))
      return pvm.readBalances(wallets, context())
    }
    const found = await again()
    const staking = found.get('w1')
    expect(staking).toMatchObject({ ok: true, value: { native: 50n } })
    expect(staking?.ok && 'restakedRewards' in staking.value).toBe(false)
    expect(found.get('w5')).toMatchObject({ value: { restakedRewards: 0n } })
    node().before = () => undefined
    expect((await again()).get('w1')).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
    // The one that told is away, and the others hide them: the rewards must not seem lost.
    clock = 100_000
    node().before = (call) => (call.method === 'platform.getCurrentValidators' ? hidden : undefined)
    expect((await again()).get('w1')).toMatchObject({ ok: false })
  })

  test('are left out where every gateway hides the stakes, and an error where one was told or another fails', async () => {
    node().ledger.stakers.push(renewing(), renewing())
    node().ledger.upgrades = active
    const { pvm } = sources()
    const again = async () => (await pvm.readBalances([wallet('w', text(1))], context())).get('w')
    const hidden = { code: -32_601, message: 'method not found' }
    let asked = 0
    const answers = (first: typeof hidden | undefined, then: typeof hidden) => {
      asked = 0
      node().before = (call) => {
        if (call.method !== 'platform.getTx') return undefined
        asked += 1
        return asked === 1 ? first : then
      }
    }
    answers(hidden, hidden)
    const outcome = await again()
    expect(outcome).toMatchObject({ ok: true, value: { native: 100n } })
    expect(outcome?.ok && 'restakedRewards' in outcome.value).toBe(false)
    answers(hidden, { code: -32_000, message: 'no' })
    expect(await again()).toMatchObject({ ok: false })
    answers(undefined, hidden)
    expect(await again()).toMatchObject({ ok: false })
  })

  test('are not worked out from another transaction than the one that was asked for', async () => {
    const validator = renewing()
    node().ledger.stakers.push(validator)
    node().ledger.upgrades = active
    const { pvm } = sources()
    const again = async () => (await pvm.readBalances([wallet('w', text(1))], context())).get('w')
    validator.toldId = 'another'
    const outcome = await again()
    expect(outcome).toMatchObject({ ok: false })
    validator.toldId = undefined
    expect(await again()).toMatchObject({ value: { restakedRewards: 7n, native: 57n } })
  })
})
