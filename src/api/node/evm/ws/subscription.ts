import { eachElement } from '../../json/spans.ts'
import { resultOf } from '../answers.ts'
import { type Delivery, deliveryOf } from './delivery.ts'
import { heightMember, textMember } from './notification.ts'
import type { Told } from './told.ts'

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
  /** Newest block when it began: only later blocks are read again. */
  since: bigint
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
  told: Told,
): Subscription {
  const asked = readSubscribeParams(params)
  return {
    namespace: method.slice(0, method.lastIndexOf('_')),
    params: params?.toString('latin1') ?? '[]',
    ...asked,
    ...ids,
    since,
    delivery: deliveryOf(asked.kind, told),
  }
}

/** Height of the block that a push shows to be there; undefined = it names none above this one, or one that is gone. */
export function blockShownBy({ kind }: Subscription, result: Buffer, above: bigint): bigint | undefined {
  if (result[0] !== 0x7b || kind === 'newPendingTransactions') return undefined
  const height = heightMember(result, kind === 'newHeads' ? 'number' : 'blockNumber')
  if (height === undefined || height <= above) return undefined
  return textMember(result, 'removed') === 'true' ? undefined : height
}
