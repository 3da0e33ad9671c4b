import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { NotFoundError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { createNftMetadataWorker, type FetchDocument } from '../../../src/services/nft-metadata/index.ts'
import type { DueNft } from '../../../src/store/index.ts'
import { until } from '../../support/waiting/until.ts'
import { abiString, DUE, loopback } from './due-token.ts'

describe('a due token', () => {
  it('goes first where a user asked for it, and does not wait behind a slow host of others', async () => {
    const gone: string[] = []
    const fetch: FetchDocument = (url, { signal }) =>
      new Promise((resolve, reject) => {
        gone.push(url)
        if (!url.startsWith('http://slow')) return resolve({ body: Buffer.from('{}'), mediaType: '' })
        if (signal.aborted) return reject(new Error('gone'))
        signal.addEventListener('abort', () => reject(new Error('gone')))
      })
    const token = (id: number, asked = false): DueNft => {
      return { ...DUE, contract: id.toString(16).padStart(40, '0'), tokenId: BigInt(id), asked }
    }
    const backlog = Array.from({ length: 40 }, (_, at) => token(at))
    const asked: DueNft[] = []
    const stored: bigint[] = []
    const worker = createNftMetadataWorker({
      records: {
        takeDue: async (limit, _lease, which) => (which === 'asked' ? asked : backlog).splice(0, limit),
        store: async ({ tokenId }) => void stored.push(tokenId),
        giveBack: async () => {},
      },
      call: async (_chain, { data }) =>
        abiString(Number.parseInt(data.slice(-2), 16) < 100 ? 'http://slow/' : `http://quick/${data.slice(-2)}`),
      fetch,
      logger: pino({ level: 'silent' }),
      pollMs: 10,
    })
    worker.start()
    onTestFinished(() => worker.stop())
    await until(() => backlog.length === 24, 'all places taken')
    // Many users may ask for tokens of the slow host, too.
    asked.push(...Array.from({ length: 30 }, (_, at) => token(60 + at, true)), token(100, true))
    await until(() => stored.length > 0, 'what was asked for')
    expect(stored).toEqual([100n])
    expect(backlog).toHaveLength(24)
    expect(gone.filter((url) => url === 'http://slow/')).toHaveLength(4)
  })

  it('is given back when the chain cannot be asked, and when the worker is stopped', async () => {
    const due: DueNft[] = [
      { ...DUE, tokenId: 1n, asked: false, attempts: 2 },
      { ...DUE, tokenId: 2n, asked: true, attempts: 99 },
      { ...DUE, tokenId: 3n, asked: true, attempts: 5 },
      { ...DUE, tokenId: 4n, chainId: 404n },
    ]
    const given: [bigint, boolean, number, number][] = []
    const worker = createNftMetadataWorker({
      records: {
        takeDue: async (limit) => due.splice(0, limit),
        store: async () => {},
        giveBack: async ({ tokenId, asked, attempts }, wait) => void given.push([tokenId, asked, attempts, wait]),
      },
      call: (chainId) =>
        Promise.reject(chainId === 404n ? new NotFoundError('not served') : new UpstreamUnavailableError('away')),
      fetch: loopback,
      logger: pino({ level: 'silent' }),
      pollMs: 10,
    })
    worker.start()
    await until(() => given.length === 3, 'what nobody waits for any more')
    await worker.stop()
    expect(given).toEqual([
      [1n, false, 2, 60],
      [2n, false, 0, 60],
      // Of a chain that is configured no longer.
      [4n, false, 0, 3_600],
      [3n, true, 6, 0],
    ])
  })

  it('that cannot be read is logged once for each trouble, not at each attempt', async () => {
    const lines: string[] = []
    const away = new Error('the database is not there')
    // Each attempt asks for both kinds.
    const answers: (Error | [])[] = [away, away, new Error('the disk is full'), away, [], [], away, [], away]
    const worker = createNftMetadataWorker({
      records: {
        takeDue: async () => {
          const answer = answers.shift() ?? []
          if (answer instanceof Error) throw answer
          return answer
        },
        store: async () => {},
        giveBack: async () => {},
      },
      call: async () => '0x',
      fetch: async () => ({ body: Buffer.from('{}'), mediaType: '' }),
      logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line).err.message) }),
      pollMs: 1,
    })
    worker.start()
    onTestFinished(() => worker.stop())
    await until(() => answers.length === 0, 'all read')
    await worker.stop()
    expect(lines).toEqual([away.message, 'the disk is full', away.message, away.message])
  })

  it('is not waited for when a worker is stopped whose database says nothing', async () => {
    let asked = 0
    const due: DueNft[] = [DUE]
    const worker = createNftMetadataWorker({
      records: {
        takeDue: async (limit) => due.splice(0, limit),
        store: async () => {},
        giveBack: () => new Promise<void>(() => {}),
      },
      call: (_chain, _call, signal) =>
        new Promise((_resolve, reject) => {
          asked += 1
          signal.addEventListener('abort', () => reject(new UpstreamUnavailableError('away')))
        }),
      fetch: loopback,
      logger: pino({ level: 'silent' }),
      pollMs: 10,
    })
    worker.start()
    await until(() => asked === 1, 'the question')
    await worker.stop()
  })
})
