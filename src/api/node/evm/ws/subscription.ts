import { eachElement } from '../../json/spans.ts'
import { resultOf } from '../answers.ts'
import { type Delivery, deliveryOf } from './delivery.ts'
import { heightMember, textMember } from './notification.ts'
import type { RecentlySent } from './recently-sent.ts'

/** One subscription of one client. It outlives the node that holds it. */
export interface Subscription {
  /** `eth` in `eth_subscribe`. */
  namespace: string
  /** Unparsed params of the subscribing call. */
  params: string
  kind: string
  /** JSON of the filter of a `logs` subscription. */
  filter: string
  /** Transactions are told as a whole, not as hashes. */
  isWhole: boolean
  /** The client's id for it; never changes. */
  id: string
  /** The id at the node that holds it. */
  upstreamId: string
  /**
   * Newest block when it began, of logs a later one up to which all were told: only later blocks are read again, and
   * behind a loss only they are told.
   */
  since: bigint
  hasTold: boolean
  delivery: Delivery
}

/** What a subscribing call asks for; kind and filter are empty when absent. */
export function readSubscribeParams(params: Buffer | undefined): Pick<Subscription, 'kind' | 'filter' | 'isWhole'> {
  const parts: string[] = []
  if (params)
    eachElement(params, 0, (from, to) => {
      parts.push(params.toString('latin1', from, to))
      return parts.length < 2
    })
  const kind = /^"([A-Za-z]+)"$/.exec(parts[0] ?? '')?.[1] ?? ''
  return { kind, filter: parts[1]?.startsWith('{') ? parts[1] : '{}', isWhole: parts[1] === 'true' }
}

/** The id in the answer to a subscribing call; undefined = refused. */
export function subscriptionIdOf(entry: Buffer): string | undefined {
  const result = resultOf(entry)
  return result?.[0] === 0x22 ? result.toString('latin1', 1, result.length - 1) : undefined
}

export function createSubscription(
  method: string,
  params: Buffer | undefined,
  ids: { id: string; upstreamId: string },
  since: bigint,
  sent: RecentlySent,
): Subscription {
  const asked = readSubscribeParams(params)
  return {
    namespace: method.slice(0, method.lastIndexOf('_')),
    params: params?.toString('latin1') ?? '[]',
    ...asked,
    ...ids,
    since,
    hasTold: false,
    delivery: deliveryOf(asked.kind, sent),
  }
}

/** Height of the block that a push is of; undefined = it names none. */
const heightOf = ({ kind }: Subscription, result: Buffer): bigint | undefined =>
  result[0] === 0x7b ? heightMember(result, kind === 'newHeads' ? 'number' : 'blockNumber') : undefined

/** Height of the block that a push shows to be there; undefined = it names none above this one, or one that is gone. */
export function blockShownBy(subscription: Subscription, result: Buffer, above: bigint): bigint | undefined {
  const height = heightOf(subscription, result)
  if (height === undefined || height <= above) return undefined
  return textMember(result, 'removed') === 'true' ? undefined : height
}

/** Logs of this block, and of those before, were told or are none of the subscription. */
export function haveLogsUntil(subscription: Subscription, height: bigint): void {
  if (subscription.kind === 'logs' && height > subscription.since) subscription.since = height
}

/**
 * Whether a push is one of the subscription's.
 * @param wasLost a node was lost before: the one that pushes this may have yet to catch up, and repeats blocks
 */
export function isDue(subscription: Subscription, result: Buffer, wasLost: boolean): boolean {
  const height = heightOf(subscription, result)
  if (height === undefined) return true
  if (wasLost && height <= subscription.since) return false
  // What a node tells first is of no block before the beginning, which may be later than was known of then.
  if (!subscription.hasTold) haveLogsUntil(subscription, height - 1n)
  subscription.hasTold = true
  return true
}
