import { UpstreamUnavailableError } from '../../../../errors.ts'
import type { HeadShape } from './head-shape.ts'
import { askHeight, askText } from './link/ask-link.ts'
import type { UpstreamLink } from './link/upstream-link.ts'
import { readMissed } from './missed.ts'
import { REMEMBERED_HEADS } from './subscriptions/delivery.ts'
import type { Subscription } from './subscriptions/subscription.ts'
import type { SubscriptionTable } from './subscriptions/subscription-table.ts'

export interface TakeOverDeps {
  table: SubscriptionTable
  /** Newest block that the lost node had shown. */
  reached: bigint
  shape: HeadShape
  maxMissedBlocks: number
  /** The node has shown this block. */
  onHead(host: string, height: bigint): void
  /** Gets everything that may have been missed, oldest first; some of it was delivered before the loss. */
  deliver(subscription: Subscription, result: Buffer): void
}

/** Ends a subscription at a node, by the node's id for it; nobody waits for the answer. */
export const endAt = (link: UpstreamLink | undefined, { namespace }: Subscription, upstreamId: string): void =>
  link?.call(`${namespace}_unsubscribe`, `["${upstreamId}"]`, () => undefined)

async function resubscribe(link: UpstreamLink, table: SubscriptionTable, subscription: Subscription): Promise<void> {
  const upstreamId = await askText(link, `${subscription.namespace}_subscribe`, subscription.params)
  // The client may have unsubscribed meanwhile: nobody else would end the subscription at the new node.
  if (!table.has(subscription)) {
    endAt(link, subscription, upstreamId)
    return
  }
  subscription.upstreamId = upstreamId
  table.hold(subscription)
}

/**
 * Begins a client's subscriptions at another node, and reads there what the client missed since the loss of the last one.
 * @returns the newest block of the node
 * @throws TooMuchMissedError; UpstreamUnavailableError when the node refuses something, or is too far behind
 */
export async function takeOver(link: UpstreamLink, deps: TakeOverDeps): Promise<bigint> {
  const { table, reached, shape, maxMissedBlocks, onHead, deliver } = deps
  const subscriptions = table.all()
  await Promise.all(subscriptions.map((one) => resubscribe(link, table, one)))
  const tip = await askHeight(link)
  onHead(link.host, tip)
  // Its heads would count as already delivered, and the client would hear nothing until the node has caught up.
  if (reached - tip > BigInt(REMEMBERED_HEADS))
    throw new UpstreamUnavailableError(`${link.host}: is ${reached - tip} blocks behind what was shown`)
  await readMissed({ link, reached, tip, shape, maxBlocks: maxMissedBlocks }, subscriptions.filter(table.has), deliver)
  return tip
}
