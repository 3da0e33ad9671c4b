import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createIndexer } from '../../src/indexer/index.ts'
import type { ChainStream, StreamBlock } from '../../src/indexer/runner/stream.ts'
import type { IndexWriter } from '../../src/store/index-writer.ts'
import { eventually } from '../support/waiting/eventually.ts'

const TIP = { height: 7n, blockId: '07', time: 1_700_000_000n }

/** Leads at once, and keeps nothing. */
const writer = {
  lead: async () => ({ lost: new AbortController().signal, release: async () => {} }),
  register: async (name: string) => ({ stream: name, tip: TIP, transactions: 0n, currentAtMs: 0n }),
  confirmTip: async () => {},
} as unknown as IndexWriter

it('any number of streams runs without a warning of leaks', async () => {
  const warnings: Error[] = []
  const note = (warning: Error): void => void warnings.push(warning)
  process.on('warning', note)
  let mended = 0
  const stream = (name: string): ChainStream<StreamBlock> => ({
    definition: { name } as ChainStream<StreamBlock>['definition'],
    firstHeight: 0n,
    fetch: async () => ({ blocks: [], tip: 7n }),
    mend: async () => {
      mended += 1
      return 60_000
    },
    open: async () => ({ apply: () => ({ rows: {} as never }) }),
  })
  const streams = Array.from({ length: 12 }, (_, at) => stream(`eip155:${at + 1}`))
  const indexer = createIndexer({ writer, streams, logger: pino({ level: 'silent' }) })
  try {
    indexer.start()
    await eventually(() => expect(mended).toBe(streams.length))
    // Warnings come a turn later.
    await new Promise(setImmediate)
    expect(warnings.map(({ name }) => name)).toEqual([])
  } finally {
    process.off('warning', note)
    await indexer.stop()
  }
})
