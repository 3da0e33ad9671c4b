import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../../lib/room-for.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import type { ForwardCall } from '../call.ts'
import { resultIn } from '../result-in.ts'
import { textIn } from '../text-in.ts'

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

const TX_ID = /^\w{1,64}$/

/** The id in params or a result that name one transaction. */
export function idIn(bytes: Buffer | undefined): string | undefined {
  const id = textIn(bytes, 'txID')
  return id !== undefined && TX_ID.test(id) ? id : undefined
}

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

/** Whether an answer says that its transaction is accepted. */
export const isAccepted = ({ rule }: ForwardCall, body: Buffer): boolean => {
  const result = resultIn(body)
  return (rule.finalWhen ?? []).some((mark) => result.includes(mark))
}
