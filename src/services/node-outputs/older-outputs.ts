import type { AvalancheNetwork } from '../../chains/avalanche/index.ts'
import { firstXBlock, isOfUnknownEnd } from '../../facts/first-x-blocks.ts'
import type { ChainLetter, Side } from '../../facts/primary-network.ts'
import type { IndexReader, UtxoRecord } from '../../store/index.ts'
import { createHoldings, dividedAmong, type Holding, together } from './holdings.ts'
import { PATIENCE_MS, untilIndexed } from './index-reach.ts'
import { withKnownAssets } from './node-record.ts'
import { NODES_MS, silentAbout } from './nodes-silent.ts'
import { type NodeOutputs, readNodeOutputs } from './older-lists.ts'

/** A chain whose lists are answered; blockchain ids CB58. */
export interface ListedChain {
  side: Side
  letter: ChainLetter
  identity: { hrp: string; blockchainIds: Readonly<Record<ChainLetter, string>> }
}

export interface Older {
  /**
   * Unspent outputs that X created before it had blocks, in the chain's lists: as if created in the block before the
   * first one, number 0, which stands for all that time.
   */
  outputs: readonly UtxoRecord[]
  /**
   * Ids (hex) of outputs of that time that the index knows without a spending, and that still exist: X's genesis
   * outputs, and what P and C exported to it.
   */
  still: ReadonlySet<string>
}

export const NO_OLDER: Older = { outputs: [], still: new Set() }

export interface OlderOutputs {
  /**
   * @param addresses 20 bytes hex, at most 1,024
   * @throws FirnError with status 503 when no node answers, or the index lags behind the nodes
   */
  of(chain: ListedChain, addresses: readonly string[]): Promise<Older>
  /** Whether the index has seen none of them spent since: what else it holds is then of the same state. */
  hold(chain: ListedChain, older: Older): Promise<boolean>
}

export interface OlderOutputsDeps {
  index: Pick<IndexReader, 'progress'> & { utxos: Pick<IndexReader['utxos'], 'lives'>; assets: IndexReader['assets'] }
  networks: Partial<Readonly<Record<Side, AvalancheNetwork>>>
  /** Whether the configuration has this stream of a network indexed. */
  isIndexed(stream: string): boolean
  /** Default: `PATIENCE_MS`. */
  patienceMs?: number
}

const silent = silentAbout('what the x-chain had before it had blocks')

export function createOlderOutputs(deps: OlderOutputsDeps): OlderOutputs {
  const { index, networks, patienceMs = PATIENCE_MS } = deps
  const holdings = createHoldings()
  const livesOf = (side: Side, utxos: readonly UtxoRecord[]) =>
    index.utxos.lives(
      side,
      utxos.map(({ id }) => id),
    )

  /** The part of a node's answer from before X had blocks, once the index knows all that the node knew. */
  async function ofBefore({ side, letter }: ListedChain, found: NodeOutputs, since: bigint): Promise<Holding> {
    await untilIndexed(index, side, await found.heights(comparedFor(letter)).catch(silent), patienceMs)
    const lives = await livesOf(side, found.records)
    const outputs = found.records.filter(({ id, createdOn }) => createdOn === 'X' && !lives.has(id))
    const still = found.records.filter((utxo) => {
      const created = lives.get(utxo.id)?.created
      return created !== undefined && isOfUnknownEnd(since, { ...utxo, created })
    })
    return { outputs, still }
  }

  /** Asks nodes and caches the answer. */
  async function asked(
    chain: ListedChain,
    network: AvalancheNetwork,
    addresses: readonly string[],
    since: bigint,
  ): Promise<Holding> {
    const { letter, identity } = chain
    const query = { letter, hrp: identity.hrp, addresses, since, deadline: Date.now() + NODES_MS }
    const holding = await ofBefore(chain, await readNodeOutputs(network, query).catch(silent), since)
    // The cache would keep outputs spent on a chain without an index for longer than they exist.
    const isSeen = ({ consumableOn }: UtxoRecord): boolean =>
      consumableOn === 'X' || deps.isIndexed(`${chain.side}:${consumableOn}`)
    for (const [address, part] of dividedAmong(addresses, holding)) {
      if (part.outputs.every(isSeen)) holdings.set(keyOf(chain, address), part)
    }
    return holding
  }

  return {
    async of(chain, addresses) {
      const { side, letter, identity } = chain
      const since = firstXBlock(identity.blockchainIds.X)
      const network = networks[side]
      if (since === undefined || !network) return NO_OLDER
      // The data of an index of X that was switched off is served while it is young enough, and then as a whole.
      if (letter !== 'X' && !deps.isIndexed(`${side}:X`)) return NO_OLDER
      const kept = new Map([...new Set(addresses)].map((address) => [address, holdings.get(keyOf(chain, address))]))
      const missing = [...kept].filter(([, holding]) => !holding).map(([address]) => address)
      const known = [...kept.values()].filter((holding) => holding !== undefined)
      if (missing.length > 0) known.push(await asked(chain, network, missing, since))
      const { outputs, still } = together(known)
      if (outputs.length === 0 && still.length === 0) return NO_OLDER
      const lives = await livesOf(side, outputs)
      const unspent = outputs.filter(({ id }) => !lives.has(id))
      return { outputs: await withKnownAssets(index.assets, side, unspent), still: new Set(still.map(({ id }) => id)) }
    },
    async hold({ side }, { outputs }) {
      return outputs.length === 0 || (await livesOf(side, outputs)).size === 0
    },
  }
}

/**
 * The chains whose index must know all that the nodes knew: X, whose new outputs cannot be told from older ones, and P
 * for its own lists, which show the successors of spent outputs, even of the last output of an address, of which nodes
 * then report nothing. Outputs imported on C leave the shared memory and are no longer outputs.
 */
const comparedFor = (letter: ChainLetter): ChainLetter[] => (letter === 'P' ? ['P', 'X'] : ['X'])

const keyOf = ({ side, letter }: ListedChain, address: string): string => `${side}:${letter}:${address}`
