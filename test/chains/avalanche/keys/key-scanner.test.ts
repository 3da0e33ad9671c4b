import { describe, expect, test, vi } from 'vitest'
import { createDerivedAddresses } from '../../../../src/chains/avalanche/keys/derived-addresses.ts'
import type { WalletAccount } from '../../../../src/chains/capabilities.ts'
import { decodeBase58, encodeBase58 } from '../../../../src/lib/bytes/base58.ts'
import { formatBech32Address } from '../../../../src/lib/bytes/bech32-address.ts'
import { sha256 } from '../../../../src/lib/bytes/sha256.ts'
import { eventually } from '../../../support/waiting/eventually.ts'
import { gate } from '../../../support/waiting/gate.ts'
import { secpUtxo, stakerOf, utxoOf } from '../ledger-data.ts'
import { context, natives, useLedger } from '../ledger-sources.ts'

const KEY =
  'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952BbNpDTBqiv6TvCTbTUwnjdzMVRruBp6TbVutVN2xY8aEopGtwroK6HEooK'
const OTHER_KEY =
  'xpub6BqVigHfL2TNNs8HyeEHn4JFFyTw1vL8kC5ZhzBhrhDbQ3FhgakpivT97Cd7oVCJiAwiqWu313vKMZMwCghXgSVDnYR3FrYzTz24yY3nFHR'
const derived = createDerivedAddresses()
const at = async (branch: 0 | 1, index: number, key = KEY) => {
  const [address] = await derived.range(key, branch, index, index + 1, 'fuji')
  if (!address) throw new Error('no address')
  return address.hex
}

const { node, pool, put, sources, count } = useLedger()

const wallet = (keys: string[], addresses: string[] = [], id = 'w'): WalletAccount => ({
  id,
  addresses,
  extendedPublicKeys: keys,
  filterOutDust: false,
})

async function nativeOf(
  source: { readBalances: ReturnType<typeof sources>['pvm']['readBalances'] },
  account = wallet([KEY]),
) {
  const outcome = (await source.readBalances([account], context())).get(account.id)
  if (!outcome?.ok) throw outcome?.error ?? new Error('no answer')
  return outcome.value.native
}

describe('an extended key', () => {
  test('finds both branches, one read of every memory, and one more of outputs and stakes of P while they are new', async () => {
    put('P', secpUtxo(await at(0, 0), 1n), secpUtxo(await at(0, 77), 10n), secpUtxo(await at(1, 3), 100n))
    const { pvm } = sources()
    const methods = ['platform.getUTXOs', 'avm.getUTXOs', 'platform.getStake', 'platform.getHeight']
    for (const asked of [
      [4, 3, 2, 0],
      [7, 6, 3, 0],
    ]) {
      expect(await nativeOf(pvm)).toBe(111n)
      expect(methods.map(count)).toEqual(asked)
    }
  })

  test('goes on while the gap is not reached, window after window', async () => {
    put(
      'P',
      secpUtxo(await at(0, 100), 1n),
      secpUtxo(await at(0, 150), 10n),
      secpUtxo(await at(0, 500), 100n),
      secpUtxo(await at(0, 549), 1_000n),
    )
    const { pvm } = sources()
    // 100 → the window ends at 512, which covers 150 and 500; 500 + 50 ≥ 512 → the next one has 549.
    expect(await nativeOf(pvm)).toBe(1_111n)
    expect(
      node().calls.every(({ params }) => ((params['addresses'] as string[] | undefined) ?? []).length <= 1_024),
    ).toBe(true)
  })

  test('with more addresses in use than are read is an error of its wallets, not of those that are read with it', async () => {
    put('P', secpUtxo(await at(0, 100), 1n), secpUtxo(await at(0, 480), 10n), secpUtxo(await at(0, 3, OTHER_KEY), 100n))
    const { pvm } = sources(50, 512)
    const wallets = [wallet([KEY], [], 'long'), wallet([OTHER_KEY], [], 'other'), wallet([OTHER_KEY, KEY], [], 'both')]
    const tooLong = 'the extended public key uses more than 16384 addresses'
    for (const _ of ['first', 'remembered'])
      expect(natives(await pvm.readBalances(wallets, context()))).toEqual({ long: tooLong, other: 100n, both: tooLong })
  })

  test('stops at the gap', async () => {
    put('P', secpUtxo(await at(0, 10), 1n), secpUtxo(await at(0, 128), 10n))
    expect(await nativeOf(sources(20).pvm)).toBe(1n)
    expect(await nativeOf(sources(100).pvm)).toBe(1n)
    put('P', secpUtxo(await at(0, 60), 100n))
    expect(await nativeOf(sources(50).pvm)).toBe(101n)
    expect(await nativeOf(sources(100).pvm)).toBe(111n)
  })

  test('the gap is counted in unused addresses, over the end of a window', async () => {
    put('P', secpUtxo(await at(0, 77), 1n), secpUtxo(await at(0, 128), 10n))
    expect(await nativeOf(sources(50).pvm)).toBe(1n)
    put('P', secpUtxo(await at(0, 78), 100n))
    expect(await nativeOf(sources(50).pvm)).toBe(111n)
  })

  test('an address used only on the other chain, in shared memory or by a stake counts as used', async () => {
    const reached = await at(0, 140)
    put('P', secpUtxo(reached, 5n))
    expect(await nativeOf(sources().pvm)).toBe(0n)
    put('X', secpUtxo(await at(0, 100), 7n))
    expect(await nativeOf(sources().pvm)).toBe(5n)
    node().ledger.memories.set('X', [])
    put('X←C', secpUtxo(await at(0, 100), 7n))
    expect(await nativeOf(sources().pvm)).toBe(5n)
    node().ledger.memories.set('X←C', [])
    node().reindex()
    expect(await nativeOf(sources().pvm)).toBe(0n)
    node().ledger.stakers.push(stakerOf({ endTime: 5_000, outputs: [{ owners: [await at(0, 100)], amount: 9n }] }))
    expect(await nativeOf(sources().pvm)).toBe(14n)
  })

  test('an address that holds nothing but an NFT counts as used', async () => {
    put('P', secpUtxo(await at(0, 140), 5n))
    expect(await nativeOf(sources().pvm)).toBe(0n)
    const addresses = [Buffer.from(await at(0, 100), 'hex')]
    const nft = { groupId: 1, payload: Buffer.from('x'), locktime: 0n, threshold: 1, addresses }
    put('X', utxoOf('bb'.repeat(32), { type: 'nft-transfer', ...nft }))
    expect(await nativeOf(sources().pvm)).toBe(5n)
  })

  test('P and X asked together share one scan', async () => {
    put('P', secpUtxo(await at(0, 1), 3n))
    put('X', secpUtxo(await at(1, 1), 4n))
    const { pvm, avm } = sources()
    // Counted before the pool, which would merge equal calls of two scans.
    const asked = vi.spyOn(pool(), 'rpc')
    const [p, x] = await Promise.all([
      pvm.readBalances([wallet([KEY])], context()),
      avm.readBalances([wallet([KEY])], context()),
    ])
    expect([p.get('w'), x.get('w')]).toMatchObject([{ value: { native: 3n } }, { value: { native: 4n } }])
    // Outputs and stakes of P twice, as what is new is.
    expect(asked.mock.calls.filter(([, method]) => method === 'platform.getStake').length).toBe(2)
    expect(count('platform.getUTXOs')).toBe(4)
    expect(count('avm.getUTXOs')).toBe(3)
  })

  /** Calls of a pool that are held until they are let go. */
  const holding = () => {
    const held = gate()
    const rpc = pool().rpc
    const asked = vi.spyOn(pool(), 'rpc').mockImplementation(async (...call) => {
      if (call[1] === 'platform.getStake') await held.opened
      return rpc(...call)
    })
    const stakes = () => asked.mock.calls.filter(([, method]) => method === 'platform.getStake').length
    return { letGo: held.open, stakes, end: () => asked.mockRestore() }
  }

  test('a key that a stranger has scanned with others is scanned for who asks for it alone', async () => {
    put('P', secpUtxo(await at(0, 1), 3n))
    const { pvm } = sources()
    const { letGo, stakes, end } = holding()
    const stranger = pvm.readBalances([wallet([KEY]), wallet([OTHER_KEY], [], 'other')], context())
    await eventually(() => expect(stakes()).toBe(2))
    const own = nativeOf(pvm)
    await eventually(() => expect(stakes()).toBe(3))
    letGo()
    expect(await own).toBe(3n)
    await stranger
    end()
  })

  test('who asks while a scan is about to run out of its time does not fail with it', async () => {
    put('P', secpUtxo(await at(0, 1), 3n))
    const { pvm } = sources()
    const { letGo, stakes, end } = holding()
    const short = { signal: AbortSignal.timeout(1_000), deadline: Date.now() + 1_000 }
    const first = pvm.readBalances([wallet([KEY])], short).catch(() => undefined)
    await eventually(() => expect(stakes()).toBe(1))
    const second = nativeOf(pvm)
    await eventually(() => expect(short.signal.aborted).toBe(true))
    letGo()
    await first
    expect(await second).toBe(3n)
    end()
  })

  test('keys of one request share windows; addresses given beside a key are not counted twice', async () => {
    const shared = await at(0, 2)
    put('P', secpUtxo(shared, 1n), secpUtxo(await at(0, 5, OTHER_KEY), 10n))
    // Both keys own this one.
    put('P', secpUtxo([shared, await at(0, 5, OTHER_KEY)], 100n, { threshold: 2 }))
    const { pvm } = sources()
    const text = (await derived.range(KEY, 0, 2, 3, 'avax'))[0]?.text ?? ''
    const outcomes = await pvm.readBalances(
      [wallet([KEY], [text], 'one'), wallet([OTHER_KEY], [], 'two'), wallet([KEY, OTHER_KEY], [], 'both')],
      context(),
    )
    expect([...outcomes.values()].map((outcome) => outcome.ok && outcome.value.native)).toEqual([101n, 110n, 111n])
    // One window of both keys, and the single address is in it.
    expect(count('platform.getUTXOs')).toBe(3)
  })

  test('a stake owned by an address given and by a derived one counts once', async () => {
    const own = '11'.repeat(20)
    node().ledger.stakers.push(
      stakerOf({ endTime: 5_000, outputs: [{ owners: [own, await at(0, 4)].sort(), amount: 50n }] }),
    )
    const text = formatBech32Address(Buffer.from(own, 'hex'), 'fuji')
    expect(await nativeOf(sources().pvm, wallet([KEY], [text]))).toBe(50n)
  })

  test('a range once seen in use is read at once and stays covered when it is emptied', async () => {
    put('P', secpUtxo(await at(0, 120), 1n))
    const { pvm } = sources()
    expect(await nativeOf(pvm)).toBe(1n)
    node().ledger.memories.set('P', [])
    put('P', secpUtxo(await at(0, 170), 2n))
    node().calls.length = 0
    expect(await nativeOf(pvm)).toBe(2n)
    expect(count('platform.getUTXOs')).toBe(3)
    // A scanner without that memory finds nothing: the node cannot show what was spent.
    expect(await nativeOf(sources().pvm)).toBe(0n)
  })

  test('two texts of one key, which differ in where they say it comes from, find the same', async () => {
    put('P', secpUtxo(await at(0, 0), 1n), secpUtxo(await at(1, 130), 10n), secpUtxo(await at(1, 90), 100n))
    // As hardware wallets write it: no depth, no parent, no number.
    const payload = Buffer.from(decodeBase58(KEY)).subarray(0, -4).fill(0, 4, 13)
    const same = encodeBase58(Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)]))
    const wallets = [wallet([KEY], [], 'one'), wallet([same], [], 'other'), wallet([same, KEY], [], 'both')]
    expect(natives(await sources().pvm.readBalances(wallets, context()))).toEqual({
      one: 111n,
      other: 111n,
      both: 111n,
    })
  })

  test('that is not valid fails its own wallet only', async () => {
    put('P', secpUtxo(await at(0, 0), 1n))
    const bad = KEY.replace('c', 'd')
    const outcomes = await sources().pvm.readBalances(
      [wallet([KEY], [], 'good'), wallet([bad], [], 'bad'), wallet([KEY, bad], [], 'mixed')],
      context(),
    )
    expect(outcomes.get('good')).toMatchObject({ ok: true, value: { native: 1n } })
    expect(outcomes.get('bad')).toMatchObject({ ok: false, error: { message: expect.stringContaining('checksum') } })
    expect(outcomes.get('mixed')).toMatchObject({ ok: false })
  })

  test('the scan starts over when the chain moves between two windows', async () => {
    const early = secpUtxo(await at(0, 0), 1n)
    const late = secpUtxo(await at(0, 150), 1n)
    put('P', early, secpUtxo(await at(0, 100), 10n))
    let moved = false
    node().before = (call) => {
      // Between the first and the second window, the coin of index 0 moves to index 150.
      if (
        !moved &&
        call.method === 'platform.getUTXOs' &&
        ((call.params['addresses'] as string[]) ?? []).length === 384
      ) {
        moved = true
        node().ledger.heights.P += 1
        node().ledger.memories.set('P', [late, ...(node().ledger.memories.get('P') ?? []).slice(1)])
        node().reindex()
      }
      return undefined
    }
    expect(await nativeOf(sources().pvm)).toBe(11n)
    expect(moved).toBe(true)
    node().before = () => undefined
  })

  test('the scan goes on while somebody waits, and its sockets close when the last has left', async () => {
    const { pvm, avm } = sources()
    const hold = async (left: 'first' | 'both') => {
      const closed = node().closed
      let release = () => {}
      const held = new Promise<undefined>((resolve) => {
        release = () => resolve(undefined)
      })
      node().calls.length = 0
      node().before = () => held
      const readers = [new AbortController(), new AbortController()] as const
      const deadline = Date.now() + 20_000
      const p = pvm.readBalances([wallet([KEY])], { signal: readers[0].signal, deadline })
      const x = avm.readBalances([wallet([KEY])], { signal: readers[1].signal, deadline })
      await eventually(() => expect(count('avm.getUTXOs')).toBe(3))
      readers[0].abort()
      await expect(p).rejects.toMatchObject({ code: 'CANCELLED' })
      if (left === 'both') {
        readers[1].abort()
        await expect(x).rejects.toMatchObject({ code: 'CANCELLED' })
        await eventually(() => expect(node().closed - closed).toBe(7))
      }
      release()
      if (left === 'first') expect((await x).get('w')).toMatchObject({ ok: true })
      return node().closed - closed
    }
    await nativeOf(pvm)
    expect(await hold('first')).toBe(0)
    expect(await hold('both')).toBe(7)
    // The next reader starts anew instead of joining what was given up.
    node().before = () => undefined
    expect(await nativeOf(pvm)).toBe(0n)
  })
})
