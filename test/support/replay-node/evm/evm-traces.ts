import type { Recordings } from '../recorded/recordings.ts'
import { kindOf, member, rawElements, rawMembers } from '../wire/go-json.ts'
import { NotRecordedError } from '../wire/gorilla-rpc.ts'
import { anything, blockReference, decodeParams, hash } from './evm-arguments.ts'
import type { EvmChain } from './evm-chain.ts'
import { EvmError, type EvmMethods } from './evm-rpc.ts'

/** One call of the callTracer. */
export interface CallFrame {
  type: string
  from: string
  to?: string
  value?: string
  output?: string
  error?: string
  calls?: CallFrame[]
}

/** Recorded call traces of the C-chain by height. */
export interface EvmTraces {
  /** False = none were recorded: what blocks did to balances is not known. */
  recorded: boolean
  /** JSON text of the block's traces; a block without transactions has an empty list. */
  text(height: number): string
  frames(height: number): CallFrame[]
}

const FILE = 'network/c-traces.ndjson.gz'

export function createEvmTraces(recordings: Recordings): EvmTraces {
  let lines: Map<number, number> | undefined
  const text = (height: number): string => {
    const recorded = recordings.lines(FILE)
    lines ??= new Map(
      Array.from(recorded, (line, index) => [Number(/^\{"height":\s*(\d+)/.exec(line)?.[1] ?? -1), index]),
    )
    const index = lines.get(height)
    return index === undefined ? '[]' : (new Map(rawMembers(recorded.text(index))).get('traces') ?? '[]')
  }
  return {
    recorded: recordings.has(FILE),
    text,
    frames: (height) => (JSON.parse(text(height)) as { result: CallFrame }[]).map((trace) => trace.result),
  }
}

/** Only the plain call tracer was recorded; everything else is left to recorded facts. */
function needCallTracer(config: string | undefined): void {
  const tracer = config === undefined || kindOf(config) !== 'object' ? undefined : member(config, 'tracer')
  const known = config !== undefined && rawMembers(config).every(([name]) => name === 'tracer')
  if (tracer !== '"callTracer"' || !known) throw new NotRecordedError('only callTracer traces are recorded')
}

/** debug_trace… from the recorded call traces. */
export function evmTraceMethods(chain: EvmChain, traces: EvmTraces): EvmMethods {
  const traceBlock = (height: number): string => {
    if (!traces.recorded) throw new EvmError(-32601, 'the method debug_traceBlock does not exist/is not available')
    if (height === 0) throw new EvmError(-32000, 'genesis is not traceable')
    return traces.text(height)
  }
  return {
    debug_traceBlockByNumber(params) {
      const [reference, config] = decodeParams(params, [blockReference, anything], 1)
      const height = chain.resolve(reference)
      needCallTracer(config)
      return traceBlock(height ?? 0)
    },
    debug_traceBlockByHash(params) {
      const [id, config] = decodeParams(params, [hash, anything], 1)
      const height = chain.heightOf(id ?? '')
      if (height === undefined) throw new EvmError(-32000, `block ${id} not found`)
      needCallTracer(config)
      return traceBlock(height)
    },
    debug_traceTransaction(params) {
      const [id, config] = decodeParams(params, [hash, anything], 1)
      const found = chain.transaction(id ?? '')
      if (found === undefined) throw new EvmError(-32000, 'transaction not found')
      needCallTracer(config)
      const trace = rawElements(traces.text(found.height))[found.index] ?? '{}'
      return new Map(rawMembers(trace)).get('result') ?? 'null'
    },
  }
}
