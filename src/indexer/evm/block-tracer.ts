import { LRUCache } from 'lru-cache'
import { AnswerTooLargeError, BadAnswerError, DeadlineError, JsonRpcError } from '../../errors.ts'
import { roomFor } from '../../lib/room-for.ts'
import { speaksOfSize } from '../../upstream/json-rpc/error-texts.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
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
  /** Index in the block. */
  at: number
  transaction: RpcBlock['transactions'][number]
  receipt: RpcReceipt
}

export interface BlockTracer {
  /** Whether contracts may have sent something in the block; only then a node is asked. */
  concerns(block: RpcBlock, receipts: readonly RpcReceipt[]): boolean
  /**
   * Accounts that sent or received native value inside the block's transactions; hex without 0x. Undefined if no code
   * ran, and then no node was asked.
   * @throws FirnError when no node answers; a JsonRpcError when nodes themselves say that they cannot
   */
  trace(block: RpcBlock, receipts: readonly RpcReceipt[], signal: AbortSignal): Promise<string[] | undefined>
  /** Transactions that were left out because nobody can trace them. */
  readonly leftOut: number
}

/** A node runs the block again. Milliseconds; a block that no node can trace must not hold up the index for long. */
const TRACE_MS = 20_000
/** Nodes stop tracing a transaction after five seconds unless the call sets a timeout. */
const TRANSACTION_TIME = '15s'
/**
 * Consecutive failures after which a transaction is left out: nodes give its trace up, or the trace is larger than any
 * answer. A call of a few million gas can produce a trace of gigabytes.
 */
const PATIENCE = 4
/** Failing transactions that are remembered: far more than one page can have. */
const REMEMBERED = 1_000

const TRACER = { tracer: 'callTracer' }

/** Nodes' error messages for a trace that took too long. */
const OUT_OF_TIME = /time(d )?-?out|deadline exceeded/i

/** A single transaction's trace that differs from how the transaction ran in its block. */
class OtherRunError extends BadAnswerError {}

/** The error concerns this transaction, not the server. */
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
 * Reads which accounts contracts sent value to with `debug_traceBlockByNumber`, for blocks in which they may have done
 * so. If that is too much for one answer, traces transaction by transaction. Only a node can tell: nothing in a block
 * shows it.
 */
export function createBlockTracer(pool: UpstreamPool, path: string): BlockTracer {
  const failures = new LRUCache<string, number>(roomFor(REMEMBERED))
  let leftOut = 0
  /** Whether the last block trace gave the receipt's gas for each of its transactions. Older nodes leave some out. */
  let tellsGas = false

  /**
   * @param read throws for an invalid trace; another node is then asked, and the first is not penalised, since it has
   * other tasks
   */
  const call = async <T>(method: string, params: unknown, read: (answer: unknown) => T, signal: AbortSignal) => {
    // An answer may be large, so the value parsed by the check is kept.
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
    const deadline = Date.now() + TRACE_MS
    // Whoever sends a transaction decides how long its trace is.
    const options = { signal, deadline, batch: false, anyLength: true, doubts: isDoubtful }
    const answer = await pool.rpc<unknown>(path, method, params, options)
    // Besu answers null for a block whose state it has pruned and for one that it does not have yet.
    if (answer === null) throw new JsonRpcError(`${method} answers nothing: no state available`, -32_000)
    return kept.of === answer ? (kept.value as T) : read(answer)
  }

  const single = async ({ transaction, receipt }: Moving, signal: AbortSignal): Promise<CallFrame | undefined> => {
    const { hash } = transaction
    const params = [hash, { ...TRACER, timeout: TRANSACTION_TIME }]
    try {
      const read = (answer: unknown): CallFrame => {
        const frame = expectFrame(transaction, receipt, answer)
        // Besu runs the transaction as if it were the first of its block.
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

  /** Undefined: the whole block does not fit into one answer, or takes a node too long. */
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
