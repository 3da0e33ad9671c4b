import { LRUCache } from 'lru-cache'
import { roomFor } from '../../../../lib/room-for.ts'
import { ABSURD_LEAD, type UpstreamPool } from '../../../../upstream/index.ts'
import type { PeerProcesses } from '../../forward/consistency/peer-processes.ts'
import type { NodePools } from '../../forward/nodes/node-pools.ts'
import type { Endpoint } from '../../routes/endpoint.ts'
import { type ChainTip, createChainTip } from './chain-tip.ts'

/** Where a chain is read. */
type Place = Pick<Endpoint, 'path' | 'source'>

/** The tips of all EVM chains, which processes tell one another. */
export interface ChainTips {
  of(place: Place): ChainTip
  /** A client was shown this block by this server itself: what nodes are asked next is no older. */
  shown(endpoint: Endpoint, height: bigint): void
  /** Calls the listener when a chain was reset or set back, as on test networks: nothing is final any more. */
  onReset(listener: () => void): void
}

export interface ChainTipsDeps {
  pools: Pick<NodePools, 'group' | 'onReset'>
  /** Blocks that a node may lag before its answers about the newest state are rejected. */
  maxLagBlocks: number
  /** What clients of other processes were shown; left out = this is the only process. */
  peers?: PeerProcesses | undefined
}

/** Chains of whose newest block processes that start are told. */
const RECALLED = 100

/** A height far above that the pool believes in is a broken node's. */
const isAt = (height: bigint, told = -1n): boolean => told >= height && told - height <= ABSURD_LEAD

export function createChainTips({ pools, maxLagBlocks, peers }: ChainTipsDeps): ChainTips {
  // Kept per pool, because pools are bounded: while no node says which chains exist, strangers can invent some.
  const tips = new WeakMap<UpstreamPool, Map<string, ChainTip>>()
  const inUse = new LRUCache<string, Place>(roomFor(RECALLED))
  const listeners: (() => void)[] = []
  const tellReset = (): void => {
    for (const listener of listeners) listener()
  }
  const of: ChainTips['of'] = ({ path, source }) => {
    const { pool } = pools.group(source)
    const ofPool = tips.get(pool)
    const known = ofPool?.get(path)
    if (known) return known
    inUse.set(path, { path, source })
    const tip = createChainTip({
      maxLagBlocks,
      head: () => pool.head(),
      holders: (height) => pool.status().flatMap((one) => (isAt(height, one.height) ? [one.host] : [])),
      onNewest: (host, height) => peers?.tell({ kind: 'block', path, source, height: String(height), host }),
      onSetBack: tellReset,
    })
    tips.set(pool, (ofPool ?? new Map<string, ChainTip>()).set(path, tip))
    return tip
  }
  pools.onReset((pool) => {
    tellReset()
    // Once a chain has advanced, nobody may be shown a lower block.
    tips.delete(pool)
  })
  peers?.hear((told) => {
    if (told.kind === 'block') of(told).heard(told.host, BigInt(told.height))
  })
  peers?.recall(function* () {
    for (const { path, source } of inUse.values()) {
      const height = tips.get(pools.group(source).pool)?.get(path)?.mark()
      if (height !== undefined) yield { kind: 'block', path, source, height: String(height) }
    }
  })
  return {
    of,
    shown: (endpoint, height) => {
      const tip = of(endpoint)
      tip.reached(undefined, height)
      // So that it is known who has it by the time that clients ask.
      const group = pools.group(endpoint.source)
      for (const host of group.hosts) tip.mayLackNewest(host, group, endpoint)
    },
    onReset: (listener) => void listeners.push(listener),
  }
}
