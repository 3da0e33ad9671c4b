import { type AnswerCacheOptions, createAnswerCache } from '../forward/answer-cache.ts'
import { type ForwardCall, posted } from '../forward/call.ts'
import type { PeerProcesses } from '../forward/consistency/peer-processes.ts'
import type { Forwarder } from '../forward/forwarder.ts'
import type { NodePools } from '../forward/nodes/node-pools.ts'
import type { NodeAnswer } from '../http/answer.ts'
import { GoJsonError } from '../json/go-json-error.ts'
import { skipSpace, validateValue } from '../json/validate.ts'
import { ruleOf } from '../methods/forwarded.ts'
import type { MethodRule } from '../methods/rule.ts'
import type { Endpoint } from '../routes/endpoint.ts'
import { errorEntry, refusedBody } from './answers.ts'
import { createEvmBatches } from './batch/batches.ts'
import { CALL_MS, type EvmCall, MAX_SHARED_BODY } from './call.ts'
import type { EvmApi } from './endpoint.ts'
import { createEvmFilters } from './filter/filters.ts'
import { createSharedFilterTable } from './filter/shared-filter-table.ts'
import { type EvmMessage, readMessage } from './message.ts'
import { NEVER_REPEATED } from './methods.ts'
import type { ChainTips } from './read/chain-tips.ts'
import { createKeptAnswers } from './read/kept-answers.ts'
import { highestPendingCount, isPendingCount } from './read/pending-count.ts'
import { createEvmReads } from './read/reads.ts'

export interface EvmGatewayDeps {
  pools: NodePools
  /** Sends writes according to the policy, and calls that must go to a certain node. */
  forwarder: Pick<Forwarder, 'forward' | 'lacks'>
  tips: ChainTips
  cache: AnswerCacheOptions
  /** How long an answer about the newest block is reused while no newer block is known, milliseconds; 0 = never. */
  tipCacheMs: number
  /** What clients of other processes were shown; left out = this is the only process. */
  peers?: PeerProcesses | undefined
}

const PARSE_ERROR = -32700
const WRITE: MethodRule = { target: 'write' }

/** Where a call goes. */
function ruleFor(method: string): MethodRule {
  if (NEVER_REPEATED.test(method)) return WRITE
  return ruleOf(method)
}

/** The end of the first value; undefined when it is invalid. What follows the value is ignored. */
function valueEnd(body: Buffer, start: number): number | undefined {
  try {
    return validateValue(body, start)
  } catch (error) {
    if (error instanceof GoJsonError) return undefined
    throw error
  }
}

const forwardCall = ({ endpoint, message, body, contentType, signal }: EvmCall, rule: MethodRule): ForwardCall => ({
  endpoint,
  rule,
  method: message.method,
  params: message.params,
  id: message.id,
  // Cacheable answers are cached here.
  isClean: () => false,
  http: posted(body, contentType),
  signal,
})

/** EVM endpoints over several nodes, as if they were a single node that never lags and never forgets. */
export function createEvmGateway(deps: EvmGatewayDeps): Pick<EvmApi, 'answer'> {
  const { pools, forwarder, tips, peers } = deps
  const cache = createAnswerCache(deps.cache)
  tips.onReset(cache.clear)
  const kept = createKeptAnswers(cache, deps.tipCacheMs)
  const reads = createEvmReads({ pools, kept, tipOf: tips.of, lacks: forwarder.lacks })
  const filters = createEvmFilters({ pools, table: createSharedFilterTable(peers), tipOf: tips.of })

  const single = async (call: EvmCall): Promise<NodeAnswer> => {
    const { message } = call
    if (filters.concerns(message.method) && message.kind === 'call') return filters.answer(call)
    const highest = isPendingCount(message) ? await highestPendingCount(pools, call) : undefined
    if (highest) return highest
    const rule = ruleFor(message.method)
    if (message.kind === 'invalid' || rule.target === 'any') return reads.read(call)
    try {
      return await forwarder.forward(forwardCall(call, rule))
    } finally {
      if (rule.target === 'write') cache.forgetTip()
    }
  }
  const isWrite = (method: string): boolean => ruleFor(method).target === 'write'
  const isAlone = (message: EvmMessage): boolean =>
    filters.concerns(message.method) || ruleFor(message.method).target !== 'any' || isPendingCount(message)
  const hostsOf = ({ source }: Endpoint): readonly string[] => pools.group(source).hosts
  const batches = createEvmBatches({ reads, kept, single, isAlone, isWrite, hostsOf })

  const answer: EvmApi['answer'] = async (request) => {
    const { body, endpoint, contentType, signal } = request
    const start = skipSpace(body, 0)
    const isBatch = body[start] === 0x5b
    // A large call is unlikely to be repeated: it is sent unchanged and parsed only as far as routing requires.
    const end = isBatch || body.length <= MAX_SHARED_BODY ? valueEnd(body, start) : body.length
    if (end === undefined) return refusedBody(errorEntry(undefined, PARSE_ERROR, 'parse error'))
    if (isBatch) return batches.answer(request, start)
    const message = readMessage(body, { from: start, to: end })
    return single({ endpoint, message, body, contentType, signal, deadline: Date.now() + CALL_MS })
  }

  return {
    answer: async (request) => {
      const answered = await answer(request)
      await peers?.sent()
      return answered
    },
  }
}
