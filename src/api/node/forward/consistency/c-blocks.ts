import type { ChainTips } from '../../evm/read/chain-tips.ts'
import { type Endpoint, PRIMARY } from '../../routes/endpoint.ts'
import { memberAt } from '../nodes/group-members.ts'
import type { NodePools } from '../nodes/node-pools.ts'

/**
 * The newest block of C that clients were told of, for what is behind its other endpoints, and behind those of P and X:
 * its EVM counts them. Heights of blocks.
 */
export interface CBlocks {
  newest(): bigint | undefined
  /**
   * Clients are shown this block next. Nodes may execute blocks some time behind accepting them (Helicon).
   * @param host node that has accepted it
   * @returns undefined = at once; a promise that never rejects = they are to be held until then
   */
  shown(height: bigint, host: string, signal: AbortSignal): Promise<void> | undefined
  /** Clients are shown this block by this server itself, which has what came of it. */
  own(height: bigint): void
  /**
   * Clients are shown what follows from the blocks that this node has. False = it does not say which it has. Never
   * rejects.
   */
  look(host: string): Promise<boolean>
  /** Waits until every healthy node has executed this block, for a short time. Never rejects. */
  settle(height: bigint, signal: AbortSignal): Promise<void> | undefined
  /**
   * True for a node that runs C and is not known to have the newest one. The call also triggers a look at the node.
   */
  lacks(host: string): boolean
}

const C_RPC = PRIMARY.C.get('rpc') as Endpoint

export function createCBlocks({ pools, tips }: { pools: Pick<NodePools, 'group'>; tips: ChainTips }): CBlocks {
  const group = () => pools.group(C_RPC.source)
  const tipOfC = () => tips.of(C_RPC)
  const settle: CBlocks['settle'] = (height, signal) => tipOfC().common.reach(group(), C_RPC, height, signal)
  /** It runs P alone, say: nothing there depends on blocks of C, and it is never going to have one. */
  const isAbsent = (host: string): boolean =>
    [group().pool, memberAt(group(), host)?.pool].some((pool) =>
      pool?.status().some((one) => one.host === host && one.absent),
    )
  const look = async (host: string): Promise<boolean> => {
    const member = memberAt(group(), host)
    return !member || (await tipOfC().look(member, C_RPC)) || isAbsent(host)
  }
  const learn = async (height: bigint, host: string, signal: AbortSignal): Promise<void> => {
    const tip = tipOfC()
    await look(host)
    if ((tip.shown(host) ?? -1n) >= height) return
    // It is gone, or executes later: what came of the block is waited for.
    await settle(height, signal)
    tip.reached(undefined, height)
  }
  return {
    newest: () => tipOfC().mark(),
    shown: (height, host, signal) => {
      // Nobody else can be older.
      if (group().hosts.length < 2) return undefined
      return height <= (tipOfC().mark() ?? -1n) ? undefined : learn(height, host, signal)
    },
    own: (height) => tips.shown(C_RPC, height),
    look,
    settle,
    lacks: (host) => tipOfC().mayLackNewest(host, group(), C_RPC) && !isAbsent(host),
  }
}
