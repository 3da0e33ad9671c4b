import type { Subscription } from './subscription.ts'

/** A client's subscriptions, by its own ids and by those of the node that holds them now. */
export interface SubscriptionTable {
  readonly size: number
  /** Size of the parameters of all together. */
  bytes(): number
  all(): Subscription[]
  hasId(id: string): boolean
  /** Whether it is still the client's: it may have ended while a node was asked, and its id may be another's. */
  has(subscription: Subscription): boolean
  /** The one that the node calls by this id. */
  heldAs(upstreamId: string): Subscription | undefined
  /** A node holds it, as `subscription.upstreamId`. */
  hold(subscription: Subscription): void
  /** The node is lost, and its ids with it. */
  lose(): void
  /**
   * Removes one; `isHeld` says whether a node holds it. While it is being moved none does: its id is the lost node's, and
   * may be another's at the new one.
   */
  remove(id: string): { subscription: Subscription; isHeld: boolean } | undefined
  clear(): void
}

export function createSubscriptionTable(): SubscriptionTable {
  const byId = new Map<string, Subscription>()
  const byUpstreamId = new Map<string, Subscription>()
  return {
    get size() {
      return byId.size
    },
    bytes: () => [...byId.values()].reduce((sum, { params }) => sum + params.length, 0),
    all: () => [...byId.values()],
    hasId: (id) => byId.has(id),
    has: (subscription) => byId.get(subscription.id) === subscription,
    heldAs: (upstreamId) => byUpstreamId.get(upstreamId),
    hold: (subscription) => {
      byId.set(subscription.id, subscription)
      byUpstreamId.set(subscription.upstreamId, subscription)
    },
    lose: () => byUpstreamId.clear(),
    remove: (id) => {
      const subscription = byId.get(id)
      if (!subscription) return undefined
      byId.delete(id)
      const isHeld = byUpstreamId.get(subscription.upstreamId) === subscription
      if (isHeld) byUpstreamId.delete(subscription.upstreamId)
      return { subscription, isHeld }
    },
    clear: () => {
      byId.clear()
      byUpstreamId.clear()
    },
  }
}
