import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createConfig } from '../../src/config/index.ts'
import { runVerify } from '../../src/wiring/verify.ts'
import { putDatabase } from '../support/migrated-archive.ts'
import { recordedIndex, untilIndexed } from '../support/recorded-index.ts'
import { startReplayNode } from '../support/replay-node/index.ts'
import { createStage } from '../support/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

it('follows the chains into an embedded database: addresses are compared though the network has gone on', async () => {
  const node = await startReplayNode({ upTo: { P: 300, X: 150, C: 500 } })
  const dataDir = stage.folder()
  await putDatabase(join(dataDir, 'store'))
  const settings = { ...recordedIndex(node.url), dataDir }
  const server = await stage.serve(settings)
  await untilIndexed(server.url, { P: 300, X: 150, C: 500 })
  await server.app.close()
  node.moveTo(node.last)

  const report = await runVerify(
    createConfig(settings),
    { samples: 4, seconds: 300, seed: 7 },
    new AbortController().signal,
  )
  expect(report).toEqual({ blocks: 12, addresses: 4, unsettled: 0, unanswered: [], missing: [], differences: [] })

  // What it read is there for the server.
  const again = await stage.serve(settings)
  await node.stop()
  await untilIndexed(again.url)
}, 300_000)
