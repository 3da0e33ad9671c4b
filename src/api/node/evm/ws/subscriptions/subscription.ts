import { eachElement } from '../../../json/spans.ts'
import { resultOf } from '../../answers.ts'
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
  /** Notifications carry whole transactions, not hashes. */
  isWhole: boolean
  /** The client's id for it; never changes. */
  id: string
  /** The id at the node that holds it. */
  upstreamId: string
  /**
   * Nothing up to this block is due any more: the newest block when the subscription began or, for logs, a later one up
   * to which all were delivered. After the loss of a node only later blocks are read again and delivered.
   */
  since: bigint
  /** Whether a node has pushed anything for it. */
  hasPushed: boolean
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
    hasPushed: false,
    delivery: deliveryOf(asked.kind, sent),
  }
}

/** Height of the block that a push is of; undefined = it names none. */
const heightOf = ({ kind }: Subscription, result: Buffer): bigint | undefined =>
  result[0] === 0x7b ? heightMember(result, kind === 'newHeads' ? 'number' : 'blockNumber') : undefined

/** Height of the block that a push shows to exist; undefined = none higher than `above`, or one that was removed. */
export function blockShownBy(subscription: Subscription, result: Buffer, above: bigint): bigint | undefined {
  const height = heightOf(subscription, result)
  if (height === undefined || height <= above) return undefined
  return textMember(result, 'removed') === 'true' ? undefined : height
}

/** Logs up to this block were delivered, or are not the subscription's. */
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
  // A node's first push is never of a block before the beginning, which may lie above the newest block known then.
  if (!subscription.hasPushed) haveLogsUntil(subscription, height - 1n)
  subscription.hasPushed = true
  return true
}
