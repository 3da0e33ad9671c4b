import { expect, it, onTestFinished } from 'vitest'
import { createAvalancheNetwork } from '../../../src/chains/avalanche/index.ts'
import {
  readCurrentStakers,
  readPTx,
  readSupply,
} from '../../../src/indexer/primary/genesis/inferred/node-questions.ts'
import { idFromCb58 } from '../../../src/lib/bytes/ids.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { startLyingProxy } from '../lying-proxy.ts'

const signal = new AbortController().signal

it.each([
  { how: 'is in trouble', said: { error: { code: -32_000, message: 'closed database' } } },
  { how: 'tells what is none', said: { result: { tx: '0x00', validators: [{}] } } },
])('what stands in no block is asked of another node where the first one $how', async ({ said }) => {
  const node = await startReplayNode()
  const other = await startLyingProxy(node.url, (truth, { body }) =>
    /getTx|getCurrentValidators|getCurrentSupply/.test(body)
      ? Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, ...said }))
      : truth,
  )
  const pool = createUpstreamPool('recorded', [{ url: other.url }, { url: node.url, priority: 1 }], {
    ...TEST_LIMITS,
    hedgeMinMs: 0,
  })
  onTestFinished(async () => {
    await pool.close()
    await Promise.all([other.stop(), node.stop()])
  })
  const { blockchainIds } = await createAvalancheNetwork({ pool }).facts()
  const chain = idFromCb58(blockchainIds.X)
  expect((await readPTx(pool, chain, signal)).id).toBe(chain)
  expect(await readCurrentStakers(pool, signal)).not.toEqual([])
  expect(await readSupply(pool, { signal })).toBeGreaterThan(0n)
  expect(other.lies).toBe(3)
})
