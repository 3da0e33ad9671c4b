import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { AvalancheNetwork } from '../../chains/avalanche/index.ts'
import { FirnError } from '../../errors.ts'
import { firstXBlock, isOfUnknownEnd } from '../../lib/first-x-blocks.ts'
import type { ChainLetter, Side } from '../../lib/primary-network.ts'
import type { IndexReader, UtxoRecord } from '../../store/index.ts'
import { type NodeOutputs, readNodeOutputs } from './node-outputs.ts'

/** A chain whose lists are answered; blockchain ids CB58. */
export interface ListedChain {
  side: Side
  letter: ChainLetter
  identity: { hrp: string; blockchainIds: Readonly<Record<ChainLetter, string>> }
}

export interface Older {
  /**
   * Unspent outputs that X made before it had blocks, in the chain's lists: as if they had been made in the block before
   * the first one, number 0, which stands for all that there was.
   */
  outputs: readonly UtxoRecord[]
  /**
   * Ids (hex) of outputs of that time that the index does know, without seeing their end, and that are still there: what X
   * was born with, and what P and C exported to it.
   */
  still: ReadonlySet<string>
}

export const NO_OLDER: Older = { outputs: [], still: new Set() }

export interface OlderOutputs {
  /**
   * @param addresses 20 bytes hex, at most 1,024
   * @throws FirnError with status 503 when no node tells, or the index is behind them
   */
  of(chain: ListedChain, addresses: readonly string[]): Promise<Older>
}

export interface OlderOutputsDeps {
  index: Pick<IndexReader, 'progress'> & { utxos: Pick<IndexReader['utxos'], 'lives'>; assets: IndexReader['assets'] }
  networks: Partial<Readonly<Record<Side, AvalancheNetwork>>>
  /** Whether the configuration has a stream of a network indexed. */
  isIndexed(stream: string): boolean
  /** How long the index is waited for when a node is ahead of it, milliseconds. */
  patienceMs?: number
}

/** The nodes show outputs of blocks that the index does not have yet: they cannot be told from older ones. */
class IndexBehindError extends FirnError {
  constructor(height: bigint) {
    super(`the index of the x-chain has not reached block ${height} of the nodes yet`, {
      code: 'INDEX_BEHIND',
      status: 503,
      retryable: true,
      expose: true,
    })
  }
}

class NodesSilentError extends FirnError {
  constructor(cause: unknown) {
    super('what the x-chain had before it had blocks is told by nodes, and none of them answers now', {
      code: 'NODES_SILENT',
      status: 503,
      retryable: true,
      expose: true,
      cause,
    })
  }
}

const silent = (cause: unknown): never => {
  throw cause instanceof FirnError ? new NodesSilentError(cause) : cause
}

/** Time for the nodes' answers, milliseconds. */
const NODES_MS = 8_000
const PATIENCE_MS = 3_000
const LOOK_MS = 100
/**
 * Addresses that own nothing of that time are not asked for again: nothing is added to it any more. Only for a while,
 * since one wrong answer of a node would otherwise be believed for good.
 */
const CLEAN = { max: 100_000, ttl: 600_000 }

export function createOlderOutputs(deps: OlderOutputsDeps): OlderOutputs {
  const { index, networks, patienceMs = PATIENCE_MS } = deps
  const clean = new LRUCache<string, true>(CLEAN)

  /** What of the outputs that X made is in none of its blocks. */
  async function neverSeen(side: Side, found: NodeOutputs): Promise<UtxoRecord[]> {
    let unknown = found.records.filter(({ createdOn }) => createdOn === 'X')
    let height: bigint | undefined
    const until = Date.now() + patienceMs
    while (unknown.length > 0) {
      const progress = await index.progress()
      // Asked for in this order: what the index has got in between only makes it know more.
      const lives = await index.utxos.lives(
        side,
        unknown.map(({ id }) => id),
      )
      unknown = unknown.filter(({ id }) => !lives.has(id))
      if (unknown.length === 0) break
      height ??= await found.heightOfX().catch(silent)
      const tip = progress.find(({ stream }) => stream === `${side}:X`)?.tip?.height ?? -1n
      if (tip >= height) return unknown
      if (Date.now() >= until) throw new IndexBehindError(height)
      await sleep(LOOK_MS)
    }
    return []
  }

  /** What the index knows of that time. */
  async function stillThere(side: Side, { records }: NodeOutputs, since: bigint): Promise<UtxoRecord[]> {
    const lives = await index.utxos.lives(
      side,
      records.map(({ id }) => id),
    )
    return records.filter((utxo) => {
      const created = lives.get(utxo.id)?.created
      return created !== undefined && isOfUnknownEnd(since, { ...utxo, created })
    })
  }

  /** With what the index knows of their assets. */
  async function described(side: Side, utxos: readonly UtxoRecord[]): Promise<UtxoRecord[]> {
    const assets = await index.assets.findAll(side, [...new Set(utxos.map(({ asset }) => asset.id))])
    return utxos.map((utxo) => ({ ...utxo, asset: assets.get(utxo.asset.id) ?? utxo.asset }))
  }

  return {
    async of(chain, addresses) {
      const { side, letter, identity } = chain
      const since = firstXBlock(identity.blockchainIds.X)
      const network = networks[side]
      if (since === undefined || !network) return NO_OLDER
      // What an index of X that was switched off has is served for as long as it is young enough, and then as a whole.
      if (letter !== 'X' && !deps.isIndexed(`${side}:X`)) return NO_OLDER
      const keyOf = (address: string): string => `${side}:${letter}:${address}`
      const asked = [...new Set(addresses)].filter((address) => !clean.has(keyOf(address)))
      if (asked.length === 0) return NO_OLDER
      const deadline = Date.now() + NODES_MS
      const query = { letter, hrp: identity.hrp, addresses: asked, since, deadline }
      const found = await readNodeOutputs(network, query).catch(silent)
      const [outputs, still] = await Promise.all([neverSeen(side, found), stillThere(side, found, since)])
      const owners = new Set([...outputs, ...still].flatMap((utxo) => utxo.addresses))
      for (const address of asked) if (!owners.has(address)) clean.set(keyOf(address), true)
      return {
        outputs: await described(side, outputs),
        still: new Set(still.map(({ id }) => id)),
      }
    },
  }
}
