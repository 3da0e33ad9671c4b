import { expect, it, onTestFinished } from 'vitest'
import { pFormat, xFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { createCHeightApi, createHeightApi } from '../../../src/indexer/primary/sources/height-api.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import type { UpstreamPool } from '../../../src/upstream/types.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { type Lie, startLyingProxy } from '../lying-proxy.ts'

const apis = {
  P: (pool: UpstreamPool) => createHeightApi(pool, pFormat),
  X: (pool: UpstreamPool) => createHeightApi(pool, xFormat),
  C: (pool: UpstreamPool) => createCHeightApi(pool),
}
type Chain = keyof typeof apis

/** Changes what is told of blocks by height. */
const aboutBlocks =
  (change: (result: { block?: string }) => unknown): Lie =>
  (body, { body: asked }) => {
    if (!/get_?BlockBy(Height|Number)/i.test(asked)) return body
    const said = JSON.parse(body.toString())
    const changed = (entry: { result: object }) => ({ ...entry, result: change(entry.result) })
    return Buffer.from(JSON.stringify(Array.isArray(said) ? said.map(changed) : changed(said)))
  }

let first: unknown
const LIES: Record<string, Lie> = {
  'the same block for every height': aboutBlocks((result) => {
    first ??= result
    return first
  }),
  'no bytes': aboutBlocks(() => ({ block: 'nothing', hash: '0x' })),
}

const cases = (Object.keys(apis) as Chain[]).flatMap((chain) => Object.keys(LIES).map((lie) => ({ chain, lie })))

it.each(cases)('believes nobody who tells $lie by height: $chain', async ({ chain, lie }) => {
  first = undefined
  const node = await startReplayNode()
  const liar = await startLyingProxy(node.url, LIES[lie] as Lie)
  const limits = { ...TEST_LIMITS, hedgeMinMs: 0 }
  const pool = createUpstreamPool('recorded', [{ url: liar.url }, { url: node.url, priority: 1 }], limits)
  const honest = createUpstreamPool('honest', [{ url: node.url }], limits)
  onTestFinished(async () => {
    await Promise.all([pool.close(), honest.close()])
    await liar.stop()
    await node.stop()
  })
  const signal = new AbortController().signal
  const after = await apis[chain](honest).block(4n, signal)
  const { blocks } = await apis[chain](honest).read(after, signal)
  const read = await apis[chain](pool).read(after, signal)
  expect(liar.lies).toBeGreaterThan(0)
  expect(read.blocks.slice(0, 50).map(({ id }) => id)).toEqual(blocks.slice(0, 50).map(({ id }) => id))
})

it.each(Object.keys(apis) as Chain[])(
  'continues the stored block only, and not behind a node that lags: %s',
  async (chain) => {
    const node = await startReplayNode({ upTo: { [chain]: 6 } })
    const pool = createUpstreamPool('recorded', [{ url: node.url }], TEST_LIMITS)
    onTestFinished(async () => {
      await pool.close()
      await node.stop()
    })
    const signal = new AbortController().signal
    const api = apis[chain](pool)
    const [fourth, fifth] = [await api.block(4n, signal), await api.block(5n, signal)]
    expect((await api.read(fourth, signal)).blocks[0]?.id).toBe(fifth.id)
    await expect(api.read({ height: 4n, id: fifth.id }, signal)).rejects.toThrow('does not continue 4')
    await expect(api.read({ height: 7n, id: fifth.id }, signal)).rejects.toThrow('is at 6 only, 7 is stored')
  },
)
