import { describe, expect, it, onTestFinished } from 'vitest'
import { DeadlineError, JsonRpcError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { type BlockTracer, createBlockTracer } from '../../../src/indexer/evm/block-tracer.ts'
import { createEvmBlockReader } from '../../../src/indexer/evm/evm-reader.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import { createTracing, type TracePolicy } from '../../../src/indexer/evm/tracing.ts'
import type { TransactionTrace } from '../../../src/indexer/evm/value-flow.ts'
import { judgeRpcError } from '../../../src/upstream/json-rpc/verdicts.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import type { FaultServerOptions, Faults, SeenCall } from '../../support/upstream/fault-server.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

interface Recorded {
  block: RpcBlock
  receipts: RpcReceipt[]
}

/** Sends from a contract to sixty new addresses, and others. */
const MULTISEND = 37
const RECEIVER = '667f60b5ad922be23681e0171e050960135c77c8'
const LAST_RECEIVER = '296873569612f04e621ffeef799396a27b6672db'

/** Of its first transactions one fails; the third sends through nine calls. */
const MIXED = 38
const NESTED_RECEIVER = 'c498a91649e3120329e77b4872d28eba668bc4e8'

const recorded = recordedLines<Recorded>('c-blocks')
const traces = new Map(
  recordedLines<{ height: number; traces: TransactionTrace[] }>('c-traces').map((line) => [line.height, line.traces]),
)
const { signal } = new AbortController()
const METHODS = ['debug_traceBlockByNumber', 'debug_traceTransaction']

type Tale = (call: SeenCall, told: TransactionTrace[]) => unknown

/** A node that knows the recorded blocks; `tale` makes something else of the traces of a block. */
function node(tale: Tale = (_, told) => told, faults: Faults = {}): FaultServerOptions {
  const answer = (call: SeenCall): unknown => {
    const [what] = call.params as [string]
    const found = recorded.find(({ block }) => block.number === what)
    if (call.method === 'eth_getBlockByNumber') return found?.block ?? null
    if (call.method === 'eth_getBlockReceipts') return found?.receipts ?? null
    if (call.method === 'eth_call') return '0x'
    if (call.method === 'debug_traceBlockByNumber') return tale(call, traces.get(Number(what)) ?? [])
    return [...traces.values()].flat().find(({ txHash }) => txHash === what)?.result ?? null
  }
  return { answer, faults }
}

const refusing = (code: number, message: string, methods = METHODS): FaultServerOptions =>
  node(undefined, { rpcError: { code, message, methods } })

async function stage(traces: TracePolicy, ...servers: FaultServerOptions[]) {
  const { pool, servers: started } = await startTestPool(servers, { limits: { maxResponseBytes: 2_000_000 } })
  onTestFinished(() => pool.close())
  const reader = createEvmBlockReader(pool, '/', { traces })
  const asked = (method: string) => started.flatMap(({ stats }) => stats.seen).filter((call) => call.method === method)
  const read = async (...heights: number[]): Promise<(readonly string[])[]> => {
    const wanted = heights.map((height) => ({ height: BigInt(height) }))
    return (await reader.read(wanted, signal)).map(({ parties = [] }) => parties)
  }
  return { reader, asked, read }
}

describe('the value that contracts send', () => {
  it('is read in one call for a block, and in none where no code ran', async () => {
    const { read, asked, reader } = await stage('auto', node())
    const [plain, sent] = await read(1, MULTISEND)
    expect(plain).toEqual([])
    expect(sent).toEqual(expect.arrayContaining([RECEIVER, LAST_RECEIVER]))
    expect(asked('debug_traceBlockByNumber').map(({ params }) => params)).toEqual([['0x25', { tracer: 'callTracer' }]])
    expect(asked('debug_traceTransaction')).toEqual([])
    expect(reader.notes()).toEqual([])
  })

  it('is told apart by transaction, in whatever order their receipts come', async () => {
    const { pool } = await startTestPool([node()])
    onTestFinished(() => pool.close())
    const { block, receipts } = recorded[MIXED] as Recorded
    const tracer = createBlockTracer(pool, '/')
    const parties = await tracer.trace(block, receipts, signal)
    expect(parties).toContain(NESTED_RECEIVER)
    expect(await tracer.trace(block, [...receipts].reverse(), signal)).toEqual(parties)
  })

  it('is not asked for where it is switched off', async () => {
    const { read, asked } = await stage('off', node())
    expect(await read(MULTISEND)).toEqual([[]])
    expect(asked('debug_traceBlockByNumber')).toEqual([])
  })

  it.each<[string, FaultServerOptions]>([
    ['lacks the method', refusing(-32_601, 'the method debug_traceBlockByNumber does not exist/is not available')],
    ['has thrown the state away', refusing(-32_000, 'required historical state unavailable (reexec=128)')],
    ['says nothing', node(() => null)],
    ['leaves a transaction out', node((_, told) => told.slice(1))],
    ['tells of other transactions', node((_, told) => [...told.map(({ result }) => ({ result }))].reverse())],
    ['tells it in another form', node(() => [{ type: 'call' }])],
    ['tells numbers for hashes', node((_, told) => told.map((trace) => ({ ...trace, txHash: 7 })))],
    ['tells numbers for senders', node((_, told) => told.map((trace) => ({ ...trace, result: { from: 7 } })))],
  ])('is told by the next node where one %s', async (_, first) => {
    const { read } = await stage('required', first, node())
    expect((await read(MULTISEND))[0]).toContain(LAST_RECEIVER)
  })

  it.each<[string, FaultServerOptions]>([
    ['is larger than an answer may be', node((_, told) => [...told, 'x'.repeat(3_000_000)])],
    ['the node will not send', refusing(-32_003, 'response too large', METHODS.slice(0, 1))],
    ['took the node too long', refusing(-32_000, 'execution timeout', METHODS.slice(0, 1))],
    ['lacks transactions given up', node((_, told) => told.map(({ txHash }) => ({ txHash, error: 'timeout' })))],
  ])('is read transaction by transaction where that of a block %s', async (_, server) => {
    const { read, asked, reader } = await stage('required', server)
    expect((await read(MULTISEND))[0]).toContain(LAST_RECEIVER)
    const known = recorded[MULTISEND]?.block.transactions.length ?? 0
    expect(asked('debug_traceTransaction').length).toBeGreaterThan(known / 2)
    expect(reader.notes()).toEqual([])
  })

  it('of a transaction that no node can trace is left out after four readings, and said so', async () => {
    const { read, reader } = await stage('required', refusing(-32_000, 'execution timeout'))
    const moving = () => read(32)
    for (let turn = 0; turn < 3; turn++) await expect(moving()).rejects.toThrow('is not traced')
    expect(await moving()).toEqual([[]])
    expect(reader.notes()).toEqual(['1 transactions that nodes cannot trace'])
    expect(await moving()).toEqual([[]])
    expect(reader.notes()).toEqual(['1 transactions that nodes cannot trace'])
  })

  it('holds up nothing where no node traces, is not asked for again and again, and health says so', async () => {
    const { read, asked, reader } = await stage('auto', refusing(-32_601, 'the method does not exist/is not available'))
    expect(await read(32, MULTISEND)).toEqual([[], []])
    const { length } = asked('debug_traceBlockByNumber')
    expect(await read(32, MULTISEND)).toEqual([[], []])
    expect(asked('debug_traceBlockByNumber')).toHaveLength(length)
    expect(reader.notes()).toEqual(['what contracts send is not indexed: no node traces it'])
  })

  it('is read of new blocks again as soon as one that was indexed without is traced', async () => {
    let traces = false
    const { read, reader } = await stage(
      'auto',
      node((_, told) => (traces ? told : null)),
    )
    expect(await read(MULTISEND)).toEqual([[]])
    traces = true
    expect(await read(MULTISEND)).toEqual([[]])
    const [traced] = await reader.traced([{ height: BigInt(MULTISEND) }], 1, signal)
    expect(traced?.parties).toContain(LAST_RECEIVER)
    expect(reader.notes()).toEqual([])
    expect((await read(MULTISEND))[0]).toContain(LAST_RECEIVER)
  })

  it('stops the stream where it is demanded and no node traces', async () => {
    const { read } = await stage('required', refusing(-32_601, 'the method does not exist/is not available'))
    await expect(read(MULTISEND)).rejects.toThrow('no node traces blocks, as index.traces demands')
  })
})

it('a node that tells no right traces is as good as before for everything else', async () => {
  const { pool } = await startTestPool([node(() => [])])
  onTestFinished(() => pool.close())
  const { block, receipts } = recorded[MULTISEND] as Recorded
  const tracer = createBlockTracer(pool, '/')
  for (let turn = 0; turn < 30; turn++)
    await expect(tracer.trace(block, receipts, signal)).rejects.toThrow('no trace of transaction')
  expect(pool.status()).toMatchObject([{ healthy: true, errorRate: 0 }])
})

/** The error that callers of a pool get, when nobody says otherwise. */
function judged(message: string): Error | undefined {
  const outcome = judgeRpcError('node', { code: -32_000, message })
  const last = outcome.kind === 'failure' ? outcome.failure.fallback : outcome
  return last?.kind === 'truth' ? last.error : undefined
}

describe('nodes that do not trace', () => {
  const page = [{ block: {} as RpcBlock, receipts: [] }]
  /** One that says what `error` is, by a clock that is set. */
  function begin(policy: TracePolicy = 'auto') {
    const state = { now: 0, error: undefined as Error | undefined, asked: 0 }
    const tracer: BlockTracer = {
      leftOut: 0,
      concerns: () => true,
      async trace() {
        state.asked += 1
        if (state.error) throw state.error
        return ['aa']
      },
    }
    const tracing = createTracing(tracer, policy, () => state.now)
    return { state, tracing, read: () => tracing.parties(page, signal) }
  }

  it('are asked again after ten minutes, then after twice as long each time, until one does', async () => {
    const { state, tracing, read } = begin()
    state.error = new JsonRpcError('method not found', -32_601)
    for (const minutes of [10, 20, 40, 80, 160, 320, 360, 360]) {
      expect(await read()).toEqual([undefined])
      state.now += minutes * 60_000 - 1
      const { asked } = state
      expect(await read()).toEqual([undefined])
      expect(state.asked).toBe(asked)
      expect(tracing.notes()).toHaveLength(1)
      state.now += 1
    }
    state.error = undefined
    expect(await read()).toEqual([['aa']])
    expect(tracing.notes()).toEqual([])
    state.error = new JsonRpcError('method not found', -32_601)
    await read()
    state.error = undefined
    expect(await read()).toEqual([undefined])
    // One has traced a block that was indexed without.
    tracing.resume()
    expect(tracing.notes()).toEqual([])
    expect(await read()).toEqual([['aa']])
    state.error = new JsonRpcError('method not found', -32_601)
    await read()
    state.now += 600_000
    state.error = undefined
    expect(await read()).toEqual([['aa']])
  })

  it.each([
    new JsonRpcError('missing trie node abc (path )', -32_000, undefined, true),
    new JsonRpcError('restoring parent block: not found', -32_000),
  ])('for want of the state of old blocks are asked about newer ones after ten seconds', async (error) => {
    const { state, read } = begin()
    state.error = error
    for (let turn = 0; turn < 3; turn++) {
      expect(await read()).toEqual([undefined])
      state.now += 10_000
    }
    expect(state.asked).toBe(3)
  })

  it('for want of a block that another one behind their address has told are asked for it seven times more', async () => {
    const { state, tracing, read } = begin()
    state.error = judged('block #37 not found')
    for (let turn = 1; turn < 8; turn++) await expect(read()).rejects.toBe(state.error)
    expect(await read()).toEqual([undefined])
    expect(tracing.notes()).toHaveLength(1)
    state.now += 10_000
    state.error = undefined
    expect(await read()).toEqual([['aa']])
  })

  it.each([new UpstreamUnavailableError('away'), new JsonRpcError('try again later', -32_000, undefined, true)])(
    'because they are in trouble let the page be read again, once where none has traced yet, else seven times',
    async (error) => {
      const { state, read } = begin()
      for (const readings of [2, 8]) {
        state.asked = 0
        state.error = error
        for (let turn = 1; turn < readings; turn++) await expect(read()).rejects.toBe(error)
        expect(await read()).toEqual([undefined])
        expect(await read()).toEqual([undefined])
        expect(state.asked).toBe(readings)
        state.now += 3_600_000
        state.error = undefined
        expect(await read()).toEqual([['aa']])
      }
    },
  )

  it('are asked for one block alone until one does, then for four at once', async () => {
    const together: number[] = []
    let running = 0
    const tracer: BlockTracer = {
      leftOut: 0,
      concerns: () => true,
      async trace({ number }) {
        running += 1
        together.push(running)
        await new Promise(setImmediate)
        running -= 1
        return Number(number) < 3 ? undefined : [number]
      },
    }
    const blocks = Array.from({ length: 12 }, (_, at) => ({ block: { number: `${at}` } as RpcBlock, receipts: [] }))
    const found = await createTracing(tracer, 'auto', () => 0).parties(blocks, signal)
    expect(found).toEqual(blocks.map(({ block }, at) => (at < 3 ? [] : [block.number])))
    expect(together.slice(0, 5)).toEqual([1, 1, 1, 1, 1])
    expect(Math.max(...together)).toBe(4)
  })

  it('hold it up for as long as it takes where that is demanded', async () => {
    const { state, read } = begin('required')
    for (const error of [
      new UpstreamUnavailableError('away'),
      new DeadlineError('late'),
      new JsonRpcError('missing trie node', -32_000, undefined, true),
    ]) {
      state.error = error
      for (let turn = 0; turn < 10; turn++) await expect(read()).rejects.toBe(error)
    }
  })
})
