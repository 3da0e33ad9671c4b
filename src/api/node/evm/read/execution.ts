import { isRecord } from '../../../../lib/json/json-record.ts'
import { pause } from '../../../../lib/waiting/pause.ts'
import type { Member, NodeGroup } from '../../forward/nodes/node-pools.ts'
import type { Endpoint } from '../../routes/endpoint.ts'

/**
 * Which nodes have executed a block. Where blocks are executed after they are accepted (C since Helicon), a node
 * silently leaves out the logs of the end of a range that it has not executed, or not even accepted. Geth before v1.16
 * and others do the same above their newest block, on any chain.
 */
export interface Execution {
  /** True once a block has shown that the chain executes later. */
  isLater(): boolean
  /** The same where no node said in time how the chain executes: then nothing speaks against it. */
  mayBeLater(): boolean
  /**
   * True when this node, which was not known to have executed this block when it was asked, may leave out its logs
   * though the chain has executed it.
   */
  mayLack(host: string, block: bigint): boolean
  /**
   * Before logs up to this block are requested, finds out which nodes have executed it; undefined = there is nothing to
   * find out. Never rejects.
   * @param block undefined = the newest one: nodes that have it are preferred anyway
   */
  learn(group: NodeGroup, endpoint: Endpoint, block: bigint | undefined): Promise<void> | undefined
  /**
   * The same before logs of a block that is named by its hash, which may be the newest: only a chain that executes later
   * has nodes that know the block and not its logs.
   */
  learnNewest(group: NodeGroup, endpoint: Endpoint): Promise<void>
  /**
   * When nobody but late nodes is left: waits briefly until one of these hosts has executed the block. False = none has.
   * Never rejects.
   */
  catchesUp(
    group: NodeGroup,
    endpoint: Endpoint,
    block: bigint,
    hosts: readonly string[],
    signal: AbortSignal,
  ): Promise<boolean>
}

export interface ExecutionOptions {
  /** Newest block known to be executed. */
  top(): bigint | undefined
  /** The highest tip this node has recently shown, and whether that was just now. */
  shown(host: string): { height: bigint; fresh: boolean } | undefined
  /** Asks every node for its tip. */
  askAll(group: NodeGroup, endpoint: Endpoint): Promise<void>
  /** Asks this node for its tip. Never rejects. */
  ask(member: Member, endpoint: Endpoint): Promise<unknown>
  now(): number
}

/** The pool skips nodes that lag further. */
const NEAR = 64n
/** A chain that executes immediately may change at an upgrade: it is checked again after this, milliseconds. */
const LOOK_MS = 60_000
/** After a look that failed, milliseconds. */
const LOOK_AGAIN_MS = 1_000
/** Time limit for the read of one block, milliseconds. */
const DEADLINE_MS = 1_000
/** Minimum interval between asking the nodes for their tips, however many reads there are, milliseconds. */
const ASK_MS = 500
/** How long reads wait for late nodes, milliseconds. */
const CATCH_UP_MS = 2_000
/** Interval between two questions to a late node, milliseconds. */
const AGAIN_MS = 50
/** After waiting in vain, late nodes are asked once, but not waited for, for this long; milliseconds. */
const SPARED_MS = 10_000

export function createExecution({ top, shown, askAll, ask: askOne, now }: ExecutionOptions): Execution {
  let later = false
  let unsure = false
  let several = false
  let lookedAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let sparedUntil = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  let learning: Promise<void> | undefined

  const isNear = (block: bigint): boolean => {
    const known = top()
    return known !== undefined && block <= known && known - block < NEAR
  }
  const has = (host: string, block: bigint): boolean => (shown(host)?.height ?? -1n) >= block
  const lookNow = async ({ pool, path }: NodeGroup, endpoint: Endpoint): Promise<void> => {
    lookedAt = now()
    try {
      const deadline = Date.now() + DEADLINE_MS
      const block = await pool.rpc<unknown>(path(endpoint), 'eth_getBlockByNumber', ['latest', false], { deadline })
      if (block === null) throw new TypeError('no newest block')
      later = isRecord(block) && typeof block['settledHeight'] === 'string'
      unsure = false
    } catch {
      unsure = true
      lookedAt += LOOK_AGAIN_MS - LOOK_MS
    }
  }
  const look = (group: NodeGroup, endpoint: Endpoint): Promise<void> | undefined => {
    if (later || now() - lookedAt < LOOK_MS) return looking
    looking = lookNow(group, endpoint).finally(() => {
      looking = undefined
    })
    return looking
  }
  const ask = async (group: NodeGroup, endpoint: Endpoint): Promise<void> => {
    await look(group, endpoint)
    if (now() - askedAt < ASK_MS) return
    askedAt = now()
    await askAll(group, endpoint)
  }
  const learn: Execution['learn'] = (group, endpoint, block) => {
    const members = group.members()
    several = members.length > 1
    if (!several || block === undefined || !isNear(block) || members.every(({ host }) => has(host, block)))
      return undefined
    learning ??= ask(group, endpoint).finally(() => {
      learning = undefined
    })
    return learning
  }
  return {
    isLater: () => later,
    mayBeLater: () => later || unsure,
    mayLack: (host, block) => {
      const known = top()
      if (!several || known === undefined || block > known) return false
      return isNear(block) || shown(host)?.fresh === true
    },
    learn,
    learnNewest: async (group, endpoint) => {
      if (group.hosts.length > 1) await look(group, endpoint)
      if (later || unsure) await learn(group, endpoint, top())
    },
    async catchesUp(group, endpoint, block, hosts, signal) {
      const members = group.members().filter(({ host }) => hosts.includes(host))
      if (members.length === 0) return false
      const hasOne = (): boolean => members.some(({ host }) => has(host, block))
      const until = now() < sparedUntil ? 0 : now() + CATCH_UP_MS
      for (;;) {
        await Promise.all(members.map((member) => askOne(member, endpoint)))
        if (hasOne() || signal.aborted) return hasOne()
        if (now() >= until) break
        // All who wait ask in the same moment: equal questions under way are one.
        await pause(AGAIN_MS - (now() % AGAIN_MS), signal)
      }
      if (until > 0) sparedUntil = now() + SPARED_MS
      return false
    },
  }
}
