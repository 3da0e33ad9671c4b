import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** A request's place in its caller's trace (W3C Trace Context, version 00). */
export interface TraceContext {
  /** 32 hex digits. */
  traceId: string
  /** Two hex digits; bit 0 = the caller records this trace. */
  flags: string
  /** 16 hex digits: the caller's span; absent if the trace begins here. */
  parentId?: string
  /** 16 hex digits: the span of the request itself; only if it is recorded here. */
  spanId?: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)

/** Undefined = not a valid header, which by the standard counts as none. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const parts = header === undefined ? null : TRACEPARENT.exec(header)
  if (!parts) return undefined
  const [, version, traceId = '', parentId = '', flags = '00', more] = parts
  // `ff` is forbidden; later versions may be longer, this one may not.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  return traceId === NO_TRACE || parentId === NO_SPAN ? undefined : { traceId, flags, parentId }
}

export const isSampled = ({ flags }: TraceContext): boolean => (Number.parseInt(flags, 16) & 1) === 1

/** 16 random hex digits. */
const newSpanId = (): string => randomBytes(8).toString('hex')

/** The trace of a recorded request: its caller's, or a new one. */
export function recordedTrace(caller: TraceContext | undefined): TraceContext & { spanId: string } {
  return { ...(caller ?? { traceId: randomBytes(16).toString('hex'), flags: '01' }), spanId: newSpanId() }
}

const storage = new AsyncLocalStorage<TraceContext | undefined>()

/** The trace of the request being served. */
export const currentTrace = (): TraceContext | undefined => storage.getStore()

/** Everything that follows in this turn of the event loop, and results from it, belongs to this trace (or to none). */
export function enterTrace(trace: TraceContext | undefined): void {
  // Most requests carry no trace and skip the cost.
  if (trace !== undefined || storage.getStore() !== undefined) storage.enterWith(trace)
}

/** Runs code that opens connections: these outlive the request that opened them and must not count for it. */
export const outsideTrace = <T>(run: () => T): T => (storage.getStore() === undefined ? run() : storage.exit(run))

/** The header for one outgoing call: same trace, new span. Undefined without a trace. */
export function childTraceparent(trace: TraceContext | undefined): string | undefined {
  return trace && `00-${trace.traceId}-${newSpanId()}-${trace.flags}`
}
