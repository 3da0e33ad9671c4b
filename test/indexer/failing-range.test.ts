import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { BadAnswerError } from '../../src/errors.ts'
import type { ChainStream, StreamBlock } from '../../src/indexer/runner/stream.ts'
import { createStreamRunner } from '../../src/indexer/runner/stream-runner.ts'
import type { IndexWriter } from '../../src/store/index-writer.ts'
import { eventually } from '../support/waiting/eventually.ts'
import { gate } from '../support/waiting/gate.ts'

it('a stream that fails begins anew when what it was writing is written: it would take the tip of before for its own', async () => {
  const { opened, open } = gate()
  onTestFinished(open)
  let [begun, writing] = [0, false]
  const block = { height: 0n, id: '00', parentId: 'ff', time: 0n }
  const stream = {
    definition: { name: 'testnet:P' },
    firstHeight: 0n,
    fetch: async (from: bigint) => {
      if (from === 0n) return { blocks: [block], tip: 1n }
      throw new BadAnswerError('not this')
    },
    open: async () => ({ apply: () => ({ rows: {} }) }),
  } as unknown as ChainStream<StreamBlock>
  const writer = {
    register: async () => {
      begun += 1
      return { stream: 'testnet:P', transactions: 0n, currentAtMs: 0n }
    },
    prepareRange: () => undefined,
    commitRange: async () => {
      writing = true
      await opened
    },
  } as unknown as IndexWriter
  const runner = createStreamRunner(stream, { writer, logger: pino({ level: 'silent' }), times: { retryMs: 1 } })
  const stop = new AbortController()
  const running = runner.run(stop.signal)
  onTestFinished(async () => {
    open()
    stop.abort()
    await running
  })
  await eventually(() => expect(writing).toBe(true))
  // Many times as long as it waits behind a failure.
  await sleep(100)
  expect(begun).toBe(1)
  open()
  await eventually(() => expect(begun).toBeGreaterThan(1))
})
