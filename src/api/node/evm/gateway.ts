import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../lib/room-for.ts'
import { ABSURD_LEAD, type UpstreamPool } from '../../../upstream/index.ts'
import { type AnswerCacheOptions, createAnswerCache } from '../forward/answer-cache.ts'
import type { ForwardCall } from '../forward/call.ts'
import type { Forwarder } from '../forward/forwarder.ts'
import type { NodePools } from '../forward/nodes/node-pools.ts'
import type { ToldElsewhere } from '../forward/told-elsewhere.ts'
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
import { createCBlocks } from './read/c-blocks.ts'
import { type ChainTip, createChainTip } from './read/chain-tip.ts'
import { createKeptAnswers } from './read/kept-answers.ts'
import { highestPendingCount, isPendingCount } from './read/pending-count.ts'
import { createEvmReads } from './read/reads.ts'

export interface EvmGatewayDeps {
  pools: NodePools
  /** Sends writes according to the policy, and calls that must go to a certain node. */
  forwarder: Forwarder
  cache: AnswerCacheOptions
  /** How long an answer about the newest block is reused while no newer block is known, milliseconds; 0 = never. */
  tipCacheMs: number
  /** Blocks that a node may lag before its answers about the newest state are rejected. */
  maxLagBlocks: number
  /** What clients of other processes were shown; left out = this is the only process. */
  elsewhere?: ToldElsewhere | undefined
}

export interface EvmGateway extends Pick<EvmApi, 'answer'> {
  tip(endpoint: Endpoint): ChainTip
  /** A client was shown this block by this server itself: what nodes are asked next is no older. */
  shown(endpoint: Endpoint, height: bigint): void
}

/** Where a chain is read. */
type Place = Pick<Endpoint, 'path' | 'source'>

/** Chains of whose newest block processes that start are told. */
const RECALLED = 100
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
  http: { method: 'POST', contentType, contentEncoding: undefined, query: '', body },
  signal,
})

/** A height far above that the pool believes in is a broken node's. */
const isAt = (height: bigint, told = -1n): boolean => told >= height && told - height <= ABSURD_LEAD

/** EVM endpoints over several nodes, as if they were a single node that never lags and never forgets. */
export function createEvmGateway(deps: EvmGatewayDeps): EvmGateway {
  const { pools, forwarder, maxLagBlocks, elsewhere } = deps
  const cache = createAnswerCache(deps.cache)
  const kept = createKeptAnswers(cache, deps.tipCacheMs)
  // Kept per pool, because pools are bounded: while no node says which chains exist, strangers can invent some.
  const tips = new WeakMap<UpstreamPool, Map<string, ChainTip>>()
  const inUse = new LRUCache<string, Place>(roomFor(RECALLED))
  const tipOf = ({ path, source }: Place): ChainTip => {
    const { pool } = pools.group(source)
    const ofPool = tips.get(pool)
    const known = ofPool?.get(path)
    if (known) return known
    inUse.set(path, { path, source })
    const tip = createChainTip({
      maxLagBlocks,
      head: () => pool.head(),
      holders: (height) => pool.status().flatMap((one) => (isAt(height, one.height) ? [one.host] : [])),
      onNewest: (host, height) => elsewhere?.tell({ kind: 'block', path, source, height: String(height), host }),
      onSetBack: cache.clear,
    })
    tips.set(pool, (ofPool ?? new Map<string, ChainTip>()).set(path, tip))
    return tip
  }
  pools.onAnew((pool) => {
    cache.clear()
    // Once a chain has advanced, nobody may be shown a lower block.
    tips.delete(pool)
  })
  elsewhere?.hear((told) => {
    if (told.kind === 'block') tipOf(told).heard(told.host, BigInt(told.height))
  })
  elsewhere?.recall(function* () {
    for (const { path, source } of inUse.values()) {
      const height = tips.get(pools.group(source).pool)?.get(path)?.mark()
      if (height !== undefined) yield { kind: 'block', path, source, height: String(height) }
    }
  })
  const shown: EvmGateway['shown'] = (endpoint, height) => {
    const tip = tipOf(endpoint)
    tip.reached(undefined, height)
    // So that it is known who has it by the time that clients ask.
    const group = pools.group(endpoint.source)
    for (const host of group.hosts) tip.mayLackNewest(host, group, endpoint)
  }
  forwarder.countC(createCBlocks({ pools, tipOf, shown }))
  const reads = createEvmReads({ pools, kept, tipOf, lacks: forwarder.lacks })
  const filters = createEvmFilters({ pools, table: createSharedFilterTable(elsewhere), tipOf })

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

  const answer: EvmGateway['answer'] = async (request) => {
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
    tip: tipOf,
    shown,
    answer: async (request) => {
      const answered = await answer(request)
      await elsewhere?.sent()
      return answered
    },
  }
}
