import { askText } from './link/ask-link.ts'
import type { LinkEvents, UpstreamLink } from './link/upstream-link.ts'
import { TooMuchMissedError } from './missed.ts'

/**
 * Called before each node is connected to. Returns what is to be done over the new link before it is used; where that rejects
 * the next node is tried.
 */
export type Preparation = () => (link: UpstreamLink) => Promise<void>

export interface FeedLinkDeps {
  /** Connects to the best node but these. Rejects when there is none, or gives one of them again. */
  connect(events: LinkEvents, without: ReadonlySet<string>): Promise<UpstreamLink>
  onNotification(message: Buffer): void
  /** For a link that is opened while nobody is subscribed. */
  prepareFirst: Preparation
  /** For the link that replaces a lost one. */
  prepareNext: Preparation
  /** Whether there are subscriptions: a lost link is replaced. */
  isNeeded(): boolean
  /** Whether nothing needs the link: it is closed after `idleLinkMs`. */
  isIdle(): boolean
  onReplaced(): void
  /** No node has replaced the lost link in time. */
  onGivenUp(reason: string): void
  restoreMs: number
  idleLinkMs: number
}

/** A client's only link to a node: opened when it is needed, replaced when it is lost, closed when it is idle. */
export interface FeedLink {
  /** The link in use, or the one that is being prepared; undefined = none. */
  current(): UpstreamLink | undefined
  /** The link in use; undefined while there is none. */
  inUse(): UpstreamLink | undefined
  /** Rejects when no node takes it. */
  ensure(): Promise<UpstreamLink>
  /** Whether the node calls the feed's own subscription by this id: it is to `newHeads`, and shows how far the node is. */
  isOwn(upstreamId: string): boolean
  /** The time until the link counts as idle begins anew. */
  restartIdleTime(): void
  /** While paused, nothing more is read from the node. */
  pause(): void
  resume(): void
  /** For good. */
  close(): void
  readonly closed: boolean
}

const FIRST_WAIT_MS = 100
const LAST_WAIT_MS = 2_000

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())

export function createFeedLink(deps: FeedLinkDeps): FeedLink {
  let link: UpstreamLink | undefined
  let prepared: UpstreamLink | undefined
  let opening: Promise<UpstreamLink> | undefined
  let ownId: string | undefined
  let [paused, closed] = [false, false]

  const idle = setTimeout(() => {
    if (!deps.isIdle() || opening) return
    link?.close()
    link = undefined
  }, deps.idleLinkMs).unref()

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
   * Opens a link to the first node that does what is asked of it. One that takes connections may still refuse
   * subscriptions, as many servers do above a limit of theirs, or not tell what was missed: the next one is asked.
   * @throws what the last node failed at, or why there is none
   */
  const open = async (preparation: Preparation): Promise<UpstreamLink> => {
    const failed = new Set<string>()
    let failure: unknown
    for (;;) {
      const prepare = preparation()
      let made: UpstreamLink | undefined
      const lost = (): void => {
        if (link === made) replace()
      }
      made = await deps
        .connect({ onNotification: deps.onNotification, onLost: lost }, failed)
        .catch((error: unknown) => {
          throw failure ?? error
        })
      prepared = made
      try {
        ownId = await askText(made, 'eth_subscribe', '["newHeads"]')
        await prepare(made)
      } catch (error) {
        made.close()
        if (closed || error instanceof TooMuchMissedError || failed.has(made.host)) throw error
        failed.add(made.host)
        failure = error
        continue
      }
      return use(made)
    }
  }
  const openAgain = async (): Promise<UpstreamLink> => {
    const until = performance.now() + deps.restoreMs
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LAST_WAIT_MS)) {
      try {
        return await open(deps.prepareNext)
      } catch (error) {
        if (closed || error instanceof TooMuchMissedError || performance.now() + wait > until) throw error
      }
      await delay(wait)
      if (closed) throw new Error('closed')
    }
  }
  const begin = (work: Promise<UpstreamLink>): Promise<UpstreamLink> => {
    opening = work.finally(() => {
      opening = undefined
    })
    return opening
  }
  const replace = (): void => {
    link = undefined
    ownId = undefined
    if (closed || !deps.isNeeded()) return
    begin(openAgain()).then(deps.onReplaced, (error: unknown) =>
      deps.onGivenUp(error instanceof TooMuchMissedError ? error.message : 'no node could take over the subscriptions'),
    )
  }
  return {
    current: () => link ?? prepared,
    inUse: () => link,
    ensure: () => (link ? Promise.resolve(link) : (opening ?? begin(open(deps.prepareFirst)))),
    isOwn: (upstreamId) => upstreamId === ownId,
    restartIdleTime: () => void idle.refresh(),
    pause: () => {
      paused = true
      link?.pause()
    },
    resume: () => {
      paused = false
      link?.resume()
    },
    close: () => {
      closed = true
      clearTimeout(idle)
      link?.close()
      link = undefined
    },
    get closed() {
      return closed
    },
  }
}
