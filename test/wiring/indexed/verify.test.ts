import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { type Config, createConfig, type Partially } from '../../../src/config/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { runVerify } from '../../../src/wiring/indexed/verify.ts'
import { indexedHeights, recordedIndex, untilIndexed } from '../../support/recorded/recorded-index.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { createStage } from '../../support/server/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

const verify = (settings: Partially<Config>) =>
  runVerify(createConfig(settings), { samples: 4, seconds: 300, seed: 7 }, new AbortController().signal)

it('follows the chains into an embedded database: addresses are compared though the network has gone on', async () => {
  const node = await startReplayNode({ upTo: { P: 300, X: 150, C: 500 } })
  const dataDir = stage.folder()
  const settings = { ...recordedIndex(node.url), dataDir }
  const server = await stage.serve(settings)
  await untilIndexed(server.url, { P: 300, X: 150, C: 500 })
  await server.app.close()
  node.moveTo(node.last)

  const report = await verify(settings)
  expect(report).toEqual({
    blocks: 12,
    addresses: 4,
    outputs: 4,
    l1Validators: 4,
    unsettled: 0,
    unanswered: [],
    missing: [],
    differences: [],
  })

  // What it read is there for the server.
  const again = await stage.serve(settings)
  await node.stop()
  await untilIndexed(again.url)
})

it('compares the chains that are indexed where P is none of them', async () => {
  const node = await startReplayNode({ upTo: { P: 20, X: 10, C: 10 } })
  const index = { enabled: true, streams: ['testnet:C'] }
  const settings = { ...recordedIndex(node.url), index, dataDir: stage.folder() }
  const server = await stage.serve(settings)
  await expect.poll(async () => (await indexedHeights(server.url))[2]).toBe(10)
  await server.app.close()

  const { blocks, missing, differences } = await verify(settings)
  await node.stop()
  expect({ blocks, missing, differences }).toEqual({ blocks: 4, missing: [], differences: [] })
})

it('names chains that the database lacks, and does not begin them there', async () => {
  const node = await startReplayNode({ upTo: { P: 20, X: 10, C: 10 } })
  const dataDir = stage.folder()
  const settings = { ...recordedIndex(node.url), dataDir }
  const server = await stage.serve({ ...settings, index: { enabled: true, streams: ['testnet:P'] } })
  await expect.poll(async () => (await indexedHeights(server.url))[0]).toBe(20)
  await server.app.close()

  const { blocks, missing, differences } = await verify(settings)
  expect({ blocks, missing, differences }).toEqual({
    blocks: 4,
    missing: ['testnet:X', 'testnet:C'],
    differences: [],
  })
  const logger = pino({ level: 'silent' })
  const store = openStore({ dataDir: join(dataDir, 'store'), logger })
  const streams = (await store.reader.progress()).map(({ stream }) => stream)
  await store.close()
  await node.stop()
  expect(streams).toEqual(['testnet:P'])
})
