import type { Utxo } from '../../chains/avalanche/codec/index.ts'
import { type AvalancheNetwork, readHeight } from '../../chains/avalanche/index.ts'
import { FirnError } from '../../errors.ts'
import { utxoId } from '../../lib/bytes/utxo-id.ts'
import type { UtxoRecord } from '../../store/index.ts'
import { createCOrigins } from './c-origins.ts'
import { PATIENCE_MS, untilIndexed } from './index-reach.ts'
import { createListReader, nodeRecord, withKnownAssets } from './node-record.ts'
import { NODES_MS, silentAbout } from './nodes-silent.ts'
import type { ListedChain, OlderOutputsDeps } from './older-outputs.ts'

/** What a chain currently shares with C, in the lists of that chain. */
export interface CMemory {
  /** Unspent outputs that C exported to the chain, each with the block of C that created it. */
  outputs: readonly UtxoRecord[]
  /** Whether an output that the index holds as unspent still exists, as far as C decides it. */
  shows(utxo: Pick<UtxoRecord, 'id' | 'createdOn' | 'consumableOn' | 'created'>): boolean
}

/** For chains whose index of C is at its tip. */
export const INDEXED_C: CMemory = { outputs: [], shows: () => true }

export interface CMemories {
  /**
   * @param chain P or X
   * @param addresses 20 bytes hex, at most 1,024
   * @throws FirnError with status 503 when no node answers, or the index of the chain lags behind the nodes
   */
  of(chain: ListedChain, addresses: readonly string[]): Promise<CMemory>
  /** Whether the index has seen none of the outputs spent since: what else it holds is then of the same state. */
  hold(chain: ListedChain, memory: CMemory): Promise<boolean>
}

/** A node's answers: they include what the chain did up to height `from`, and nothing that it did after `to`. */
interface Told {
  importable: Utxo[]
  /** Ids of outputs that wait on C. */
  waiting: ReadonlySet<string>
  from: bigint
  to: bigint
}

const silentOf = ({ letter }: ListedChain) =>
  silentAbout(`what the ${letter.toLowerCase()}-chain shares with a c-chain that is not indexed to its tip`)

/**
 * What the index of C would say about the memory that P and X share with it, as nodes report it: while C is indexed for
 * the first time, which takes far longer than all else, and when it is not indexed at all.
 */
export function createCMemories({
  index,
  networks,
  patienceMs = PATIENCE_MS,
}: Omit<OlderOutputsDeps, 'isIndexed'>): CMemories {
  const origins = createCOrigins()

  /** The outputs that the index has not seen spent, with the blocks that created them. */
  async function unspent(chain: ListedChain, network: AvalancheNetwork, utxos: readonly Utxo[], deadline: number) {
    const lives = await index.utxos.lives(chain.side, utxos.map(utxoId))
    const left = utxos.filter((utxo) => !lives.get(utxoId(utxo))?.isConsumed)
    const unknown = left.filter((utxo) => !lives.get(utxoId(utxo))?.created).map(({ txId }) => txId)
    const told = await origins.of(network, unknown, deadline).catch(silentOf(chain))
    return left.flatMap((utxo) => {
      const created = lives.get(utxoId(utxo))?.created ?? told.get(utxo.txId)
      return created ? [nodeRecord(utxo, { chain: chain.letter, sourceChain: 'C' }, created)] : []
    })
  }

  return {
    async of(chain, addresses) {
      const { side, letter } = chain
      const network = networks[side]
      if (!network) return silentOf(chain)(new FirnError('no node is configured', { code: 'NO_NODES' }))
      const deadline = Date.now() + NODES_MS
      const told = await ask(network, chain, addresses, deadline).catch(silentOf(chain))
      await untilIndexed(index, side, new Map([[letter, told.to]]), patienceMs)
      const outputs = await unspent(chain, network, told.importable, deadline)
      return {
        outputs: await withKnownAssets(index.assets, side, outputs),
        shows: ({ id, createdOn, consumableOn, created }) => {
          if (createdOn === 'C') return consumableOn !== letter
          return createdOn !== letter || consumableOn !== 'C' || created.height > told.from || told.waiting.has(id)
        },
      }
    },
    async hold({ side }, { outputs }) {
      if (outputs.length === 0) return true
      const lives = await index.utxos.lives(
        side,
        outputs.map(({ id }) => id),
      )
      return outputs.every(({ id }) => !lives.get(id)?.isConsumed)
    },
  }
}

/**
 * All answers from one node, because another may lag blocks behind. If that node fails or does not run C at all, once
 * more from one that does: asking for the height of C selects the node of the calls after it.
 */
async function ask(
  network: AvalancheNetwork,
  chain: ListedChain,
  addresses: readonly string[],
  deadline: number,
): Promise<Told> {
  const sameServer = {}
  return askOne(network, chain, addresses, { deadline, sameServer: {} }).catch(async (error: unknown) => {
    if (!(error instanceof FirnError) || !error.retryable) throw error
    await readHeight(network.pool, 'C', { deadline, sameServer })
    return askOne(network, chain, addresses, { deadline, sameServer })
  })
}

async function askOne(
  { pool }: AvalancheNetwork,
  { letter, identity }: ListedChain,
  addresses: readonly string[],
  call: { deadline: number; sameServer: object },
): Promise<Told> {
  const list = createListReader(pool, { hrp: identity.hrp, addresses }, call)
  const from = await readHeight(pool, letter, call)
  const [importable, exported] = await Promise.all([
    list({ chain: letter, sourceChain: 'C' }),
    list({ chain: 'C', sourceChain: letter }),
  ])
  const to = await readHeight(pool, letter, call)
  return { importable, waiting: new Set(exported.map(utxoId)), from, to }
}
