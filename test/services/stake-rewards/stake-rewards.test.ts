import { HDKey } from '@scure/bip32'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { formatBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { hash160 } from '../../../src/lib/bytes/hash160.ts'
import { bytesToHex, hexToBytes } from '../../../src/lib/bytes/ids.ts'
import { createStakeRewards, StakeIndexError } from '../../../src/services/stake-rewards/index.ts'
import type { IndexReader, Store } from '../../../src/store/index.ts'
import { parseAddress } from '../../store/recorded-rows.ts'
import { LETTERS, recordedRanges, recordedTruth } from '../../store/recorded-truth.ts'
import { openTestStore } from '../../support/store/store.ts'

interface Truth {
  historical: { total: string }
  stakeOwned: { total: string; ofWhichMultiOwner: string }
  pending: { net: string }
}

const truth = Object.entries(recordedTruth<Record<string, Truth>>('rewards-by-address'))
const account = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/44'/9000'/0'")
const below = (branch: number, index: number): string => {
  const { publicKey } = account.deriveChild(branch).deriveChild(index)
  if (!publicKey) throw new Error('no public key')
  return bytesToHex(hash160(publicKey))
}
/** Places of the wallet that stakers get: on both branches, and behind a gap that the scan has to bridge. */
const PLACES: [number, number][] = [
  [0, 0],
  [0, 17],
  [1, 3],
  [0, 36],
  [1, 20],
  // Behind those that P knows, and one that is in use on X alone.
  [0, 110],
]
/** The recorded network's stakers, by their new addresses. */
const stakers = new Map(
  truth.slice(0, PLACES.length).map(([address], i) => [parseAddress(address), below(...(PLACES[i] ?? [0, 0]))]),
)
const ONLY_ON_X = 'fuji1pe6q5ddp85lu5dkwa3nj5sr0m3qcz22nrvkczm'
const moved = new Map([...stakers, [parseAddress(ONLY_ON_X), below(0, 91)]])

let store: Store
let confirmedAt: number
/** The recorded network as mainnet, with owners that one wallet has the keys of. */
beforeAll(async () => {
  store = openTestStore()
  await store.open()
  for (const letter of LETTERS) {
    const name = `mainnet:${letter}`
    const stream = { name, kind: 'primary' as const, network: 'mainnet', testnet: false }
    await store.writer.register(
      letter === 'C' ? { ...stream, chain: letter, evmChainId: 43114n } : { ...stream, chain: letter },
    )
    for (const { rows, progress } of recordedRanges(letter, 100))
      await store.writer.commitRange(name, { primary: withNewOwners(rows) }, progress)
  }
  confirmedAt = Number((await store.reader.progress()).find(({ stream }) => stream === 'mainnet:P')?.currentAtMs)
})
afterAll(() => store?.close())

function withNewOwners<T>(value: T): T {
  if (typeof value === 'string') return (moved.get(value) ?? value) as T
  if (Array.isArray(value)) return value.map(withNewOwners) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withNewOwners(part)])) as T
}

type Progress = Awaited<ReturnType<IndexReader['progress']>>[number]

/** Asked `late` milliseconds after the index was last known to be at the tip. */
const service = (
  late = 0,
  configured = true,
  index: IndexReader = store.reader,
  streams = ['mainnet:P', 'mainnet:X'],
  expectNetwork = async (_side: string): Promise<void> => undefined,
) =>
  createStakeRewards({
    index,
    serves: () => configured,
    isIndexed: (stream) => streams.includes(stream),
    expectNetwork,
    maxIndexAgeMs: 60_000,
    gap: 20,
    now: () => confirmedAt + late,
  })
const mainnet = (hex: string): string => `P-${formatBech32Address(hexToBytes(hex), 'avax')}`

it('adds up a whole wallet from its extended public key, on mainnet', async () => {
  const { publicExtendedKey: extendedPublicKey } = account
  const found = await service().read({ side: 'mainnet', extendedPublicKey })
  expect(found).toEqual(await service().read({ side: 'mainnet', addresses: [...stakers.values()].map(mainnet) }))
  const owned = truth.slice(0, PLACES.length).map(([, one]) => one)
  const sum = (choose: (one: Truth) => string) => owned.reduce((total, one) => total + BigInt(choose(one)), 0n)
  expect(found.pendingStake).toBe(sum(({ stakeOwned }) => stakeOwned.total))
  expect(found.historical).toBeGreaterThan(0n)
  expect(found.pendingStake).toBeGreaterThan(0n)
  expect(found.estimated).toBeGreaterThan(0n)
})

it('answers for single addresses of mainnet as for those of the testnet', async () => {
  for (const [address, { historical, stakeOwned, pending }] of truth) {
    const hex = parseAddress(address)
    const { place, ...found } = await service().read({ side: 'mainnet', addresses: [mainnet(moved.get(hex) ?? hex)] })
    expect(place).toEqual({ height: 371n, ageMs: 0, disowned: false })
    const expected = { historical: historical.total, pendingStake: stakeOwned.total, estimated: pending.net }
    expect(Object.fromEntries(Object.entries(found).map(([name, amount]) => [name, amount.toString()]))).toEqual(
      expected,
    )
  }
})

it.each([
  [79, 200],
  [80, 300],
])('looks no further behind as many unused addresses as end a scan: last used %d', async (last, looked) => {
  const used = below(0, last)
  const asked = new Set<string>()
  const index: IndexReader = {
    ...store.reader,
    activity: {
      last: async (_, addresses) => {
        for (const address of addresses) asked.add(address)
        return addresses.includes(used) ? { time: 0n, height: 0n, txId: '', utxoId: '', isConsumed: false } : undefined
      },
    },
  }
  await service(0, true, index).read({ side: 'mainnet', extendedPublicKey: account.publicExtendedKey })
  expect(asked.size).toBe(looked)
})

it('is zero for a key that owns nothing', async () => {
  const { publicExtendedKey } = HDKey.fromMasterSeed(new Uint8Array(32).fill(8))
  const found = await service().read({ side: 'mainnet', extendedPublicKey: publicExtendedKey })
  expect(found).toMatchObject({ historical: 0n, pendingStake: 0n, estimated: 0n })
})

it('adds up no key while X is behind, or not there yet: addresses that are in use on it alone would end the scan', async () => {
  const { publicExtendedKey: extendedPublicKey } = account
  const whose = { side: 'mainnet' as const, extendedPublicKey }
  const withX = (change: (at: Progress) => Progress[]): IndexReader => ({
    ...store.reader,
    progress: async () =>
      (await store.reader.progress()).flatMap((at) => (at.stream === 'mainnet:X' ? change(at) : [at])),
  })
  const behind = withX((at) => [{ ...at, currentAtMs: BigInt(confirmedAt - 61_000) }])
  await expect(service(0, true, behind).read(whose)).rejects.toMatchObject({
    status: 503,
    message: expect.stringMatching(/^the index of the X-chain of the mainnet is 61 s old/),
  })
  const missing = withX(() => [])
  await expect(service(0, true, missing).read(whose)).rejects.toMatchObject({
    status: 503,
    message: 'the X-chain of the mainnet is not indexed yet',
  })
  // Addresses need no scan, and where X is left out on purpose nobody waits for it.
  const addresses = [...stakers.values()].map(mainnet)
  expect((await service(0, true, behind).read({ side: 'mainnet', addresses })).pendingStake).toBeGreaterThan(0n)
  expect((await service(0, true, missing, ['mainnet:P']).read(whose)).pendingStake).toBeGreaterThan(0n)
})

it('refuses with 503 when the index has fallen behind, or has nothing of that network yet; 404 when it never will', async () => {
  const addresses = [mainnet([...moved.values()][0] ?? '')]
  const behind = service(61_000).read({ side: 'mainnet', addresses })
  await expect(behind).rejects.toBeInstanceOf(StakeIndexError)
  await expect(behind).rejects.toMatchObject({
    status: 503,
    message: expect.stringMatching(/is 61 s old \(at most 60 s are served\); it stands at block 371$/),
    place: { ageMs: 61_000 },
  })
  const toCome = service(0, true, store.reader, ['testnet:P'])
  await expect(toCome.read({ side: 'testnet', addresses })).rejects.toMatchObject({
    status: 503,
    retryable: true,
    message: 'the P-chain of the testnet is not indexed yet',
  })
  await expect(service().read({ side: 'testnet', addresses })).rejects.toMatchObject({
    status: 503,
    retryable: false,
    message: 'the P-chain of the testnet is not indexed here',
  })
  const givenUp = service(61_000, true, store.reader, ['mainnet:X'])
  await expect(givenUp.read({ side: 'mainnet', addresses })).rejects.toMatchObject({
    status: 503,
    retryable: false,
    message: 'the P-chain of the mainnet is not indexed here',
  })
  await expect(service(0, false).read({ side: 'testnet', addresses })).rejects.toMatchObject({
    status: 404,
    message: 'the testnet is not served here',
  })
})

it('sums nothing up of an index of another network, and no key without end', async () => {
  const foreign = async (side: string) => {
    throw new Error(`${side} is another network`)
  }
  const other = service(0, true, store.reader, ['mainnet:P'], foreign)
  const addresses = [mainnet([...moved.values()][0] ?? '')]
  await expect(other.read({ side: 'mainnet', addresses })).rejects.toThrow('mainnet is another network')

  const activity = { last: async () => ({}) }
  const busy = service(0, true, { ...store.reader, activity } as unknown as IndexReader)
  const { publicExtendedKey: extendedPublicKey } = account
  await expect(busy.read({ side: 'mainnet', extendedPublicKey })).rejects.toMatchObject({
    status: 400,
    message: 'the extended public key has too many addresses in use',
  })
})
