import { LRUCache } from 'lru-cache'
import { AnswerTooLargeError, BadAnswerError, DeadlineError, JsonRpcError } from '../../errors.ts'
import { roomFor } from '../../lib/room-for.ts'
import { speaksOfSize } from '../../upstream/json-rpc/error-texts.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import type { RpcBlock, RpcReceipt } from './rpc-block.ts'
import {
  type CallFrame,
  expectFrame,
  hasGasOf,
  mayMoveInside,
  type TransactionTrace,
  tracesOf,
  valueParties,
} from './value-flow.ts'

/** A transaction in which value may have moved. */
interface Moving {
  /** Place in the block. */
  at: number
  transaction: RpcBlock['transactions'][number]
  receipt: RpcReceipt
}

export interface BlockTracer {
  /** Whether contracts may have sent something in the block: only then a node is asked. */
  concerns(block: RpcBlock, receipts: readonly RpcReceipt[]): boolean
  /**
   * Who gave or was given native value inside of the block's transactions; hex without 0x. Undefined where no
   * code ran, and no node was asked.
   * @throws FirnError when nobody tells: a JsonRpcError where nodes themselves say that they do not
   */
  trace(block: RpcBlock, receipts: readonly RpcReceipt[], signal: AbortSignal): Promise<string[] | undefined>
  /** Transactions that were left out because nobody can trace them. */
  readonly leftOut: number
}

/** A node runs the block once more. Milliseconds; the index may not become too old over one that nobody can trace. */
const TRACE_MS = 20_000
/** Nodes end a trace of a transaction after five seconds unless they are told how long it may take. */
const TRANSACTION_TIME = '15s'
/**
 * So often in a row nodes are asked for the trace of a transaction that they give up, or whose trace is larger than any
 * answer: a call of a few million gas can make one of gigabytes. Then it is left out.
 */
const PATIENCE = 4
/** Transactions that are being given up: far more than can be in one page. */
const REMEMBERED = 1_000

const TRACER = { tracer: 'callTracer' }

/** How nodes say that they gave up what took too long. */
const OUT_OF_TIME = /time(d )?-?out|deadline exceeded/i

/** A trace by itself of a transaction as it would have run, not as it ran. */
class OtherRunError extends BadAnswerError {}

/** It is about this one, and not about the server. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof AnswerTooLargeError ||
  error instanceof DeadlineError ||
  (error instanceof JsonRpcError && (speaksOfSize(error.message) || OUT_OF_TIME.test(error.message)))

function movingIn(block: RpcBlock, receipts: readonly RpcReceipt[]): Moving[] {
  const byHash = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
  return block.transactions.flatMap((transaction, at): Moving[] => {
    const receipt = byHash.get(transaction.hash)
    return receipt && mayMoveInside(transaction, receipt) ? [{ at, transaction, receipt }] : []
  })
}

/**
 * Reads what contracts sent to whom with `debug_traceBlockByNumber`, of blocks in which one may have, and transaction by
 * transaction where that is too much for one answer. Nobody but the node can say: nothing in a block tells of it.
 */
export function createBlockTracer(pool: UpstreamPool, path: string): BlockTracer {
  const failures = new LRUCache<string, number>(roomFor(REMEMBERED))
  let leftOut = 0
  /** Whether the last trace of a block told of each of its transactions the gas of its receipt. Older nodes leave some out. */
  let tellsGas = false

  /** @param read throws for what is no such trace: another node is asked, and none is blamed that has other tasks, too */
  const call = async <T>(method: string, params: unknown, read: (answer: unknown) => T, signal: AbortSignal) => {
    // An answer may be large: what was read to see whether it fits is kept.
    const kept: { of?: unknown; value?: T } = {}
    const isDoubtful = (said: unknown): boolean => {
      if (said === null || said instanceof JsonRpcError) return true
      try {
        Object.assign(kept, { of: said, value: read(said) })
        return false
      } catch {
        return true
      }
    }
    const options: CallOptions = { signal, deadline: Date.now() + TRACE_MS, batch: false, doubts: isDoubtful }
    const answer = await pool.rpc<unknown>(path, method, params, options)
    // Besu says so of a block whose state it has thrown away, and of one that it has not got yet; of others it tells.
    if (answer === null) throw new JsonRpcError(`${method} answers nothing: no state available`, -32_000)
    return kept.of === answer ? (kept.value as T) : read(answer)
  }

  const single = async ({ transaction, receipt }: Moving, signal: AbortSignal): Promise<CallFrame | undefined> => {
    const { hash } = transaction
    const params = [hash, { ...TRACER, timeout: TRANSACTION_TIME }]
    try {
      const read = (answer: unknown): CallFrame => {
        const frame = expectFrame(transaction, receipt, answer)
        // Besu runs it as if it were the first of its block.
        if (tellsGas && !hasGasOf(frame, receipt)) throw new OtherRunError(`transaction ${hash} ran in another way`)
        return frame
      }
      const frame = await call('debug_traceTransaction', params, read, signal)
      failures.delete(hash)
      return frame
    } catch (error) {
      if (!isTooMuch(error) && !(error instanceof OtherRunError)) throw error
      const count = (failures.get(hash) ?? 0) + 1
      failures.set(hash, count)
      if (count < PATIENCE) throw new BadAnswerError(`transaction ${hash} is not traced`, error)
      if (count === PATIENCE) leftOut += 1
      return undefined
    }
  }

  /** Undefined: all of it is more than one answer can hold, or takes a node too long. */
  const whole = async (block: RpcBlock, wanted: readonly Moving[], signal: AbortSignal) => {
    const places = wanted.map(({ at }) => at)
    const read = (answer: unknown): TransactionTrace[] => {
      const traces = tracesOf(block, places, answer)
      for (const [rank, { result }] of traces.entries()) {
        const one = wanted[rank]
        if (one && result) expectFrame(one.transaction, one.receipt, result)
      }
      return traces
    }
    try {
      const traces = await call('debug_traceBlockByNumber', [block.number, TRACER], read, signal)
      const told = wanted.flatMap(({ receipt }, rank) => {
        const frame = traces[rank]?.result
        return frame ? [hasGasOf(frame, receipt)] : []
      })
      if (told.length > 0) tellsGas = !told.includes(false)
      return traces
    } catch (error) {
      if (isTooMuch(error)) return undefined
      throw error
    }
  }

  return {
    concerns: (block, receipts) => movingIn(block, receipts).length > 0,
    async trace(block, receipts, signal) {
      const wanted = movingIn(block, receipts)
      if (wanted.length === 0) return undefined
      const traces = await whole(block, wanted, signal)
      const frames: (CallFrame | undefined)[] = []
      for (const [rank, one] of wanted.entries()) frames.push(traces?.[rank]?.result ?? (await single(one, signal)))
      return [...new Set(frames.flatMap((frame) => (frame ? valueParties(frame) : [])))]
    },
    get leftOut() {
      return leftOut
    },
  }
}
