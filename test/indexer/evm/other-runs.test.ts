import { expect, it, onTestFinished } from 'vitest'
import { createBlockTracer } from '../../../src/indexer/evm/block-tracer.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import { createTracing } from '../../../src/indexer/evm/tracing.ts'
import type { TransactionTrace } from '../../../src/indexer/evm/value-flow.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import type { FaultServerOptions, SeenCall } from '../../support/upstream/fault-server.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

interface Recorded {
  block: RpcBlock
  receipts: RpcReceipt[]
}

/** Two blocks in which contracts send, and whom the second is about. */
const [FIRST, SECOND] = [37, 38]
const RECEIVER = 'c498a91649e3120329e77b4872d28eba668bc4e8'
const MISTAKEN = 'f'.repeat(40)

const recorded = recordedLines<Recorded>('c-blocks')
const traces = new Map(
  recordedLines<{ height: number; traces: TransactionTrace[] }>('c-traces').map((line) => [line.height, line.traces]),
)
const { signal } = new AbortController()
const single = (hash: string) => [...traces.values()].flat().find(({ txHash }) => txHash === hash)?.result ?? null

/** A node that tells this of a block (undefined: it is too much for it), and this of a transaction. */
const node = (
  ofBlock: (height: number) => unknown,
  ofTransaction: (hash: string) => unknown = single,
): FaultServerOptions => ({
  answer({ method, params }: SeenCall) {
    const [what] = params as [string]
    if (method === 'debug_traceTransaction') return ofTransaction(what)
    // Gives each of them up, as a node does that runs out of time.
    return ofBlock(Number(what)) ?? traces.get(Number(what))?.map(({ txHash }) => ({ txHash, error: 'timeout' }))
  },
})

async function stage(...nodes: FaultServerOptions[]) {
  const { pool } = await startTestPool(nodes)
  onTestFinished(() => pool.close())
  const tracer = createBlockTracer(pool, '/')
  const trace = ({ block, receipts } = recorded[SECOND] as Recorded) => tracer.trace(block, receipts, signal)
  const first = recorded[FIRST] as Recorded
  return { tracer, trace, tracing: (now: () => number) => createTracing(tracer, 'auto', now), first }
}

const firstOnly = (height: number) => (height === FIRST ? traces.get(height) : undefined)

/** As Besu runs a transaction by itself: without those before it, with more gas and other contracts. */
const asFirst = (hash: string): unknown =>
  JSON.parse(JSON.stringify({ ...single(hash), gasUsed: '0xfffff' }).replaceAll(RECEIVER, MISTAKEN))

it('nodes that answer nothing for old blocks are asked about newer ones after ten seconds', async () => {
  // As Besu does that keeps little state.
  const { tracing } = await stage({
    answer: ({ params }) => (Number((params as [string])[0]) === FIRST ? null : traces.get(SECOND)),
  })
  let now = 0
  const one = tracing(() => now)
  const read = (height: number) => one.parties([recorded[height] as Recorded], signal)
  expect(await read(FIRST)).toEqual([undefined])
  now += 10_000
  expect((await read(SECOND))[0]).toContain(RECEIVER)
  expect(one.notes()).toEqual([])
})

it('a transaction that is traced by itself in another way than it ran is told by the next node', async () => {
  const { trace, first } = await stage(node(firstOnly, asFirst), node(firstOnly))
  await trace(first)
  const parties = await trace()
  expect(parties).toContain(RECEIVER)
  expect(parties).not.toContain(MISTAKEN)
})

it('a transaction that every node traces in another way than it ran is left out, and said so', async () => {
  const { trace, tracer, first } = await stage(node(firstOnly, asFirst))
  await trace(first)
  for (let turn = 0; tracer.leftOut === 0 && turn < 50; turn++)
    await trace().catch((error: Error) => expect(error.message).toContain('is not traced'))
  expect(tracer.leftOut).toBeGreaterThan(0)
  let parties: string[] | undefined
  for (let turn = 0; parties === undefined && turn < 50; turn++) parties = await trace().catch(() => undefined)
  expect(parties).not.toContain(MISTAKEN)
})

it('nodes that leave out a part of the gas, in blocks as well, are believed', async () => {
  const lesser = (result: unknown) => ({ ...(result as object), gasUsed: '0x1' })
  const blockOf = (height: number) => firstOnly(height)?.map((trace) => ({ ...trace, result: lesser(trace.result) }))
  const { trace, first } = await stage(node(blockOf, (hash) => lesser(single(hash))))
  await trace(first)
  expect(await trace()).toContain(RECEIVER)
})
