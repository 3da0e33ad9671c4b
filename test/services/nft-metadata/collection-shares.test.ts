import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createCollectionShares } from '../../../src/services/nft-metadata/collection-shares.ts'
import { createNftMetadataWorker, type FetchDocument } from '../../../src/services/nft-metadata/index.ts'
import type { DueNft } from '../../../src/store/index.ts'
import { until } from '../../support/waiting/until.ts'
import { abiString, DUE } from './due-token.ts'

const HOG = '22'.repeat(20)
const OTHER = '33'.repeat(20)

it('a collection with many tokens at many hosts that say nothing leaves places to others', async () => {
  const begun: string[] = []
  const fetch: FetchDocument = (url, { signal }) =>
    new Promise((resolve, reject) => {
      begun.push(url)
      if (url === 'http://quick/') return resolve({ body: Buffer.from('{"name":"a"}'), mediaType: '' })
      if (signal.aborted) return reject(new Error('gone'))
      signal.addEventListener('abort', () => reject(new Error('gone')))
    })
  const queue: DueNft[] = [
    ...Array.from({ length: 60 }, (_, at) => ({ ...DUE, contract: HOG, tokenId: BigInt(at) })),
    ...Array.from({ length: 20 }, (_, at) => ({ ...DUE, contract: OTHER, tokenId: BigInt(at) })),
  ]
  const stored: string[] = []
  const worker = createNftMetadataWorker({
    records: {
      takeDue: async (limit, _lease, which, without = []) => {
        const due = which === 'asked' ? [] : queue.filter(({ contract }) => !without.includes(contract)).slice(0, limit)
        for (const token of due) queue.splice(queue.indexOf(token), 1)
        return due
      },
      store: async ({ contract }) => void stored.push(contract),
      giveBack: async (token) => void queue.push(token as DueNft),
    },
    call: async (_chain, { to, data }) =>
      abiString(to.endsWith(HOG) ? `http://h${Number.parseInt(data.slice(-2), 16)}/` : 'http://quick/'),
    fetch,
    logger: pino({ level: 'silent' }),
    pollMs: 10,
  })
  worker.start()
  onTestFinished(() => worker.stop())
  await until(() => stored.length === 20, 'the other collection')
  expect(stored).toEqual(Array(20).fill(OTHER))
  expect(begun.filter((url) => url !== 'http://quick/')).toHaveLength(4)
})

it('what a collection has no more places for goes back to the queue at once: it would be nobody’s until its lease ends', async () => {
  const due = [HOG, HOG, OTHER, OTHER, HOG, HOG, HOG, HOG].map((contract, at) => ({
    ...DUE,
    contract,
    tokenId: BigInt(at),
  }))
  const given: [bigint, number][] = []
  const worker = createNftMetadataWorker({
    records: {
      takeDue: async (limit, _lease, which) => (which === 'asked' ? [] : due.splice(0, limit)),
      store: async () => {},
      giveBack: async ({ tokenId }, wait) => void given.push([tokenId, wait]),
    },
    call: (_chain, _call, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('gone')))),
    fetch: () => Promise.reject(new Error('not asked')),
    logger: pino({ level: 'silent' }),
    pollMs: 10,
  })
  worker.start()
  onTestFinished(() => worker.stop())
  await until(() => given.length === 2, 'those beyond four')
  expect(given).toEqual([
    [6n, 0],
    [7n, 0],
  ])
})

it('a collection of which very much is asked for leaves places to what is asked for of others, and to what nobody waits for', async () => {
  const fetch: FetchDocument = (url, { signal }) =>
    new Promise((resolve, reject) => {
      if (url === 'http://quick/') return resolve({ body: Buffer.from('{"name":"a"}'), mediaType: '' })
      if (signal.aborted) return reject(new Error('gone'))
      signal.addEventListener('abort', () => reject(new Error('gone')))
    })
  const queue: DueNft[] = [
    ...Array.from({ length: 200 }, (_, at) => ({ ...DUE, contract: HOG, tokenId: BigInt(at), asked: true })),
    { ...DUE, contract: OTHER, tokenId: 1n, asked: true },
    { ...DUE, contract: OTHER, tokenId: 2n },
  ]
  const stored: bigint[] = []
  const worker = createNftMetadataWorker({
    records: {
      takeDue: async (limit, _lease, which, without = []) => {
        const ofKind = queue.filter(({ asked }) => asked === (which === 'asked'))
        const due = ofKind.filter(({ contract }) => !without.includes(contract)).slice(0, limit)
        for (const token of due) queue.splice(queue.indexOf(token), 1)
        return due
      },
      store: async ({ tokenId }) => void stored.push(tokenId),
      giveBack: async (token) => void queue.push(token as DueNft),
    },
    call: async (_chain, { to }) => abiString(to.endsWith(HOG) ? 'http://slow/' : 'http://quick/'),
    fetch,
    logger: pino({ level: 'silent' }),
    pollMs: 10,
  })
  worker.start()
  onTestFinished(() => worker.stop())
  await until(() => stored.length === 2, 'the other collection')
  expect(new Set(stored)).toEqual(new Set([1n, 2n]))
})

it('however many collections that are asked for are at hosts that hang, they leave places to what is asked for of others', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const contractOf = (at: number): string => (0x40 + at).toString(16).repeat(20)
  const timedOut = new Set<string>()
  const fetch: FetchDocument = (url, { signal }) =>
    new Promise((resolve, reject) => {
      if (url === 'http://quick/') return resolve({ body: Buffer.from('{"name":"a"}'), mediaType: '' })
      const collection = url.slice(0, 'http://40'.length)
      if (!timedOut.has(collection)) {
        timedOut.add(collection)
        vi.advanceTimersByTime(10_000)
        return reject(new Error('no answer in time'))
      }
      if (signal.aborted) return reject(new Error('gone'))
      signal.addEventListener('abort', () => reject(new Error('gone')))
    })
  const queue: DueNft[] = [
    ...Array.from({ length: 12 * 16 }, (_, at) => ({ ...DUE, contract: contractOf(at % 12), tokenId: BigInt(at) })),
    { ...DUE, contract: OTHER, tokenId: 999n },
  ].map((token) => ({ ...token, asked: true }))
  const stored: string[] = []
  const worker = createNftMetadataWorker({
    records: {
      takeDue: async (limit, _lease, which, without = []) => {
        const due = which === 'asked' ? queue.filter(({ contract }) => !without.includes(contract)).slice(0, limit) : []
        for (const token of due) queue.splice(queue.indexOf(token), 1)
        return due
      },
      store: async ({ contract }) => void stored.push(contract),
      giveBack: async (token) => void queue.push(token as DueNft),
    },
    call: async (_chain, { to, data }) =>
      abiString(to.endsWith(OTHER) ? 'http://quick/' : `http://${to.slice(-2)}-${data.slice(-2)}/`),
    fetch,
    logger: pino({ level: 'silent' }),
    pollMs: 10,
  })
  worker.start()
  onTestFinished(() => worker.stop())
  await until(() => stored.includes(OTHER), 'the other collection')
})

it('collections whose documents take long have a place each, and half of all together; who becomes quick has its share again', () => {
  const shares = createCollectionShares(4, 8)
  const entered = (contract: string, tries: number): number =>
    Array.from({ length: tries }, () => shares.enter(contract)).filter(Boolean).length
  expect(entered('quick', 6)).toBe(4)
  expect(shares.full()).toEqual(['quick'])
  const slow = Array.from({ length: 12 }, (_, at) => `slow ${at}`)
  for (const contract of slow) shares.took(contract, 3_000)
  expect(slow.map((contract) => entered(contract, 2))).toEqual([...Array(8).fill(1), ...Array(4).fill(0)])
  expect(new Set(shares.full())).toEqual(new Set(['quick', ...slow]))
  shares.leave('slow 0')
  shares.took('slow 0', 100)
  expect(entered('slow 0', 6)).toBe(4)
  expect(entered('slow 9', 2)).toBe(1)
  for (let left = 0; left < 4; left += 1) shares.leave('quick')
  expect(shares.full()).not.toContain('quick')
})

it('a document that is done frees one place, not more', () => {
  const shares = createCollectionShares(2, 1)
  expect([shares.enter(HOG), shares.enter(HOG), shares.enter(HOG)]).toEqual([true, true, false])
  shares.leave(HOG)
  expect([shares.enter(HOG), shares.enter(HOG)]).toEqual([true, false])
})
