import { isRecord } from '../../../../lib/json-record.ts'
import type { NodeGroup } from '../../forward/node-pools.ts'
import type { Endpoint } from '../../routes/endpoint.ts'

/**
 * Which nodes have executed a block. Where blocks are executed after they were accepted (C since Helicon), a node says
 * nothing about the end of a range that it has not executed or not even accepted: it leaves its logs out. So do geth before
 * v1.16 and others with what is above their newest block, on any chain.
 */
export interface Execution {
  /** True once a block has shown that the chain works so. */
  isLater(): boolean
  /** True when this node may leave out the logs of a block which the chain has executed. */
  mayLack(host: string, block: bigint): boolean
  /**
   * Makes sure, before logs up to this block are asked for, that it is known who has executed it; undefined = there is
   * nothing to find out. Never rejects.
   */
  learn(group: NodeGroup, endpoint: Endpoint, block: bigint): Promise<void> | undefined
}

export interface ExecutionOptions {
  /** Newest block that is known to be executed. */
  top(): bigint | undefined
  /** The highest tip this node has shown lately, and whether that was just now. */
  shown(host: string): { height: bigint; fresh: boolean } | undefined
  /** Asks every node for its tip. */
  askAll(group: NodeGroup, endpoint: Endpoint): Promise<void>
  now(): number
}

/** Nodes further behind are passed over by the pool. */
const NEAR = 64n
/** A chain that executes at once may change at an upgrade: it is looked at again after this, milliseconds. */
const LOOK_MS = 60_000
/** How long a look at one block may take, milliseconds. */
const DEADLINE_MS = 1_000
/** Nodes are not asked for their tips more often, however many questions there are, milliseconds. */
const ASK_MS = 500

export function createExecution({ top, shown, askAll, now }: ExecutionOptions): Execution {
  let later = false
  let several = false
  let lookedAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let learning: Promise<void> | undefined

  const isNear = (block: bigint): boolean => {
    const known = top()
    return known !== undefined && block <= known && known - block < NEAR
  }
  const has = (host: string, block: bigint): boolean => (shown(host)?.height ?? -1n) >= block
  const look = async ({ pool, path }: NodeGroup, endpoint: Endpoint): Promise<void> => {
    if (later || now() - lookedAt < LOOK_MS) return
    lookedAt = now()
    try {
      const deadline = Date.now() + DEADLINE_MS
      const block = await pool.rpc<unknown>(path(endpoint), 'eth_getBlockByNumber', ['latest', false], { deadline })
      later = isRecord(block) && typeof block['settledHeight'] === 'string'
    } catch {
      // Looked at again with a later question.
    }
  }
  const ask = async (group: NodeGroup, endpoint: Endpoint): Promise<void> => {
    await look(group, endpoint)
    if (now() - askedAt < ASK_MS) return
    askedAt = now()
    await askAll(group, endpoint)
  }
  return {
    isLater: () => later,
    mayLack: (host, block) => {
      const known = top()
      if (!several || known === undefined || block > known || has(host, block)) return false
      return isNear(block) || shown(host)?.fresh === true
    },
    learn: (group, endpoint, block) => {
      const members = group.members()
      several = members.length > 1
      if (!several || !isNear(block) || members.every(({ host }) => has(host, block))) return undefined
      learning ??= ask(group, endpoint).finally(() => {
        learning = undefined
      })
      return learning
    },
  }
}
