import { randomBytes } from 'node:crypto'
import { UpstreamUnavailableError } from '../../../../errors.ts'
import type { ToldElsewhere } from '../../forward/told/told-elsewhere.ts'
import { withOwnId } from '../answers.ts'
import { createBehindNews } from './behind-news.ts'
import { REMEMBERED_HEADS } from './delivery.ts'
import { createHeadShape } from './head-shape.ts'
import { createHeld } from './held.ts'
import type { Share } from './message-room.ts'
import { askHeight, askLink, readMissed, TooMuchMissedError } from './missed.ts'
import {
  heightMember,
  type Notification,
  readNotification,
  withSubscription,
  writeNotification,
} from './notification.ts'
import { createRecentlySent } from './recently-sent.ts'
import { blockShownBy, createSubscription, isDue, type Subscription, subscriptionIdOf } from './subscription.ts'
import { createSubscriptionTable } from './subscription-table.ts'
import { openTaking } from './taking-link.ts'
import type { LinkEvents, UpstreamLink } from './upstream-link.ts'

/** A client's subscriptions, held at one node at a time and moved to another when that node is lost. */
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
  elsewhere?: Pick<ToldElsewhere, 'sent'> | undefined
  /** This client's share of the room for messages: for notifications that arrive while missed ones are read again. */
  share: Share
  restoreMs: number
  maxMissedBlocks: number
  /** A link without subscriptions is closed after this long, milliseconds: the next one often comes at once. */
  idleLinkMs: number
}

const FIRST_WAIT_MS = 100
const LAST_WAIT_MS = 2_000

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())

const endAt = (link: UpstreamLink | undefined, { namespace }: Subscription, upstreamId: string): void =>
  link?.call(`${namespace}_unsubscribe`, `["${upstreamId}"]`, () => undefined)

export function createFeed(deps: FeedDeps): Feed {
  const table = createSubscriptionTable()
  const [shape, sent] = [createHeadShape(), createRecentlySent()]
  let link: UpstreamLink | undefined
  let opening: Promise<UpstreamLink> | undefined
  /** A link that the subscriptions are being moved to. */
  let taking: UpstreamLink | undefined
  /** The feed's own subscription, which shows how far the node is. */
  let watchId: string | undefined
  const [held, news] = [createHeld(deps.share), createBehindNews(deps.elsewhere, deps.share)]
  /** The newest block that was shown, and the number of subscriptions that no node has accepted or refused yet. */
  let [reached, beginning] = [0n, 0]
  /** Only after a loss can anything be delivered twice. */
  let [paused, closed, wasLost] = [false, false, false]

  /** False for blocks that a node behind the lost one has yet to catch up with: nothing is forgotten for them. */
  const rise = (height = 0n): boolean => {
    if (height <= reached) return false
    sent.head()
    reached = height
    return true
  }
  const send = (message: Buffer, one: Subscription): void =>
    news.push(message, () => void (table.has(one) && deps.send(message, one.id)))
  const deliver = (subscription: Subscription, notification: Notification): void => {
    // A node keeps no order between subscriptions: the feed's own may hear of this block later, the client asks now.
    if (rise(blockShownBy(subscription, notification.result, reached)) && link) deps.onHead(link.host, reached)
    if (!isDue(subscription, notification.result, wasLost)) return
    const isNew = subscription.delivery.isNew(notification.result)
    if (isNew || !wasLost) send(withSubscription(notification, subscription.id), subscription)
  }
  const take = (notification: Notification): void => {
    if (notification.subscription === watchId) {
      const height = heightMember(notification.result, 'number')
      shape.learn(notification.result)
      rise(height)
      if (link && height !== undefined) deps.onHead(link.host, height)
      return
    }
    const subscription = table.heldAs(notification.subscription)
    if (subscription) deliver(subscription, notification)
  }
  const onNotification = (message: Buffer): void => {
    const notification = readNotification(message)
    if (!notification || closed) return
    if (!held.isOpen) take(notification)
    else if (!held.add(notification)) give('more came in than is held')
  }
  const idle = setTimeout(() => {
    if (table.size > 0 || beginning > 0 || opening) return
    link?.close()
    link = undefined
  }, deps.idleLinkMs).unref()
  const give = (reason: string): void => {
    if (closed) return
    end()
    deps.onBroken(reason)
  }
  const end = (): void => {
    closed = true
    clearTimeout(idle)
    link?.close()
    link = undefined
    table.clear()
    held.end()
  }
  const use = (made: UpstreamLink): UpstreamLink => {
    if (closed) {
      made.close()
      throw new Error('closed')
    }
    link = made
    if (paused) made.pause()
    return made
  }
  /**
   * A link with the feed's own subscription on it.
   * @param begin called before each node is asked
   * @param prepare what else a node has to do; the next one is asked where it rejects
   */
  const open = async (begin: () => void, prepare: (made: UpstreamLink) => Promise<void>): Promise<UpstreamLink> => {
    const connect = async (without: ReadonlySet<string>): Promise<UpstreamLink> => {
      let current: UpstreamLink | undefined
      const lost = (): void => {
        if (link === current) onLost()
      }
      begin()
      current = await deps.connect({ onNotification, onLost: lost }, without)
      return current
    }
    const watch = async (made: UpstreamLink): Promise<void> => {
      const own = await askLink(made, 'eth_subscribe', '["newHeads"]')
      watchId = own.toString('latin1', 1, own.length - 1)
      await prepare(made)
    }
    const isOver = (error: unknown): boolean => closed || error instanceof TooMuchMissedError
    return use(await openTaking({ connect, prepare: watch, isOver }))
  }
  const noteHeight = async (made: UpstreamLink): Promise<void> => {
    const height = await askHeight(made)
    deps.onHead(made.host, height)
    if (height > reached) reached = height
  }
  const ensure = (): Promise<UpstreamLink> => {
    if (link) return Promise.resolve(link)
    // Nobody is subscribed now: who begins has heard nothing of an earlier node that was higher.
    const forget = (): void => {
      reached = 0n
    }
    opening ??= open(forget, noteHeight).finally(() => {
      opening = undefined
    })
    return opening
  }
  const resubscribe = (made: UpstreamLink, subscription: Subscription): Promise<void> =>
    askLink(made, `${subscription.namespace}_subscribe`, subscription.params).then((result) => {
      const upstreamId = result.toString('latin1', 1, result.length - 1)
      // The client may have unsubscribed meanwhile: nobody else would end the subscription at the new node.
      if (!table.has(subscription)) {
        endAt(made, subscription, upstreamId)
        return
      }
      subscription.upstreamId = upstreamId
      table.hold(subscription)
    })
  const loseAll = (): void => {
    table.lose()
    held.begin()
  }
  const takeOver = async (made: UpstreamLink): Promise<void> => {
    taking = made
    const subscriptions = table.all()
    await Promise.all(subscriptions.map((one) => resubscribe(made, one)))
    const tip = await askHeight(made)
    deps.onHead(made.host, tip)
    // Its heads would count as already delivered, and the client would hear nothing until the node has caught up.
    if (reached - tip > BigInt(REMEMBERED_HEADS))
      throw new UpstreamUnavailableError(`${made.host}: is ${reached - tip} blocks behind what was shown`)
    await readMissed(
      { link: made, reached, tip, shape, maxBlocks: deps.maxMissedBlocks },
      subscriptions.filter(table.has),
      (one, result) => {
        if (table.has(one) && one.delivery.isNew(result)) send(writeNotification(one.namespace, one.id, result), one)
      },
    )
    if (tip > reached) reached = tip
  }
  const restore = async (): Promise<UpstreamLink> => {
    const until = performance.now() + deps.restoreMs
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LAST_WAIT_MS)) {
      try {
        return await open(loseAll, takeOver)
      } catch (error) {
        if (closed || error instanceof TooMuchMissedError || performance.now() + wait > until) throw error
      }
      await delay(wait)
      if (closed) throw new Error('closed')
    }
  }
  const onLost = (): void => {
    link = undefined
    watchId = undefined
    if (closed || table.size === 0) return
    wasLost = true
    opening = restore().finally(() => {
      opening = undefined
    })
    opening.then(
      () => {
        for (const notification of held.end()) take(notification)
        // The last one ended meanwhile, when there was no connection to close.
        if (table.size === 0) idle.refresh()
      },
      (error: unknown) => give(error instanceof TooMuchMissedError ? error.message : 'no node holds the subscriptions'),
    )
  }
  const add = (method: string, params: Buffer | undefined, entry: Buffer): Buffer => {
    const upstreamId = subscriptionIdOf(entry)
    if (upstreamId === undefined) return entry
    // Each node numbers its own subscriptions: this id may still be in use for one that another node started.
    const id = table.hasId(upstreamId) ? `0x${randomBytes(16).toString('hex')}` : upstreamId
    const subscription = createSubscription(method, params, { id, upstreamId }, reached, sent)
    table.hold(subscription)
    if (id === upstreamId) return entry
    // In quotes: an id such as 2 is also found in `2.0`.
    return Buffer.from(entry.toString('latin1').replace(`"${upstreamId}"`, `"${id}"`), 'latin1')
  }
  return {
    subscribe: (method, params, id, reply) => {
      const answer = (entry: Buffer | undefined): void => {
        beginning -= 1
        if (table.size === 0 && !closed) idle.refresh()
        reply(entry)
      }
      const attempt = (left: number): void => {
        const taken = (entry: Buffer | undefined): void => {
          if (entry && !closed) answer(withOwnId(add(method, params, entry), id))
          else if (left > 0 && !closed) attempt(left - 1)
          else answer(undefined)
        }
        ensure().then(
          // Nodes do not read missing params as a list: `[]` would cause another error.
          (made) => made.call(method, params?.toString('latin1') ?? 'null', taken),
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
      if (isHeld) endAt(link ?? taking, subscription, subscription.upstreamId)
      if (table.size === 0) idle.refresh()
      return true
    },
    get size() {
      return table.size
    },
    bytes: () => table.bytes(),
    pause: () => {
      paused = true
      link?.pause()
    },
    resume: () => {
      paused = false
      link?.resume()
    },
    close: end,
  }
}
