import { UpstreamRateLimitedError } from '../../../../errors.ts'
import { inTime } from '../../../../lib/waiting/in-time.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import type { ForwardCall } from '../call.ts'
import { wasTurnedAway } from '../judge.ts'
import type { Member, NodeGroup } from '../nodes/node-pools.ts'
import { type Lacks, nextHealthyOf, nextOf } from './next-node.ts'
import { ALL_MS, isSuccess, isUnheard, isVerdict, lastWord, MAX_NODES, send, takenOr } from './sending.ts'
import type { SignedTransaction } from './transaction-id.ts'

/**
 * A node that has not answered by then probably hangs, and the next one gets the same bytes while it is waited for. Far
 * more than a node takes, and less than the ten seconds after which viem gives up. Milliseconds.
 */
const PATIENCE_MS = 5_000

/** A node that was handed the transaction. */
interface Handed {
  member: Member
  /** Its answer or failure, once it is there; never rejects. */
  end: Promise<Ended>
  /** Nothing was heard of it yet. */
  isOpen: boolean
  /** What it said about the transaction. */
  word?: RawResponse
  /** It lacked something that clients were told: its refusal may say no more than that. */
  isLate: boolean
}

interface Ended {
  handed: Handed
  response?: RawResponse
  error?: unknown
}

interface Sending {
  call: ForwardCall
  tx: SignedTransaction
  /** A node that lacks anything that clients were told, of whatever chain: exports of one are imported on another. */
  isLate: Lacks
  /** In the order in which they were asked. */
  handed: Handed[]
  /** A node that did not answer about it may have accepted it. */
  maybeTaken: boolean
  /** Nodes that handle it, or may have. */
  looked: number
  last?: RawResponse
  failure?: unknown
}

function hand(sending: Sending, member: Member, until: number): void {
  const isLate = sending.isLate(member.host)
  const handed: Handed = { member, isOpen: true, isLate, end: Promise.resolve({} as Ended) }
  handed.end = send(member, sending.call, until).then(
    (response) => ({ handed, response }),
    (error: unknown) => ({ handed, error }),
  )
  sending.handed.push(handed)
  sending.looked += 1
}

/** Notes what became of a node. */
function note(sending: Sending, { handed, response, error }: Ended): void {
  const { call } = sending
  handed.isOpen = false
  if (response === undefined) {
    sending.failure = error
    sending.maybeTaken ||= !(error instanceof UpstreamRateLimitedError)
  } else if (isUnheard(call, response)) {
    sending.last ??= response
    sending.looked -= 1
  } else if (isVerdict(call, response)) {
    handed.word = response
  } else {
    sending.last = response
    sending.maybeTaken ||= !wasTurnedAway(response)
  }
}

/** A node's success. If others had the bytes, its refusal may only say that it already has the transaction from them. */
async function successOf(sending: Sending, { handed, response }: Ended): Promise<RawResponse | undefined> {
  const { call, tx, maybeTaken } = sending
  if (!response || handed.word === undefined) return undefined
  const isTold = maybeTaken || sending.handed.some(({ isOpen }) => isOpen)
  const meant = isTold ? await takenOr(response, handed.member, call, tx) : response
  return isSuccess(meant) ? meant : undefined
}

/**
 * The node that gets the transaction next; undefined = none. After the refusal of a late node, only one that is thought to
 * answer: if it hung, the client would wait for what may be no more than that refusal.
 */
function nextFor({ handed, looked, isLate }: Sending, group: NodeGroup, lacks: Lacks): Member | undefined {
  const words = handed.filter(({ word }) => word)
  if (looked >= MAX_NODES || words.some((one) => !one.isLate)) return undefined
  const asked = new Set(handed.map(({ member }) => member))
  return words.length > 0 ? nextHealthyOf(group, asked, isLate) : nextOf(group, asked, lacks)
}

/**
 * Hands a signed transaction to one node, and to the next only when that one failed, did not touch it, has not answered
 * for five seconds, or refused it while it lacked what clients were shown: the bytes are the same, so that nothing can
 * happen twice. The first success is the answer. A refusal is the answer once no node that was asked earlier may still
 * take the transaction, and only from a node that does not have it. The next node is chosen when needed: a rate-limited
 * one must not be waited for while another is free.
 * @param lacks which nodes are asked last
 * @param isLate which nodes' refusals may be due to what they lack
 */
export async function sendToOne(
  call: ForwardCall,
  group: NodeGroup,
  tx: SignedTransaction,
  { lacks, isLate }: { lacks: Lacks; isLate: Lacks },
): Promise<RawResponse> {
  const sending: Sending = { call, tx, isLate, handed: [], maybeTaken: false, looked: 0 }
  const { handed } = sending
  const until = Date.now() + ALL_MS
  for (;;) {
    const next = nextFor(sending, group, lacks)
    if (next) hand(sending, next, until)
    const open = handed.filter(({ isOpen }) => isOpen)
    if (open.length === 0)
      return handed.find(({ word }) => word)?.word ?? lastWord(call, sending.last, sending.failure, group.members())
    const first = Promise.race(open.map(({ end }) => end))
    const ended = await (next ? inTime(first, PATIENCE_MS, () => undefined) : first)
    if (!ended) continue
    if (ended.error !== undefined && call.signal.aborted) throw ended.error
    note(sending, ended)
    const success = await successOf(sending, ended)
    if (success) return success
    const decisive = handed.find((one) => one.isOpen || (one.word && !one.isLate))
    if (decisive?.word) return decisive.word
  }
}
