import { UpstreamUnavailableError } from '../../../errors.ts'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import type { AnswerVerdict, RawResponse } from '../../../upstream/index.ts'
import type { ChainTips } from '../evm/read/chain-tips.ts'
import type { NodeAnswer } from '../http/answer.ts'
import type { Finality } from '../methods/rule.ts'
import { chainPathOf } from '../routes/endpoint.ts'
import {
  type AnswerCache,
  type AnswerCacheOptions,
  createAnswerCache,
  type KeptAnswer,
  LONGEST_KEPT_MS,
  withoutId,
} from './answer-cache.ts'
import { type ForwardCall, JSON_HEADERS, requestOf } from './call.ts'
import { dependsOnC } from './consistency/depends-on-c.ts'
import type { LateNodes } from './consistency/late-nodes.ts'
import type { PeerProcesses } from './consistency/peer-processes.ts'
import { createReadConsistency } from './consistency/read-consistency.ts'
import type { BlockHeight } from './consistency/shown-block.ts'
import { answerOf } from './forwarded-answer.ts'
import { type Judge, judgeCall, judgeHealth, judgeHttp, judgeOpaque, judgeRpc, unlessAbsent } from './judge.ts'
import { createCatchUp, type Place } from './nodes/catch-up.ts'
import { createCompleteNode } from './nodes/complete-node.ts'
import { healthyHosts, memberAt } from './nodes/group-members.ts'
import { createIndexGaps } from './nodes/index-gaps.ts'
import { createNoSuchThing, isNoSuchThing } from './nodes/no-such-thing.ts'
import type { NodeGroup, NodePools } from './nodes/node-pools.ts'
import { createPageServers, type SharedHosts, startOf } from './nodes/page-servers.ts'
import { createSourceChains, sourceOf } from './nodes/source-chains.ts'
import { createSurest } from './nodes/surest.ts'
import { createWake } from './nodes/wake.ts'
import { resultIn } from './result-in.ts'
import { createAlone } from './writes/alone.ts'
import { forwardWrite, type WritePolicy } from './writes/writes.ts'

/** Forwards requests to nodes and returns their answers byte for byte. */
export interface Forwarder {
  /** @throws FirnError when no node answers; CancelledError when the client has disconnected. */
  forward(call: ForwardCall): Promise<NodeAnswer>
  /** NodeID of the identity node, once known. */
  nodeId(): string | undefined
  /** Asks the identity node for its id; false = it did not answer. Nodes send it in a header of every answer. */
  learnNodeId(signal: AbortSignal): Promise<boolean>
  /** True for a node that lacks what clients were told is accepted: it would show an earlier state. */
  lacks(host: string): boolean
  /** A client was shown this block by this server itself: what nodes are asked next is no older. */
  shown(chain: ChainLetter, height: bigint): void
}

export interface ForwarderDeps {
  pools: NodePools
  tips: ChainTips
  writePolicy: WritePolicy
  cache: AnswerCacheOptions
  /** How long answers that depend on the tip are reused while it does not change; 0 = never. Milliseconds. */
  tipCacheMs: number
  /** Height of a block of P, X or C, in a container or not; undefined = it is none. */
  blockHeight: BlockHeight
  /** Shared record of which nodes served which pages; left out = this is the only process. */
  sharedHosts?: SharedHosts | undefined
  /** What clients of other processes were told; left out = this is the only process. */
  peers?: PeerProcesses | undefined
}

/** Time of a request over all attempts, milliseconds; a node allows itself as long to write an answer. */
const FORWARD_MS = 30_000
/** How long an answer waits for another node's that is known to stay true, milliseconds. */
const SURER_MS = 2_000
/** Largest call (bytes) whose answer may be cached. */
const LONGEST_KEPT = 65_536
const ASK_NODE_ID = '{"jsonrpc":"2.0","id":1,"method":"info.getNodeID","params":{}}'

/** It is unknown whether the call reads or writes, so it must not be repeated. */
const isOpaque = ({ endpoint, http }: ForwardCall): boolean => endpoint.dialect === 'any' && http.method !== 'GET'

const judgeOf = (call: ForwardCall): Judge => {
  const { endpoint, id, http } = call
  if (isOpaque(call)) return judgeOpaque
  if (endpoint.dialect === 'gorilla' || endpoint.dialect === 'evm')
    return unlessAbsent(call.rule, id === undefined ? judgeRpc(http.body) : judgeCall(id, http.body))
  return endpoint.name.startsWith('health') ? judgeHealth : judgeHttp
}

/**
 * That there is no such thing is not believed of a node that lacks what clients were told: they may have been shown it.
 * Who asks for the status of a transaction asks again anyway.
 * @throws UpstreamUnavailableError
 */
const expectKnown = ({ rule, method }: ForwardCall, verdict: AnswerVerdict, isLate: boolean): void => {
  if (isLate && !rule.news && isNoSuchThing(verdict))
    throw new UpstreamUnavailableError(`${method}: only nodes answer that lack what clients were shown`)
}

/** What another chain exported is as old as the node's block of that chain. */
const placeOf = (call: ForwardCall, group: NodeGroup, lacks: LateNodes['lacks']): Place => {
  const chain = sourceOf(call) === undefined ? chainPathOf(call.endpoint) : undefined
  const answers = (host: string): boolean => healthyHosts(group).has(host)
  return { hosts: group.hosts, chain, lacks: (host) => lacks(host, chain), answers, signal: call.signal }
}

const keyOf = (call: ForwardCall): string =>
  `${call.endpoint.path}\n${call.method}\n${call.params === undefined ? '' : call.params.toString('latin1')}`

const ttlOf = (finality: Finality, tipCacheMs: number): number => (finality === 'tip' ? tipCacheMs : LONGEST_KEPT_MS)

function fromKept(kept: KeptAnswer, id: Buffer): NodeAnswer {
  const answer: NodeAnswer = { status: 200, body: Buffer.concat([kept.head, id, kept.tail]), nosniff: kept.nosniff }
  if (kept.contentType !== undefined) answer.contentType = kept.contentType
  if (kept.nodeId !== undefined) answer.nodeId = kept.nodeId
  return answer
}

/** Cached = may be looked up and stored: it has an id to replace, and a rule that says how long it stays valid. */
const cacheable = (call: ForwardCall): call is ForwardCall & { id: Buffer } =>
  call.rule.finality !== undefined &&
  call.id !== undefined &&
  // Calls this large are not repeated, and checking whether they may be cached takes time for each byte.
  (call.http.body?.length ?? 0) <= LONGEST_KEPT &&
  // The next page that another client got from the same position may be another node's.
  !(call.rule.pages && startOf(call) !== undefined) &&
  call.isClean?.() === true

function keep(
  cache: AnswerCache,
  key: string,
  call: ForwardCall & { id: Buffer },
  answer: NodeAnswer,
  tipCacheMs: number,
  { tip, epoch }: Pick<KeptAnswer, 'tip' | 'epoch'>,
) {
  const { finality, finalWhen } = call.rule
  if (finality === undefined || answer.status !== 200) return
  if (finalWhen && !finalWhen.some((mark) => resultIn(answer.body).includes(mark))) return
  const parts = withoutId(answer.body, call.id, call.endpoint.dialect)
  if (!parts) return
  const kept: KeptAnswer = {
    ...parts,
    contentType: answer.contentType,
    nosniff: answer.nosniff === true,
    nodeId: answer.nodeId,
    tip: finality === 'tip' ? tip : undefined,
    epoch,
  }
  if (finality === 'tip' && tip === undefined) return
  cache.set(key, kept, ttlOf(finality, tipCacheMs))
}

export function createForwarder(deps: ForwarderDeps): Forwarder {
  const { pools, writePolicy, tipCacheMs } = deps
  const cache = createAnswerCache(deps.cache)
  const wake = createWake()
  const consistency = createReadConsistency({ ...deps, onNews: cache.forgetTip })
  pools.onReset(() => {
    cache.clear()
    consistency.clear()
  })
  const sources = createSourceChains()
  const surest = createSurest()
  const gaps = createIndexGaps()
  const pages = createPageServers(deps.sharedHosts)
  let identity: string | undefined

  const noteIdentity = (response: RawResponse | undefined): void => {
    const seen = response?.headers['node-id']
    if (typeof seen === 'string') identity = seen
  }
  const toIdentity = async (call: ForwardCall): Promise<RawResponse> => {
    const { pool, path } = pools.identity
    const response = await pool.exchange(requestOf(call, path(call.endpoint)), {
      signal: call.signal,
      deadline: Date.now() + FORWARD_MS,
      judge: judgeOf(call),
    })
    noteIdentity(response)
    return response
  }
  const alone = createAlone()
  const complete = createCompleteNode()
  const catchUp = createCatchUp()
  /** Where every node lacks something, one that has all of the chain itself is better than one that is behind there. */
  const lacksFor = (call: ForwardCall, group: NodeGroup) => {
    const lacks = consistency.lacksFor(call, group)
    const avoid = (hasAll: boolean) => (host: string) => lacks(host, hasAll ? undefined : chainPathOf(call.endpoint))
    const place = call.endpoint.dialect === 'evm' ? call.endpoint.path : dependsOnC(call) ? 'C' : ''
    const hasAll = complete(place, group, lacks, call.signal)
    return typeof hasAll === 'boolean' ? avoid(hasAll) : hasAll.then(avoid)
  }
  const ask = async (call: ForwardCall, group: NodeGroup): Promise<RawResponse> => {
    const host = call.rule.pages ? await pages.before(call) : undefined
    // No other node can continue this list: when the node fails, the list has to be read from its start.
    const one = host === undefined ? undefined : memberAt(group, host)
    const { pool, path } = one ?? group
    const judge = judgeOf(call)
    const lacks = consistency.lacksFor(call, group)
    const others = one ? lacks : lacksFor(call, group)
    const avoid = others instanceof Promise ? await others : others
    // Another page of a list, or a call that may have done something, is not asked for twice.
    const mayAgain = one === undefined && !isOpaque(call) && call.rule.finality !== 'settled'
    const place = mayAgain && group.hosts.some((some) => lacks(some)) ? placeOf(call, group, lacks) : undefined
    const exported = mayAgain ? sourceOf(call) : undefined
    const exchange = async (again: boolean): Promise<RawResponse> => {
      const lacking = place?.hosts.filter(place.lacks) ?? []
      const strict = (await (sources.judgeOf(call, group, judge) ?? gaps.judgeOf(call, group, judge))) ?? judge
      const none = createNoSuchThing(strict, (some) => lacking.includes(some))
      const last = await pool.exchange(requestOf(call, path(call.endpoint)), {
        idempotent: !isOpaque(call),
        signal: call.signal,
        deadline: Date.now() + (again ? SURER_MS : FORWARD_MS),
        avoid: surest.avoided(exported, healthyHosts(group), avoid),
        judge: lacking.length > 0 ? none.judge : strict,
      })
      return none.wordOf(last)
    }
    const answered = async (again: boolean): Promise<RawResponse> => {
      const response = await (place ? catchUp(place, (isAtOnce) => exchange(again || isAtOnce)) : exchange(again))
      if (place) expectKnown(call, judge(response), place.lacks(response.host))
      return response
    }
    const isSure = async (one: RawResponse) => (await consistency.read(call, group, one)) || !mayAgain
    const response = await surest.pick(exported, answered, isSure)
    if (call.rule.pages) await pages.note(call, response.host, response.body)
    return response
  }
  const read = async (call: ForwardCall, group: NodeGroup): Promise<NodeAnswer> => {
    const tipBound = call.rule.finality === 'tip'
    // A client with a cached page must continue at the node that served it, which would be unknown.
    const isPage = call.rule.pages === true && group.members().length > 1
    if (!cacheable(call) || isPage || (tipBound && tipCacheMs === 0)) return answerOf(await ask(call, group))
    const tip = tipBound ? group.pool.head() : undefined
    const { epoch } = cache
    // Between two looks at the chain's own tip, clients may be told of newer blocks of C.
    const key = tipBound && dependsOnC(call) ? `${keyOf(call)}\n${consistency.newestOfC()}` : keyOf(call)
    const kept = cache.get(key, tip)
    if (kept) return fromKept(kept, call.id)
    // Where nobody else answers, what is older than what was told is for this client alone.
    const lacks = consistency.lacksFor(call, group)
    const late = tipBound ? group.hosts.filter((host) => lacks(host)) : []
    const response = await ask(call, group)
    const answer = answerOf(response)
    if (!late.includes(response.host)) keep(cache, key, call, answer, tipCacheMs, { tip, epoch })
    return answer
  }
  const answer = async (call: ForwardCall): Promise<NodeAnswer> => {
    const { target } = call.rule
    if (target === 'identity') return answerOf(await toIdentity(call))
    const { source } = call.endpoint
    const group = pools.group(source)
    const waking = source === 'P' || source === 'X' || source === 'C' ? wake(group, source) : undefined
    if (waking) await waking
    if (target === 'any') return read(call, group)
    if (target === 'alone') return answerOf(await alone({ call, judge: judgeOf(call) }, group))
    try {
      const lacks = consistency.lacksFor(call, group)
      const own = call.endpoint.dialect === 'evm' ? chainPathOf(call.endpoint) : undefined
      const late = { lacks: await lacksFor(call, group), isLate: (host: string) => lacks(host, own) }
      const response = await forwardWrite(call, group, writePolicy, late)
      consistency.written(call, response)
      return answerOf(response)
    } finally {
      cache.forgetTip()
    }
  }
  return {
    forward: async (call) => {
      const answered = await answer(call)
      await deps.peers?.sent()
      return answered
    },
    lacks: (host) => consistency.lacks(host),
    shown: consistency.shown,
    nodeId: () => identity,
    learnNodeId: async (signal) => {
      const response = await pools.identity.pool
        .exchange({ method: 'POST', path: '/ext/info', headers: JSON_HEADERS, body: ASK_NODE_ID }, { signal })
        .catch(() => undefined)
      noteIdentity(response)
      return identity !== undefined
    },
  }
}
