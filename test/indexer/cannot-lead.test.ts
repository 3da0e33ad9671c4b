import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createIndexer, type IndexerDeps } from '../../src/indexer/indexer.ts'
import { NewerSchemaError } from '../../src/store/errors.ts'

it('a database of which the process cannot be the writer is told once, and again each minute', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const lines: Record<string, unknown>[] = []
  const trouble = { error: new Error('no connection') }
  const indexer = createIndexer({
    streams: [{ definition: { name: 'testnet:P' } }],
    writer: { lead: async () => Promise.reject(trouble.error) },
    logger: pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  } as unknown as IndexerDeps)
  onTestFinished(() => indexer.stop())
  const told = () => lines.map(({ err, others }) => [(err as { message: string }).message.slice(0, 30), others])
  indexer.start()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(told()).toEqual([['no connection', undefined]])
  expect(indexer.status().role).toBe('starting')
  // What is wrong now is something else.
  trouble.error = new NewerSchemaError('9999-later')
  await vi.advanceTimersByTimeAsync(50_000)
  const schema = 'the database has the schema of'
  expect(told().slice(1)).toEqual([[schema, undefined]])
  // A process of that version writes.
  expect(indexer.status().role).toBe('standby')
  await vi.advanceTimersByTimeAsync(14_000)
  expect(told().slice(2)).toEqual([[schema, 29]])
})
