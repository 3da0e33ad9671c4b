import { randomBytes } from 'node:crypto'
import type { PeerProcesses } from '../../forward/consistency/peer-processes.ts'
import { withOwnId } from '../answers.ts'
import { createBehindNews } from './behind-news.ts'
import { createFeedLink, type Preparation } from './feed-link.ts'
import { createHeadShape } from './head-shape.ts'
import { createHeld } from './held.ts'
import { askHeight } from './link/ask-link.ts'
import type { LinkEvents, UpstreamLink } from './link/upstream-link.ts'
import type { Share } from './message-room.ts'
import {
  heightMember,
  type Notification,
  readNotification,
  withSubscription,
  writeNotification,
} from './subscriptions/notification.ts'
import { createRecentlySent } from './subscriptions/recently-sent.ts'
import {
  blockShownBy,
  createSubscription,
  isDue,
  type Subscription,
  subscriptionIdOf,
} from './subscriptions/subscription.ts'
import { createSubscriptionTable } from './subscriptions/subscription-table.ts'
import { endAt, takeOver } from './take-over.ts'

/**
 * A client's subscriptions, held at one node at a time and moved to another when that node is lost (`feed-link.ts`,
 * `take-over.ts`).
 */
export interface Feed {
  /** `reply` gets the answer with the caller's id before the first notification; undefined = no node accepted it. */
  subscribe(method: string, params: Buffer | undefined, id: Buffer, reply: (entry: Buffer | undefined) => void): void
  /** False when there is no such subscription. */
  unsubscribe(id: string): boolean
  readonly size: number
  /** Size of the parameters of all subscriptions together. */
  bytes(): number
  /** While paused, nothing more is read from the node. */
  pause(): void
  resume(): void
  close(): void
}

export interface FeedDeps {
  /** Connects to the best node but these. Rejects when there is none. */
  connect(events: LinkEvents, without: ReadonlySet<string>): Promise<UpstreamLink>
  /** To the client, for the subscription that it knows by this id. */
  send(message: Buffer, id: string): void
  /** A node has shown a block. */
  onHead(host: string, height: bigint): void
  /** The subscriptions could not be kept: the client has to start over. */
  onBroken(reason: string): void
  /** Other processes, which are to know what a push shows; left out = this is the only one. */
  peers?: Pick<PeerProcesses, 'sent'> | undefined
  /** This client's share of the room for messages: for notifications that arrive while missed ones are read again. */
  share: Share
  restoreMs: number
  maxMissedBlocks: number
  /** A link without subscriptions is closed after this long, milliseconds: the next one often comes at once. */
  idleLinkMs: number
}

export function createFeed(deps: FeedDeps): Feed {
  const table = createSubscriptionTable()
  const shape = createHeadShape()
  const sent = createRecentlySent()
  const held = createHeld(deps.share)
  const pushes = createBehindNews(deps.peers, deps.share)
  /** The newest block that nodes have shown. */
  let reached = 0n
  /** Number of subscriptions that no node has accepted or refused yet. */
  let beginning = 0
  /** Only after a loss can anything be delivered twice. */
  let wasLost = false

  /** False for a block that is not newer, as those of a node that has yet to catch up: nothing is forgotten for it. */
  const reach = (height = 0n): boolean => {
    if (height <= reached) return false
    sent.head()
    reached = height
    return true
  }
  const send = (message: Buffer, one: Subscription): void =>
    pushes.push(message, () => void (table.has(one) && deps.send(message, one.id)))
  const deliver = (subscription: Subscription, notification: Notification): void => {
    const link = nodeLink.inUse()
    // A node keeps no order between subscriptions: the feed's own may hear of this block later, the client asks now.
    if (reach(blockShownBy(subscription, notification.result, reached)) && link) deps.onHead(link.host, reached)
    if (!isDue(subscription, notification.result, wasLost)) return
    const isNew = subscription.delivery.isNew(notification.result)
    if (isNew || !wasLost) send(withSubscription(notification, subscription.id), subscription)
  }
  const noteHead = (head: Buffer): void => {
    const link = nodeLink.inUse()
    const height = heightMember(head, 'number')
    shape.learn(head)
    reach(height)
    if (link && height !== undefined) deps.onHead(link.host, height)
  }
  const handle = (notification: Notification): void => {
    const subscription = table.heldAs(notification.subscription)
    if (nodeLink.isOwn(notification.subscription)) noteHead(notification.result)
    else if (subscription) deliver(subscription, notification)
  }
  const onNotification = (message: Buffer): void => {
    const notification = readNotification(message)
    if (!notification || nodeLink.closed) return
    if (!held.isOpen) handle(notification)
    else if (!held.add(notification)) giveUp('too much arrived while the subscriptions were moved')
  }
  const close = (): void => {
    nodeLink.close()
    table.clear()
    held.end()
  }
  const giveUp = (reason: string): void => {
    if (nodeLink.closed) return
    close()
    deps.onBroken(reason)
  }
  const prepareFirst: Preparation = () => {
    // Nobody is subscribed now: who begins has heard nothing of an earlier node that was higher.
    reached = 0n
    return async (link) => {
      const height = await askHeight(link)
      deps.onHead(link.host, height)
      if (height > reached) reached = height
    }
  }
  const prepareNext: Preparation = () => {
    wasLost = true
    table.lose()
    held.begin()
    return async (link) => {
      const tip = await takeOver(link, {
        ...{ table, reached, shape, maxMissedBlocks: deps.maxMissedBlocks, onHead: deps.onHead },
        deliver: (one, result) => {
          if (table.has(one) && one.delivery.isNew(result)) send(writeNotification(one.namespace, one.id, result), one)
        },
      })
      if (tip > reached) reached = tip
    }
  }
  const nodeLink = createFeedLink({
    ...{ connect: deps.connect, restoreMs: deps.restoreMs, idleLinkMs: deps.idleLinkMs },
    ...{ onNotification, prepareFirst, prepareNext, onGivenUp: giveUp },
    isNeeded: () => table.size > 0,
    isIdle: () => table.size === 0 && beginning === 0,
    onReplaced: () => {
      for (const notification of held.end()) handle(notification)
      // The last one ended meanwhile, when there was no connection to close.
      if (table.size === 0) nodeLink.restartIdleTime()
    },
  })
  /** @returns the answer, with the id that the client is to know the subscription by */
  const register = (method: string, params: Buffer | undefined, entry: Buffer): Buffer => {
    const upstreamId = subscriptionIdOf(entry)
    if (upstreamId === undefined) return entry
    // Each node numbers its own subscriptions: this id may still be in use for one that another node started.
    const id = table.hasId(upstreamId) ? `0x${randomBytes(16).toString('hex')}` : upstreamId
    table.hold(createSubscription(method, params, { id, upstreamId }, reached, sent))
    if (id === upstreamId) return entry
    // In quotes: an id such as 2 is also found in `2.0`.
    return Buffer.from(entry.toString('latin1').replace(`"${upstreamId}"`, `"${id}"`), 'latin1')
  }
  return {
    subscribe: (method, params, id, reply) => {
      const answer = (entry: Buffer | undefined): void => {
        beginning -= 1
        if (table.size === 0 && !nodeLink.closed) nodeLink.restartIdleTime()
        reply(entry)
      }
      const attempt = (left: number): void => {
        const answered = (entry: Buffer | undefined): void => {
          if (entry && !nodeLink.closed) answer(withOwnId(register(method, params, entry), id))
          else if (left > 0 && !nodeLink.closed) attempt(left - 1)
          else answer(undefined)
        }
        nodeLink.ensure().then(
          // Nodes do not read missing params as a list: `[]` would cause another error.
          (link) => link.call(method, params?.toString('latin1') ?? 'null', answered),
          () => answer(undefined),
        )
      }
      beginning += 1
      attempt(1)
    },
    unsubscribe: (id) => {
      const removed = table.remove(id)
      if (!removed) return false
      const { subscription, isHeld } = removed
      if (isHeld) endAt(nodeLink.current(), subscription, subscription.upstreamId)
      if (table.size === 0) nodeLink.restartIdleTime()
      return true
    },
    get size() {
      return table.size
    },
    bytes: () => table.bytes(),
    pause: nodeLink.pause,
    resume: nodeLink.resume,
    close,
  }
}
