import { BadAnswerError } from '../../errors.ts'
import { bare, hasOutcome, quantity, type RpcBlock, type RpcReceipt, type RpcTransaction } from './rpc-block.ts'

/** One call in the format of geth's `callTracer`; only the members used here. */
export interface CallFrame {
  type: string
  from: string
  to?: string
  /** Wei, 0x hex. */
  value?: string
  /** For the outer call: the receipt's gas, on most nodes. */
  gasUsed?: string
  /** Present if the call and everything it called was rolled back. */
  error?: string
  calls?: readonly CallFrame[]
}

/** An entry of `debug_traceBlockByNumber`. Older nodes leave out the hash; entries are then in block order. */
export interface TransactionTrace {
  txHash?: string
  result?: CallFrame
  /** Replaces the result if the node gave up this transaction. */
  error?: string
}

/**
 * Calls that move native value between accounts. `DELEGATECALL` shows the value of the call around it, and value of a
 * `CALLCODE` returns to its sender.
 */
const MOVING: ReadonlySet<string> = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** Gas of a transaction that runs no code. */
const PLAIN = 21_000n

/** Whether contracts may have moved value in it. A failed transaction was rolled back as a whole. */
export function mayMoveInside(transaction: RpcTransaction, receipt: RpcReceipt): boolean {
  if (hasOutcome(receipt) && quantity(receipt.status ?? 0n) === 0n) return false
  const used = quantity(receipt.gasUsed)
  // Transactions that a chain adds itself use none, and not all nodes trace them.
  return used !== 0n && !(used === PLAIN && transaction.input === '0x')
}

/**
 * Accounts that sent or received native value inside a transaction; hex without 0x, with repetitions. The transaction
 * itself already names its sender and receiver.
 */
export function valueParties(outer: CallFrame): string[] {
  const found: string[] = []
  visit(outer, (frame) => {
    if (frame.error !== undefined) return false
    if (frame !== outer && MOVING.has(frame.type.toUpperCase()) && quantity(frame.value ?? 0n) > 0n) {
      found.push(bare(frame.from))
      if (frame.to !== undefined) found.push(bare(frame.to))
    }
    return true
  })
  return found
}

/**
 * Visits a call and everything that it called; a hundred thousand calls fit into a block.
 * @param look false: its inner calls are skipped
 */
function visit(outer: CallFrame, look: (frame: CallFrame) => boolean): void {
  const open = [outer]
  for (let frame = open.pop(); frame !== undefined; frame = open.pop()) {
    if (!look(frame)) continue
    for (const inner of frame.calls ?? []) open.push(inner)
  }
}

/** Of any value from a node. */
const lower = (value: unknown): string => String(value).toLowerCase()

/**
 * @param wanted places in the block of the transactions of which a trace is needed
 * @throws BadAnswerError where one is missing, or is of another transaction
 */
export function tracesOf(block: RpcBlock, wanted: readonly number[], answer: unknown): TransactionTrace[] {
  if (!Array.isArray(answer)) throw new BadAnswerError(`block ${block.number}: its traces are no list`)
  const all = answer as (TransactionTrace | null)[]
  const named = (hash: unknown): string | undefined => (hash === undefined ? undefined : lower(hash))
  const byHash = new Map(all.map((trace) => [named(trace?.txHash), trace]))
  return wanted.map((at) => {
    const { hash = '' } = block.transactions[at] ?? {}
    const inOrder = byHash.has(undefined) && all.length === block.transactions.length ? all[at] : undefined
    const trace = byHash.get(hash.toLowerCase()) ?? inOrder
    if (!trace) throw new BadAnswerError(`block ${block.number}: no trace of transaction ${hash}`)
    return trace
  })
}

/**
 * The frame as a trace that can be that of the transaction: who sent it, to whom, how it ended.
 * @throws BadAnswerError
 */
export function expectFrame(transaction: RpcTransaction, receipt: RpcReceipt, value: unknown): CallFrame {
  const frame = value as Partial<CallFrame> | null | undefined
  const isForeign =
    !frame ||
    lower(frame.from) !== lower(transaction.from) ||
    (transaction.to != null && lower(frame.to) !== lower(transaction.to)) ||
    (hasOutcome(receipt) && (frame.error === undefined) !== (quantity(receipt.status ?? 0n) === 1n))
  if (isForeign) throw new BadAnswerError(`the trace of transaction ${transaction.hash} is of another one`)
  expectForm(frame as CallFrame, transaction.hash)
  return frame as CallFrame
}

/** Whether the transaction took the gas in the trace that it took in its block. */
export const hasGasOf = ({ gasUsed }: CallFrame, receipt: RpcReceipt): boolean =>
  QUANTITY.test(String(gasUsed)) && quantity(gasUsed ?? 0n) === quantity(receipt.gasUsed)

const ADDRESS = /^0x[0-9a-f]{40}$/i
const QUANTITY = /^0x[0-9a-f]{1,64}$/i

function expectForm(outer: CallFrame, hash: string): void {
  visit(outer, (frame) => {
    const { type, from = '', to, value, calls } = (frame ?? {}) as Partial<CallFrame>
    const isWell =
      typeof type === 'string' &&
      ADDRESS.test(from) &&
      (to === undefined || ADDRESS.test(to)) &&
      (value === undefined || QUANTITY.test(value)) &&
      (calls === undefined || Array.isArray(calls))
    if (!isWell) throw new BadAnswerError(`the trace of transaction ${hash} is none of the callTracer`)
    return true
  })
}
