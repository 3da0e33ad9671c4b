import { steadyNow } from '../../../../lib/steady-clock.ts'
import { ABSURD_LEAD, believedHead } from '../../../../upstream/index.ts'
import { memberAt } from '../../forward/nodes/group-members.ts'
import type { Member, NodeGroup } from '../../forward/nodes/node-pools.ts'
import type { Endpoint } from '../../routes/endpoint.ts'
import { type CommonHeight, createCommonHeight } from './common-height.ts'
import { createExecution, type Execution } from './execution.ts'
import { createHistory, type History } from './history.ts'

/** What is known about the newest block of one chain, from all answers of nodes. */
export interface ChainTip {
  /**
   * High-water mark: the highest block that a node has shown; clients never see a lower one while that node's answer is
   * recent.
   */
  mark(): bigint | undefined
  /** A node has just shown that its tip is at this height. */
  saw(host: string, height: bigint): void
  /** This node has a block of this height: its tip is there or above. @param host left out = this server itself */
  reached(host: string | undefined, height: bigint): void
  /**
   * Asks this node for its tip of now. False = it does not say. Never rejects.
   * @param fresh false = the answer to a question under way will do; default true
   */
  look(member: Member, endpoint: Endpoint, fresh?: boolean): Promise<boolean>
  /** A client of another process was shown this block; `host` has it, if known. */
  heard(host: string | undefined, height: bigint): void
  /** True when this node recently showed a tip too far below the mark to answer about the newest state. */
  isBehind(host: string): boolean
  /** The highest tip that this node has shown. */
  shown(host: string): bigint | undefined
  /** True when no block newer than the one this node has shown is known. */
  hasNewest(host: string): boolean
  /**
   * True when this node is not known to have the newest block, which clients may already have seen: other nodes are
   * preferred for the current state. The call also triggers a look at the node, so that this does not last.
   */
  mayLackNewest(host: string, group: NodeGroup, endpoint: Endpoint): boolean
  /**
   * True when no node has reached the mark for so long, since this was first asked, that the chain itself must have been
   * reset (a test chain). The mark then follows.
   */
  wasSetBack(): boolean
  /**
   * Makes sure that laggards are known before any answer about the tip is accepted: asks every node once for its height
   * when the chain was not used for a while. Never rejects.
   */
  ready(group: NodeGroup, endpoint: Endpoint): Promise<void> | undefined
  readonly execution: Execution
  readonly history: History
  readonly common: CommonHeight
}

export interface ChainTipOptions {
  /** Blocks that a node may lag before its answers about the newest state are rejected. */
  maxLagBlocks: number
  /** Highest tip according to the pool's own probes. */
  head(): bigint | undefined
  /** Nodes that have shown this height to the pool's own probes. */
  holders(height: bigint): readonly string[]
  /** Called when a block higher than all before is seen here; not for blocks heard from other processes. */
  onNewest?: (host: string | undefined, height: bigint) => void
  /** Called when `wasSetBack` becomes true: final answers are no longer final. */
  onSetBack?: () => void
  /** Milliseconds; for ages. */
  now?: () => number
}

/** Time after which a node's height says nothing about its lag, milliseconds. */
const HEIGHT_MS = 10_000
/** How long all nodes together may be below the mark before it is given up, milliseconds. */
const SET_BACK_MS = 60_000
/** After this idle time nodes are asked again which of them lag, milliseconds. */
const IDLE_MS = 15_000
/** How long a read waits for the heights of slow nodes, milliseconds. */
const READY_MS = 1_000
/** Interval between two looks at a node that lacks the newest block, milliseconds. */
const LOOK_MS = 100

const heightsIn = (told: ReadonlyMap<string, { height: bigint }>): bigint[] =>
  [...told.values()].map(({ height }) => height)

export function createChainTip(options: ChainTipOptions): ChainTip {
  const { maxLagBlocks, head, holders, onNewest, onSetBack, now = steadyNow } = options
  const heights = new Map<string, { height: bigint; at: number }>()
  const lookedAt = new Map<string, number>()
  let mark: bigint | undefined
  /** When the first mark was set, which is believed whoever tells it. */
  let firstAt: number | undefined
  let probedBefore: bigint | undefined
  /** Since when it has been asked whether the chain was set back; undefined = not since a node last showed the mark. */
  let doubtedAt: number | undefined
  let usedAt = Number.NEGATIVE_INFINITY
  let getting: Promise<void> | undefined

  const raise = (height: bigint): void => {
    if (mark !== undefined && height < mark) return
    mark = height
    firstAt ??= now()
    doubtedAt = undefined
  }
  const setBack = (to: bigint | undefined): void => {
    mark = to
    doubtedAt = undefined
    onSetBack?.()
  }
  /**
   * Two nodes agree far below the first mark, which one alone has told: that one is broken. Later marks stay, and what
   * another process told: all nodes that are known may be behind.
   */
  const refuteFirst = (agreed: bigint | undefined): void => {
    if (mark === undefined || agreed === undefined || mark - agreed <= ABSURD_LEAD) return
    if (firstAt === undefined || now() - firstAt > SET_BACK_MS || !heightsIn(heights).includes(mark)) return
    for (const [host, { height }] of heights) if (height - agreed > ABSURD_LEAD) heights.delete(host)
    setBack(agreed)
  }
  const current = (): bigint | undefined => {
    const probed = head()
    // The pool's own head never falls: only a rise is news.
    if (probed !== undefined && probed !== probedBefore) {
      probedBefore = probed
      const hosts = holders(probed)
      for (const host of hosts) heights.set(host, { height: probed, at: now() })
      if (hosts.length > 1) refuteFirst(probed)
      if (mark === undefined || probed > mark) onNewest?.(undefined, probed)
      raise(probed)
    }
    return mark
  }
  const isAbsurd = (height: bigint): boolean => {
    const known = current()
    return known !== undefined && height - known > ABSURD_LEAD
  }
  const exists = (height: bigint): boolean => {
    const known = current()
    if (isAbsurd(height)) return false
    raise(height)
    return known === undefined || height > known
  }
  const saw = (host: string, height: bigint): void => {
    // What such a node has is not known any more.
    if (isAbsurd(height)) heights.delete(host)
    else heights.set(host, { height, at: now() })
    if (exists(height)) onNewest?.(host, height)
    else refuteFirst(believedHead(heightsIn(heights), maxLagBlocks))
  }
  const reached: ChainTip['reached'] = (host, height) => {
    if (host === undefined) {
      if (exists(height)) onNewest?.(undefined, height)
      return
    }
    const known = heights.get(host)
    if (!known || known.height < height) saw(host, height)
    else exists(height)
  }
  /** @param fresh what it said a moment ago will not do */
  const askOne = async (
    { host, pool, path }: Omit<Member, 'pausedUntil'>,
    endpoint: Endpoint,
    fresh = false,
  ): Promise<boolean> => {
    try {
      const options = { fresh, deadline: Date.now() + READY_MS }
      saw(host, BigInt(String(await pool.rpc<unknown>(path(endpoint), 'eth_blockNumber', [], options))))
      return true
    } catch {
      // The reads themselves notice a node that does not answer.
      return false
    }
  }
  const askAll = async (group: NodeGroup, endpoint: Endpoint): Promise<void> => {
    // Wakes the pool's own watch, whose results decide which node is asked first.
    void askOne({ host: '', pool: group.pool, path: group.path }, endpoint)
    await Promise.all(group.members().map((member) => askOne(member, endpoint)))
    heights.delete('')
  }
  const shown = (host: string): { height: bigint; fresh: boolean } | undefined => {
    const known = heights.get(host)
    return known && { height: known.height, fresh: now() - known.at <= HEIGHT_MS }
  }
  const heightOf = (host: string): bigint | undefined => heights.get(host)?.height
  const hasNewest = (host: string): boolean => {
    const top = current()
    return top === undefined || (heightOf(host) ?? -1n) >= top
  }
  return {
    mark: current,
    shown: heightOf,
    hasNewest,
    execution: createExecution({ top: current, shown, askAll, ask: askOne, now }),
    history: createHistory(current, heightOf),
    common: createCommonHeight({ top: current, shown: heightOf, ask: askOne, now }),
    saw,
    reached,
    look: (member, endpoint, fresh = true) => askOne(member, endpoint, fresh),
    heard: (host, height) => {
      const isHigher = host !== undefined && (heights.get(host)?.height ?? -1n) < height
      if (isHigher && !isAbsurd(height)) heights.set(host, { height, at: now() })
      exists(height)
    },
    isBehind: (host) => {
      const known = heights.get(host)
      const top = current()
      if (!known || top === undefined || now() - known.at > HEIGHT_MS) return false
      return top - known.height > BigInt(maxLagBlocks)
    },
    mayLackNewest: (host, group, endpoint) => {
      if (hasNewest(host)) return false
      const time = now()
      if (time - (lookedAt.get(host) ?? Number.NEGATIVE_INFINITY) >= LOOK_MS) {
        lookedAt.set(host, time)
        const member = memberAt(group, host)
        if (member) void askOne(member, endpoint)
      }
      return true
    },
    wasSetBack: () => {
      // Not by the time of the last sight: on a quiet chain that is long ago when the one node with the block fails.
      doubtedAt ??= now()
      if (now() - doubtedAt < SET_BACK_MS) return false
      firstAt = undefined
      setBack(undefined)
      return true
    },
    ready: (group, endpoint) => {
      const time = now()
      const idle = time - usedAt > IDLE_MS
      usedAt = time
      if (getting) return getting
      if (!idle || group.members().length < 2) return undefined
      getting = askAll(group, endpoint).finally(() => {
        getting = undefined
      })
      return getting
    },
  }
}
