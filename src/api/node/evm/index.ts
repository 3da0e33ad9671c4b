/**
 * EVM endpoints (`C/rpc`, an L1's `rpc`, `ws`): JSON-RPC as geth speaks it. What is final is answered from memory, other
 * calls go to a node, batches by what is in them; filters stay with their node, subscriptions survive the loss of one.
 */
import type { ForwardCall } from '../forward/call.ts'
import type { Forwarder } from '../forward/forwarder.ts'
import { bodyStart, isCleanCall, scanBatch, scanCall } from '../forward/scan-call.ts'
import { compactJson } from '../json/write.ts'
import { ruleOf } from '../methods/forwarded.ts'
import type { MethodRule, Target } from '../methods/rule.ts'
import type { EvmApi, EvmRequest } from './endpoint.ts'

export type { EvmApi, EvmRequest } from './endpoint.ts'

/** A node takes this many calls in a batch; what comes behind them cannot be executed. */
const MAX_BATCH = 1_000
/** What one call in a batch demands of all: the strictest wins. */
const STRICTNESS: readonly Target[] = ['any', 'identity', 'alone', 'write']

function batchRule(methods: readonly (string | undefined)[]): MethodRule {
  let target: Target = 'any'
  for (const method of methods) {
    const other = ruleOf(method).target
    if (STRICTNESS.indexOf(other) > STRICTNESS.indexOf(target)) target = other
  }
  return { target }
}

type Scanned = Pick<ForwardCall, 'method' | 'params' | 'id' | 'rule' | 'isClean'>

const NOTHING: Scanned = {
  method: undefined,
  params: undefined,
  id: undefined,
  rule: ruleOf(undefined),
  isClean: () => false,
}

/** What routing needs to know of a body: one call's members, or the strictest rule of a batch. */
export function scanEvmBody(body: Buffer): Scanned {
  const start = bodyStart(body)
  if (body[start] === 0x5b) return { ...NOTHING, rule: batchRule(scanBatch(body, start, MAX_BATCH + 1)) }
  const call = scanCall(body, start)
  if (!call) return NOTHING
  const { method, params, id } = call
  return {
    method,
    params: params && body.subarray(params.from, params.to),
    id: id && compactJson(body.subarray(id.from, id.to)),
    rule: ruleOf(method),
    isClean: () => isCleanCall(body, call, 'scalar'),
  }
}

export function createEvmApi(forwarder: Forwarder): EvmApi {
  return {
    answer: ({ endpoint, body, contentType, contentEncoding, signal }: EvmRequest) =>
      forwarder.forward({
        endpoint,
        ...scanEvmBody(body),
        http: { method: 'POST', contentType, contentEncoding, query: '', body },
        signal,
      }),
  }
}
