import { expect, it, onTestFinished } from 'vitest'
import { UpstreamUnavailableError } from '../../../src/errors.ts'
import { createEvmLayer } from '../../../src/indexer/evm/index.ts'
import { createUpstreamPool, type UpstreamPool } from '../../../src/upstream/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { recordedBlocks, recordedSources, startSettlingNode } from './settling-chain.ts'

const { signal } = new AbortController()
const all = recordedBlocks()
const WANTED = recordedSources()

/** As a node traces a block in which nothing was sent. */
const tracesOf = (height: number) =>
  all
    .find(({ block }) => Number(block.number) === height)
    ?.block.transactions.map(({ hash, from, to }) => ({
      txHash: hash,
      result: { type: 'CALL', from, ...(to == null ? {} : { to }) },
    }))

/**
 * Names of contracts in all blocks, which come in parts of a page.
 * @param failing the block that cannot be traced once, after all names of its part have been told
 */
async function learned(failing?: number) {
  const pool = createUpstreamPool('c', [{ url: (await startSettlingNode()).url }], TEST_LIMITS)
  onTestFinished(() => pool.close())
  let calls = { open: 0, over: 0 }
  let fails = 0
  const rpc = async (path: string, method: string, params: [string], options: never): Promise<unknown> => {
    if (method !== 'debug_traceBlockByNumber') {
      calls.open += 1
      return pool.rpc(path, method, params, options).finally(() => {
        calls.over += 1
      })
    }
    if (Number(params[0]) !== failing || fails > 0) return tracesOf(Number(params[0]))
    fails += 1
    await eventually(() => expect(calls.over).toBe(calls.open))
    throw new UpstreamUnavailableError('no node answered')
  }
  const layer = createEvmLayer({ ...pool, rpc } as unknown as UpstreamPool, '', { traces: 'auto' })
  const names: Record<string, unknown> = {}
  for (let done = 0; done < WANTED.length; ) {
    calls = { open: 0, over: 0 }
    const facts = await layer.fetch(WANTED.slice(done), signal)
    for (const one of facts) Object.assign(names, Object.fromEntries(one.names))
    done += facts.length
  }
  return { names, fails }
}

it('a contract keeps its name where the blocks that it first shows in are read again, as a trace failed', async () => {
  const { names } = await learned()
  expect(Object.keys(names)).toHaveLength(2)
  expect(await learned(122)).toEqual({ names, fails: 1 })
})
