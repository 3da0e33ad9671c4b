import { FirnError, JsonRpcError, UnsettledReadError } from '../../../errors.ts'
import type { ChainLetter } from '../../../lib/primary-network.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { readHeight } from '../node/height.ts'
import { withLateDeadline } from '../node/late-deadline.ts'
import { ManyPagesError } from '../node/utxos.ts'
import { type Named, namedByBlocks } from './named-by-blocks.ts'

/** One try at a read that may take several calls. */
export interface Attempt<T> {
  value: T
  /**
   * Chains of which some part took several calls. Of the others each part came from a single call, so that it is one
   * state of the chain and nothing is to be compared.
   */
  manyCalls: readonly ChainLetter[]
  /** Whether blocks of the chain that name these can have changed what was read of it meanwhile. */
  isTouchedBy(chain: ChainLetter, named: Named): boolean
}

/** What a reading says about its calls to a chain. */
export type CallOf = (chain: ChainLetter) => CallOptions

export const MAX_ATTEMPTS = 6

/**
 * Repeats a read until it is one state of the chain: a UTXO that moves between two pages, or from one node's answer into
 * another's, would be counted twice or not at all.
 *
 * What takes several calls is framed by the height: a height seen after one attempt serves as the height before the
 * next. An unexpected second page ends the attempt: the next one begins with the height. Heights and what is read between them come
 * from one node for each chain: nodes list the UTXOs of one block in orders of their own, so that a page of another
 * node leaves some out, and one that lags moves while others stand still.
 *
 * Where the height moved, the blocks in between are looked at: what names none of the UTXOs that were read, and makes
 * none for the same owners, has changed nothing, and a list of many pages would rarely be read between two blocks.
 *
 * Reads of single calls are taken as they come, if one node answered all of them. Their calls run at the same moment;
 * comparing heights would double the time of every ordinary answer for a window of milliseconds that the next poll
 * closes. Where another node stood in for one of them, all is read again from that one: it may be blocks behind.
 * @param expectMany chains whose read is known to take several calls: they are asked for the height first.
 * @throws UnsettledReadError when there was no such state in any attempt.
 */
export async function readSettled<T>(
  pool: UpstreamPool,
  expectMany: readonly ChainLetter[],
  call: CallOptions,
  read: (callOf: CallOf) => Promise<Attempt<T>>,
): Promise<T> {
  const frame = createFrame(pool, call)
  let unframed: readonly ChainLetter[] = expectMany
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      await frame.begin(unframed)
      unframed = []
      const attempted = await read(frame.callOf)
      if (frame.followStandIns()) unframed = attempted.manyCalls
      else if (attempted.manyCalls.length === 0 || (await frame.isOneState(attempted))) return attempted.value
    } catch (error) {
      if (error instanceof ManyPagesError) {
        unframed = [...frame.chains(), error.chain]
        continue
      }
      // One node alone may be in trouble, or refuse what another one does.
      const mayPass = error instanceof FirnError && (error.retryable || error instanceof JsonRpcError)
      if (frame.chains().length === 0 || attempt === MAX_ATTEMPTS || !mayPass || call.signal?.aborted) throw error
      frame.reset()
    }
  }
  throw new UnsettledReadError(`the chain moved, or no one node told all, in each of ${MAX_ATTEMPTS} readings`)
}

/** What the attempts of a reading have in common: the one node for each chain that takes several calls, and its heights. */
function createFrame(pool: UpstreamPool, call: CallOptions) {
  const servers = new Map<ChainLetter, object>()
  const tellers = createTellers()
  let failed = false
  let before = new Map<ChainLetter, bigint>()
  const callOf: CallOf = (chain) => {
    const sameServer = servers.get(chain)
    return withLateDeadline(call, { toldBy: tellers.noteFor(chain), ...(sameServer && { sameServer }) })
  }
  /** Who failed may run P alone, and not know what X and C exported to it: one that runs C is asked from now on. */
  const bind = async (chain: ChainLetter): Promise<void> => {
    if (servers.has(chain)) return
    servers.set(chain, {})
    // Gateways need not let C through.
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
    /** Chains that are asked of one node each. */
    chains: () => [...servers.keys()],
    /** A new attempt, which needs new heights of these. */
    async begin(chains: readonly ChainLetter[]): Promise<void> {
      if (chains.length > 0) before = await heights(chains)
      tellers.forget()
    },
    /** Whether other nodes than the first stood in for it: they are asked from now on. */
    followStandIns(): boolean {
      const standIns = tellers.standIns()
      for (const [chain, server] of standIns) {
        servers.set(chain, server)
        // Another node's height says nothing of when this one moved.
        before.delete(chain)
      }
      return standIns.size > 0
    },
    /** Asks for the heights after an attempt, which become those before the next one. */
    async isOneState({ manyCalls, isTouchedBy }: Attempt<unknown>): Promise<boolean> {
      const after = await heights(manyCalls)
      const still = await Promise.all(
        manyCalls.map((chain) =>
          stoodStill(pool, { chain, before: before.get(chain), after: after.get(chain), isTouchedBy }, callOf(chain)),
        ),
      )
      // A height from before that was not asked again holds as well: it covers more than this attempt.
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

/** Whether the reading is of one state of the chain, by the heights before it and after it. */
async function stoodStill(
  pool: UpstreamPool,
  { chain, before, after, isTouchedBy }: Interval,
  call: CallOptions,
): Promise<boolean> {
  if (before === undefined || after === undefined) return false
  if (before === after) return true
  // Blocks that cannot be had, or read, prove nothing.
  const named = await namedByBlocks(pool, chain, before, after, call).catch(() => undefined)
  return named !== undefined && !isTouchedBy(chain, named)
}

/** Who answered the calls of one attempt. */
function createTellers() {
  const byChain = new Map<ChainLetter, Map<object, boolean>>()
  return {
    forget: () => byChain.clear(),
    noteFor: (chain: ChainLetter): NonNullable<CallOptions['toldBy']> => {
      return ({ server, stoodIn }) => {
        const servers = byChain.get(chain) ?? new Map<object, boolean>()
        servers.set(server, stoodIn || servers.get(server) === true)
        byChain.set(chain, servers)
      }
    },
    /** Chains that were told of by several nodes, with the one that did what another could not. */
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
