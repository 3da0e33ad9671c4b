import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../../lib/room-for.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'
import { pause } from '../../../../lib/waiting/pause.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import { type ForwardCall, requestOf } from '../call.ts'
import { errorOf } from '../judge.ts'
import { healthyHosts } from '../nodes/group-members.ts'
import type { LateNodes } from '../nodes/late-nodes.ts'
import type { Member, NodeGroup } from '../nodes/node-pools.ts'
import { resultIn } from '../result-in.ts'

/** Nodes accept a block shortly after one another; a slower one lags and is not waited for. Milliseconds. */
const WAIT_MS = 2_000
/** Interval between two questions to one node, milliseconds. */
const AGAIN_MS = 50

/** Transactions remembered as not accepted yet, sent or asked for, and for how long, milliseconds. */
const AWAITED = 10_000
/** Sent ones of which processes that start are told. */
const RECALLED = 1_000
const AWAITED_MS = 600_000

/** `isSent`: a node has accepted it for processing. */
interface Awaited {
  id: string
  isSent: boolean
}

/** Transactions whose acceptance a client may wait for: sent through this server, or asked for too early. */
export interface AwaitedTransactions {
  /**
   * Called with each answer to a call that sends a transaction or asks for its status. Returns a transaction that was
   * not awaited this way before; undefined = nothing new.
   */
  note(call: ForwardCall, answer: Pick<RawResponse, 'body'>): Awaited | undefined
  /** A client of another process waits for it. */
  add(transaction: Awaited): void
  /** The newest ones that were sent. */
  sent(): Iterable<string>
  /** True for the first report that one of them is accepted: much of what clients do next depends on it. */
  isNews(call: ForwardCall, answer: Pick<RawResponse, 'status' | 'body'>): boolean
}

const createIds = () => new LRUCache<string, true>({ ...roomFor(AWAITED), ttl: AWAITED_MS })

const idIn = (bytes: Buffer | undefined): string | undefined =>
  /"txID"\s*:\s*"(\w{1,64})"/.exec(bytes?.toString('latin1', 0, 512) ?? '')?.[1]

export function createAwaitedTransactions(): AwaitedTransactions {
  // By id alone: X transactions may be sent to the X wallet and queried at X. Two caches, because sending costs a fee:
  // queries for thousands of unknown transactions must not evict sent ones.
  const [sent, asked] = [createIds(), createIds()]
  const add = ({ id, isSent }: Awaited): void => void (isSent ? sent : asked).set(id, true)
  return {
    note(call, { body }) {
      const { rule, params } = call
      const isSent = rule.target === 'write'
      const id = isSent ? idIn(resultIn(body)) : rule.news && !isAccepted(call, body) ? idIn(params) : undefined
      if (id === undefined) return undefined
      const isNew = !sent.has(id) && (isSent || !asked.has(id))
      add({ id, isSent })
      return isNew ? { id, isSent } : undefined
    },
    add,
    sent: function* () {
      let left = RECALLED
      for (const id of sent.keys()) if (left-- > 0) yield id
    },
    isNews(call, { status, body }) {
      const id = call.rule.news && status === 200 && isAccepted(call, body) ? idIn(call.params) : undefined
      return id !== undefined && (sent.has(id) || asked.has(id))
    },
  }
}

const isAccepted = ({ rule }: ForwardCall, body: Buffer): boolean => {
  const result = resultIn(body)
  return (rule.finalWhen ?? []).some((mark) => result.includes(mark))
}

/** Height of the block with an atomic transaction: stands next to the status, or after the whole transaction. */
export function atomicHeightIn(body: Buffer): bigint | undefined {
  const result = resultIn(body)
  const digits = /"blockHeight":"(\d{1,20})"/.exec(result.toString('latin1', Math.max(0, result.length - 512)))?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}

/**
 * Waits until every healthy node has accepted what one has: a client that hears of it reads and spends the new outputs
 * at once, possibly at another node. Nodes that have not accepted it by then, or do not answer, are noted and returned:
 * they would show the earlier state. Never rejects.
 */
export async function acceptedEverywhere(
  call: ForwardCall,
  group: NodeGroup,
  teller: string,
  late: Pick<LateNodes, 'note'>,
): Promise<string[]> {
  const healthy = healthyHosts(group)
  const others = group.members().filter(({ host }) => host !== teller)
  const until = steadyNow() + WAIT_MS
  const asked = inOwnBytes(call)
  const lacking = await Promise.all(
    others.map(async (member) => {
      if (healthy.has(member.host) && (await acceptedAt(asked, member, until))) return []
      noteLacking(asked, member, late)
      return [member.host]
    }),
  )
  return lacking.flat()
}

/**
 * The same question with its own bytes: it is still sent after the answer, when the memory of a large body is reused by
 * the next client.
 */
function inOwnBytes(call: ForwardCall): ForwardCall {
  const id = idIn(call.params)
  if (id === undefined) return call
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${call.method}","params":{"txID":"${id}"}}`)
  return { ...call, http: { ...call.http, contentType: 'application/json', contentEncoding: undefined, body } }
}

/** This node has not accepted what the call asks about: it is checked again before the next read there. */
export const noteLacking = (call: ForwardCall, member: Member, late: Pick<LateNodes, 'note'>): void =>
  late.note(member.host, call.endpoint.path, () => hasAccepted(call, member, new AbortController().signal, WAIT_MS))

/** A node's error for an unknown atomic transaction. */
const NOT_FOUND = 'could not find tx'

/** A node that does not answer has not accepted it; a node that cannot tell is not blamed. */
async function hasAccepted(call: ForwardCall, member: Member, signal: AbortSignal, timeMs: number): Promise<boolean> {
  try {
    const request = requestOf(call, member.path(call.endpoint))
    const { body } = await member.pool.exchange(request, { signal, deadline: Date.now() + timeMs })
    return isAccepted(call, body) || errorOf(body)?.message.includes(NOT_FOUND) === false
  } catch {
    return false
  }
}

async function acceptedAt(call: ForwardCall, member: Member, until: number): Promise<boolean> {
  const { signal } = call
  for (let left = WAIT_MS; left > 0 && !signal.aborted; left = until - steadyNow()) {
    if (await hasAccepted(call, member, signal, left)) return true
    await pause(AGAIN_MS, signal)
  }
  return false
}
