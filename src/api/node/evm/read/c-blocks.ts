import type { CBlocks } from '../../forward/c-blocks.ts'
import type { NodePools } from '../../forward/nodes/node-pools.ts'
import { type Endpoint, PRIMARY } from '../../routes/endpoint.ts'
import type { ChainTip } from './chain-tip.ts'

export interface CBlocksDeps {
  pools: Pick<NodePools, 'group'>
  tipOf(endpoint: Endpoint): ChainTip
  /** This server shows a block by itself. */
  shown(endpoint: Endpoint, height: bigint): void
}

const C_RPC = PRIMARY.C.get('rpc') as Endpoint

/** Counts the blocks of C for what is behind its other endpoints, and behind those of P and X. */
export function createCBlocks({ pools, tipOf, shown }: CBlocksDeps): CBlocks {
  const group = () => pools.group(C_RPC.source)
  const settle: CBlocks['settle'] = (height, signal) => tipOf(C_RPC).common.reach(group(), C_RPC, height, signal)
  const memberAt = (host: string) =>
    group()
      .members()
      .find((one) => one.host === host)
  /** It runs P alone, say: nothing there depends on blocks of C, and it is never going to have one. */
  const isAbsent = (host: string): boolean =>
    [group().pool, memberAt(host)?.pool].some((pool) => pool?.status().some((one) => one.host === host && one.absent))
  const look = async (host: string): Promise<boolean> => {
    const member = memberAt(host)
    return !member || (await tipOf(C_RPC).look(member, C_RPC)) || isAbsent(host)
  }
  const learn = async (height: bigint, host: string, signal: AbortSignal): Promise<void> => {
    const tip = tipOf(C_RPC)
    await look(host)
    if ((tip.shown(host) ?? -1n) >= height) return
    // It is gone, or executes later: what came of the block is waited for.
    await settle(height, signal)
    tip.reached(undefined, height)
  }
  return {
    newest: () => tipOf(C_RPC).mark(),
    shown: (height, host, signal) => {
      // Nobody else can be older.
      if (group().hosts.length < 2) return undefined
      return height <= (tipOf(C_RPC).mark() ?? -1n) ? undefined : learn(height, host, signal)
    },
    own: (height) => shown(C_RPC, height),
    look,
    settle,
    lacks: (host) => tipOf(C_RPC).mayLackNewest(host, group(), C_RPC) && !isAbsent(host),
  }
}
