import { FirnError, JsonRpcError, UnsettledReadError } from '../../../errors.ts'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import type { NodeCall } from '../node/ask.ts'
import { readHeight } from '../node/height.ts'
import { withLateDeadline } from '../node/late-deadline.ts'
import { ManyPagesError } from '../node/utxos.ts'
import { type Named, namedByBlocks } from './named-by-blocks.ts'

/** One attempt at a read that may take several calls. */
export interface Attempt<T> {
  value: T
  /** Chains of which some part took several calls. */
  manyCalls: readonly ChainLetter[]
  /**
   * The same for the same outputs. For chains of which each part came from a single call, where a coin may move from one
   * part to another and both count; left out = there is none.
   */
  stamp?: string | undefined
  /** Whether blocks of the chain that name these can have changed what was read of it. */
  isTouchedBy(chain: ChainLetter, named: Named): boolean
}

/** Options for a read's calls to a chain. */
export type CallOf = (chain: ChainLetter) => NodeCall

export const MAX_ATTEMPTS = 6

/** What the attempt before read, if the next one may confirm it. */
interface Before {
  stamp: string | undefined
  /** All of it was read, each chain from the node that is asked next. */
  isWhole: boolean
}
const NOTHING: Before = { stamp: undefined, isWhole: false }

/**
 * Repeats a read until it shows one state of the chain: a UTXO that moves between two pages, or between the answers of
 * two nodes, would be counted twice or not at all.
 *
 * A read of several calls is framed by heights: the height after one attempt serves as the height before the next. An
 * unexpected second page ends the attempt, and the next one starts with the height. The heights and what is read
 * between them come from one node per chain: nodes list the UTXOs of one block in different orders, so a page of
 * another node would leave some out, and a lagging node moves while others stand still.
 *
 * If the height moved, the blocks in between are read: blocks that name none of the UTXOs that were read, and create
 * none for the same owners, have changed nothing. A list of many pages could rarely be read between two blocks.
 *
 * Reads of single calls run at the same moment, and one node has to answer them all. If another stood in for one call,
 * everything is read again from that node: it may be blocks behind. Where a coin may have moved between two of the calls
 * (P's outputs and its stakes), a reading counts once it is the same as the one before: whatever did not change between
 * two readings was there at once. That takes one round trip more for what is new, where heights would take two.
 * @param read one attempt. `isRepeat` = it counts only if its stamp is that of the attempt before, which read everything,
 * each chain from the node that is asked again
 * @param expectMany chains whose read is known to take several calls: their height is read first.
 * @param recent stamp of a reading of the same that counted a moment ago
 * @throws UnsettledReadError when no attempt showed one state.
 */
export async function readSettled<T>(
  pool: UpstreamPool,
  expectMany: readonly ChainLetter[],
  call: CallOptions,
  read: (callOf: CallOf, isRepeat: boolean) => Promise<Attempt<T>>,
  recent?: string,
): Promise<T> {
  const frame = createFrame(pool, call)
  let unframed: readonly ChainLetter[] = expectMany
  let before: Before = { stamp: recent, isWhole: false }
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      await frame.begin(unframed)
      unframed = []
      const begun = steadyNow()
      const isRepeat: boolean = before.isWhole
      const attempted = await read(frame.callOf, isRepeat)
      const { manyCalls, stamp } = attempted
      frame.took(steadyNow() - begun, manyCalls)
      const isSame = stamp === undefined || stamp === before.stamp
      before = NOTHING
      if (frame.followStandIns()) unframed = manyCalls
      else if ((manyCalls.length === 0 || (await frame.isOneState(attempted))) && isSame) return attempted.value
      else {
        // What another node tells next need not be later.
        frame.stay()
        before = { stamp, isWhole: !isRepeat && manyCalls.length === 0 }
      }
    } catch (error) {
      before = NOTHING
      if (error instanceof ManyPagesError) {
        unframed = [...frame.chains(), error.chain]
        continue
      }
      // This node alone may be in trouble, or refuse what another would answer.
      const mayPass = error instanceof FirnError && (error.retryable || error instanceof JsonRpcError)
      if (frame.chains().length === 0 || attempt === MAX_ATTEMPTS || !mayPass || call.signal?.aborted) throw error
      frame.reset()
    }
  }
  throw new UnsettledReadError(`the chain moved, or no one node told all, in each of ${MAX_ATTEMPTS} readings`)
}

/** State shared by the attempts of a read: for each chain that takes several calls, its one node and its heights. */
function createFrame(pool: UpstreamPool, call: CallOptions) {
  const servers = new Map<ChainLetter, object>()
  const responders = createResponders()
  const tookMs = new Map<ChainLetter, number>()
  /** Of one attempt: what busy nodes shared among themselves would all be read again from one of them. */
  let siblings = {}
  let failed = false
  let before = new Map<ChainLetter, bigint>()
  const callOf: CallOf = (chain) => {
    const sameServer = servers.get(chain)
    return withLateDeadline(call, {
      siblings,
      answeredBy: responders.noteFor(chain),
      ...(sameServer && { sameServer, tookMs: tookMs.get(chain) }),
    })
  }
  /** A node that failed may run P only, without the exports of X and C: from now on a node that runs C is asked. */
  const bind = async (chain: ChainLetter): Promise<void> => {
    if (servers.has(chain)) return
    servers.set(chain, {})
    // A gateway may not allow calls to C.
    if (failed && chain === 'P') await readHeight(pool, 'C', callOf(chain)).catch(() => undefined)
  }
  const heights = async (chains: readonly ChainLetter[]) => {
    await Promise.all(chains.map(bind))
    return new Map(
      await Promise.all(chains.map(async (chain) => [chain, await readHeight(pool, chain, callOf(chain))] as const)),
    )
  }
  return {
    callOf,
    /** Chains that are each read from one node. */
    chains: () => [...servers.keys()],
    /** Starts an attempt that needs new heights of these chains. */
    async begin(chains: readonly ChainLetter[]): Promise<void> {
      if (chains.length > 0) before = await heights(chains)
      responders.forget()
      siblings = {}
    },
    /** Whether other nodes stood in for the first one: they are asked from now on. */
    followStandIns(): boolean {
      const standIns = responders.standIns()
      for (const [chain, server] of standIns) {
        servers.set(chain, server)
        // Another node's height does not tell when this node moved.
        before.delete(chain)
      }
      return standIns.size > 0
    },
    /** Where every node is slow, the next reading must not be cut off sooner. Only of calls at the same moment. */
    took(ms: number, manyCalls: readonly ChainLetter[]): void {
      for (const chain of responders.chains()) if (!manyCalls.includes(chain)) tookMs.set(chain, ms)
    },
    /** The nodes that answered are asked from now on. */
    stay(): void {
      for (const [chain, server] of responders.alone()) servers.set(chain, server)
    },
    /** Reads the heights after an attempt; they become the heights before the next one. */
    async isOneState({ manyCalls, isTouchedBy }: Attempt<unknown>): Promise<boolean> {
      const after = await heights(manyCalls)
      const still = await Promise.all(
        manyCalls.map((chain) =>
          stoodStill(pool, { chain, before: before.get(chain), after: after.get(chain), isTouchedBy }, callOf(chain)),
        ),
      )
      // An older height of a chain that was not read again stays valid: it covers more than this attempt.
      before = new Map([...before, ...after])
      return still.every(Boolean)
    },
    reset(): void {
      failed = true
      servers.clear()
      before = new Map()
    },
  }
}

interface Interval extends Pick<Attempt<unknown>, 'isTouchedBy'> {
  chain: ChainLetter
  /** Heights; undefined where none was asked for. */
  before: bigint | undefined
  after: bigint | undefined
}

/** Whether what was read shows one state of the chain, judged by the heights before and after. */
async function stoodStill(
  pool: UpstreamPool,
  { chain, before, after, isTouchedBy }: Interval,
  call: CallOptions,
): Promise<boolean> {
  if (before === undefined || after === undefined) return false
  if (before === after) return true
  // Blocks that are missing or cannot be read prove nothing.
  const named = await namedByBlocks(pool, chain, before, after, call).catch(() => undefined)
  return named !== undefined && !isTouchedBy(chain, named)
}

/** The nodes that answered the calls of one attempt. */
function createResponders() {
  const byChain = new Map<ChainLetter, Map<object, boolean>>()
  return {
    forget: () => byChain.clear(),
    chains: () => [...byChain.keys()],
    noteFor: (chain: ChainLetter): NonNullable<CallOptions['answeredBy']> => {
      return ({ server, stoodIn }) => {
        const servers = byChain.get(chain) ?? new Map<object, boolean>()
        servers.set(server, stoodIn || servers.get(server) === true)
        byChain.set(chain, servers)
      }
    },
    /** Chains that one node answered for, with that node. */
    alone: (): [ChainLetter, object][] =>
      [...byChain].flatMap(([chain, servers]) => {
        const [server] = servers.keys()
        return servers.size === 1 && server ? [[chain, server]] : []
      }),
    /** Chains that several nodes answered for, each with the node that stood in for another. */
    standIns: (): Map<ChainLetter, object> =>
      new Map(
        [...byChain].flatMap(([chain, servers]) => {
          const all = [...servers]
          const best = all.findLast(([, stoodIn]) => stoodIn) ?? all.at(-1)
          return all.length > 1 && best ? [[chain, best[0]] as const] : []
        }),
      ),
  }
}
