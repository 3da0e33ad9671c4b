import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { PvmBalances } from '../../../../src/chains/capabilities.ts'
import { failureMessage } from '../../../../src/services/balances/failure-message.ts'
import { gate } from '../../../support/waiting/gate.ts'
import { secpUtxo, stakerOf } from '../ledger-data.ts'
import { context, hex, natives, text, useLedger, wallet } from '../ledger-sources.ts'

const { node, put, sources, count } = useLedger()

describe('large wallets', () => {
  test('a wallet beyond 1,024 addresses is read in parts of one state; a stake with owners in several parts counts once', async () => {
    const addresses = Array.from({ length: 1_300 }, (_, index) => text(index))
    put('P', secpUtxo(hex(0), 1n), secpUtxo([hex(10), hex(1_299)].sort(), 10n), secpUtxo(hex(1_200), 100n))
    node().ledger.stakers.push(
      stakerOf({ endTime: 5_000, outputs: [{ owners: [hex(3), hex(700), hex(1_250)].sort(), amount: 1_000n }] }),
      stakerOf({ endTime: 6_000, outputs: [{ owners: [hex(3), hex(700), hex(1_250)].sort(), amount: 1_000n }] }),
    )
    const outcomes = await sources().pvm.readBalances(
      [wallet('large', ...addresses), wallet('small', text(1_250))],
      context(),
    )
    expect(natives(outcomes)).toEqual({ large: 2_111n, small: 2_000n })
    for (const { method, params } of node().calls) {
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
    expect(node().calls.filter((call) => call.method === 'avm.getUTXOs').length).toBe(9)
    // Each of them is one unit, read by single calls: nothing to compare.
    expect(count('avm.getHeight')).toBe(0)
  })
})

describe('a chain that moves while it is read', () => {
  const many = () => Array.from({ length: 1_500 }, () => secpUtxo(hex(1), 1n))

  /** After the n-th page the tip moves, and a coin of the first page is spent into a new one that comes last. */
  function moveAfterPages(...pages: number[]) {
    let page = 0
    node().before = (call) => {
      if (call.method !== 'avm.getUTXOs' || call.params['sourceChain']) return undefined
      if (pages.includes(page++)) {
        node().ledger.heights.X += 1
        node().ledger.memories.set('X', many())
        node().reindex()
      }
      return undefined
    }
  }

  test('is read again until it stood still', async () => {
    put('X', ...many())
    moveAfterPages(1, 3)
    expect(natives(await sources().avm.readBalances([wallet('w', text(1))], context()))).toEqual({ w: 1_500n })
    // One page and both shared memories; then it moved during the first and the second reading, and the third one stood.
    expect(count('avm.getUTXOs')).toBe(3 + 3 * 4)
    expect(count('avm.getHeight')).toBe(4)
  })

  test('the next reading of a wallet known to be long asks for the height first and takes one reading', async () => {
    put('X', ...many())
    const { avm } = sources()
    await avm.readBalances([wallet('w', text(1))], context())
    node().calls.length = 0
    await avm.readBalances([wallet('w', text(1))], context())
    expect(node().calls[0]?.method).toBe('avm.getHeight')
    expect(count('avm.getUTXOs')).toBe(4)
    expect(count('avm.getHeight')).toBe(2)
  })

  test('on P is compared by its heights, too, where a list has several pages, and not once more', async () => {
    put('P', ...many())
    expect(natives(await sources().pvm.readBalances([wallet('w', text(1))], context()))).toEqual({ w: 1_500n })
    expect(count('platform.getHeight')).toBe(2)
  })

  test('without end is an error in the end', async () => {
    put('X', ...many())
    moveAfterPages(1, 3, 5, 7, 9, 11)
    const outcomes = await sources().avm.readBalances([wallet('w', text(1)), wallet('also', text(2))], context())
    expect(natives(outcomes)).toEqual({ w: expect.stringContaining('moved'), also: expect.stringContaining('moved') })
    const said = [...outcomes.values()].map(
      (one) => !one.ok && failureMessage('avm', one.error, { deadlineMs: 8_000, afterMs: 1 }),
    )
    const moved = '[getAvmBalances] the chain moved during every reading, or no one upstream told all of it'
    expect(said).toEqual([moved, moved])
  })
})

test('a coin that is imported while its wallet on P is read is shown in one place', async () => {
  const coin = secpUtxo(hex(1), 5n)
  put('P←C', coin)
  const answered = gate()
  node().before = async ({ method, params }) => {
    if (method !== 'platform.getUTXOs' || count(method) > 3) return undefined
    if (params['sourceChain'] !== undefined) {
      if (params['sourceChain'] === 'C') answered.open()
      return undefined
    }
    await answered.opened
    await setImmediate()
    node().ledger.memories.delete('P←C')
    put('P', coin)
    return undefined
  }
  const [outcome] = (await sources().pvm.readBalances([wallet('w', text(1))], context())).values()
  expect(outcome).toMatchObject({ ok: true, value: { native: 5n, unlockedUnstaked: 5n } })
  const { atomicMemoryUnlocked } = (outcome as { value: PvmBalances }).value
  expect(Object.values(atomicMemoryUnlocked).reduce((sum, amount) => sum + amount, 0n)).toBe(0n)
})

describe('a coin that is staked while its wallet is read, in single calls', () => {
  /** In this reading, between the answers of the two calls, that one first, the coin is staked. */
  function stakeBetween(first: string, reading = 1, owner = hex(1)) {
    const answered = gate()
    let [asked, isStaked] = [0, false]
    node().before = async ({ method, params }) => {
      const isOwn = method === 'platform.getUTXOs' && params['sourceChain'] === undefined
      if (isStaked || (!isOwn && method !== 'platform.getStake')) return undefined
      asked += 1
      if (asked <= 2 * (reading - 1)) return undefined
      if (method === first) {
        answered.open()
        return undefined
      }
      await answered.opened
      await setImmediate()
      isStaked = true
      node().ledger.memories.set('P', [REST])
      node().ledger.stakers.push(stakerOf({ endTime: 5_000, outputs: [{ owners: [owner], amount: 5n }] }))
      node().reindex()
      return undefined
    }
  }
  const COIN = secpUtxo(hex(1), 5n)
  const REST = secpUtxo(hex(1), 2n)
  const callsOfP = (): number => count('platform.getStake') + count('platform.getUTXOs')

  test.each([
    ['platform.getUTXOs', 1],
    ['platform.getUTXOs', 2],
    ['platform.getStake', 1],
    ['platform.getStake', 2],
  ])('counts once: %s is answered first, in reading %i', async (first, reading) => {
    put('P', COIN, REST)
    stakeBetween(first, reading)
    const { pvm } = sources()
    expect(natives(await pvm.readBalances([wallet('w', text(1))], context()))).toEqual({ w: 7n })
    expect(count('platform.getHeight')).toBe(0)
  })

  test.each(['platform.getUTXOs', 'platform.getStake'])(
    'counts once where it was known: %s is answered first',
    async (first) => {
      put('P', COIN, REST)
      const { pvm } = sources()
      const read = async () => natives(await pvm.readBalances([wallet('w', text(1))], context()))
      expect(await read()).toEqual({ w: 7n })
      stakeBetween(first)
      expect([await read(), await read()]).toEqual([{ w: 7n }, { w: 7n }])
    },
  )

  test('counts once behind a reading of another wallet that begins with the same address', async () => {
    put('P', secpUtxo(hex(3), 5n), REST)
    const { pvm } = sources()
    const read = async (...owners: number[]) =>
      natives(await pvm.readBalances([wallet('w', ...owners.map((owner) => text(owner)))], context()))
    expect(await read(1, 2)).toEqual({ w: 2n })
    stakeBetween('platform.getStake', 1, hex(3))
    expect(await read(1, 3)).toEqual({ w: 7n })
  })

  test.each([
    ['nothing', [6, 4, 4]],
    ['something', [7, 4, 4]],
  ])('costs a second reading of what is new, and none of a moment ago; shared memory held %s', async (what, calls) => {
    put('P', COIN, REST)
    if (what === 'something') put('P←C', COIN)
    const { pvm } = sources()
    const readings: number[] = []
    for (let poll = 0; poll < 3; poll += 1) {
      const before = callsOfP()
      await pvm.readBalances([wallet('w', text(1))], context())
      readings.push(callsOfP() - before)
    }
    expect(readings).toEqual(calls)
  })

  test('is read whole after a second reading that was not the same', async () => {
    put('P', COIN, REST)
    stakeBetween('platform.getStake')
    await sources().pvm.readBalances([wallet('w', text(1))], context())
    // The second one shows the stake; the third is the same.
    expect(callsOfP()).toBe(4 + 2 + 4)
  })
})
