import { setTimeout as pause } from 'node:timers/promises'
import { hexToBytes } from '../../lib/bytes/ids.ts'
import {
  type Caller,
  type ChainLetter,
  type ChainName,
  type ContainerRow,
  type IndexAge,
  type IndexReader,
  indexAge,
  type NumberedTransaction,
} from '../../store/index.ts'
import { cutTransactions } from './block-transactions.ts'
import type { Container, ContainerIndex, ContainerRead, ContainerSource } from './container-source.ts'
import { createGapless, type Gapless } from './gapless.ts'

export interface StoredContainersDeps {
  index: Pick<IndexReader, 'containers' | 'progress'>
  /** As streams and store name it: `mainnet`, `testnet`. */
  network: string
  /** Height that the nodes show now; rejects when none answers. */
  nodeHeight(letter: ChainLetter, signal?: AbortSignal): Promise<bigint>
  /**
   * An index that was at the tip less than this ago is waited for, and counts as current while no node can be asked.
   * Milliseconds.
   */
  maxAgeMs: number
  now?: () => number
  /** Longest wait for blocks that the nodes have and the index lacks, milliseconds. */
  patienceMs?: number
}

/** Long enough for a poll of the indexer and a commit. */
const PATIENCE_MS = 2_500
const STEP_MS = 50
/** Clients may ask for any unsigned 64-bit number; the store uses signed ones. */
const LAST_POSITION = 2n ** 63n - 1n

const letterOf = (index: ContainerIndex): ChainLetter => index.charAt(0) as ChainLetter
const isTransactions = (index: ContainerIndex): boolean => index === 'X/tx'

const callerOf = ({ client, signal }: ContainerRead = {}): Caller | undefined =>
  client === undefined || signal === undefined ? undefined : { clients: new Set([client]), signal }

const toContainer = ({ id, bytes, acceptedAt, index }: ContainerRow): Container => ({
  id: hexToBytes(id),
  bytes,
  timestamp: acceptedAt,
  index,
})

/**
 * Containers from the own index. Blocks are stored as nodes gave them; `X/tx` is cut out of X blocks, in the order of
 * acceptance. Vertices are in no block: `X/vtx` is never complete here.
 */
export function createStoredContainers(given: StoredContainersDeps): ContainerSource {
  const { containers } = given.index
  const deps = { ...given, index: { containers, progress: lookTogether(() => given.index.progress()) } }
  const chainOf = (index: ContainerIndex): ChainName => ({ network: deps.network, letter: letterOf(index) })
  const gapless = new Map<ChainLetter, Gapless>()
  const gaplessOf = (index: ContainerIndex): Gapless => {
    const known = gapless.get(letterOf(index))
    if (known) return known
    const made = createGapless((from, below) => containers.count(chainOf(index), from, below))
    gapless.set(letterOf(index), made)
    return made
  }
  const withBytes = async (
    chain: ChainName,
    found: readonly NumberedTransaction[],
    caller?: Caller,
  ): Promise<Container[]> => {
    const blocks = blocksOf(found)
    return blocks ? cutTransactions(found, await containers.range(chain, ...blocks, caller)) : []
  }
  const single = async (chain: ChainName, tx: NumberedTransaction | undefined): Promise<Container | undefined> =>
    tx && (await withBytes(chain, [tx]))[0]

  const range: ContainerSource['range'] = async (index, from, count, read) => {
    const chain = chainOf(index)
    if (from > LAST_POSITION) return []
    if (isTransactions(index))
      return withBytes(chain, await containers.transactions.range(chain, from, count), callerOf(read))
    return (await containers.range(chain, from, count, callerOf(read))).map(toContainer)
  }
  return {
    complete: (index) => isComplete(index, deps, gaplessOf(index)),
    current: (index, read) => isCurrent(index, deps, read),
    range,
    async size(index, from, count, read) {
      const chain = chainOf(index)
      if (from > LAST_POSITION) return 0n
      if (!isTransactions(index)) return containers.size(chain, from, count, callerOf(read))
      const blocks = blocksOf(await containers.transactions.range(chain, from, count))
      return blocks ? containers.size(chain, ...blocks, callerOf(read)) : 0n
    },
    byIndex: async (index, position) => {
      const [found] = await range(index, position, 1)
      return found?.index === position ? found : undefined
    },
    async byId(index, id) {
      const chain = chainOf(index)
      if (isTransactions(index)) return single(chain, await containers.transactions.withId(chain, id))
      const row = await containers.withId(chain, id)
      return row && toContainer(row)
    },
    async lastAccepted(index) {
      const chain = chainOf(index)
      if (isTransactions(index)) return single(chain, await containers.transactions.last(chain))
      const row = await containers.last(chain)
      return row && toContainer(row)
    },
    async indexOf(index, id) {
      const found = isTransactions(index) ? containers.transactions : containers
      return (await found.withId(chainOf(index), id))?.index
    },
  }
}

/** Where the blocks with these transactions are, and how many: that of height h is at h − 1, as genesis is at none. */
function blocksOf(found: readonly NumberedTransaction[]): [from: bigint, count: number] | undefined {
  const [first, last] = [found[0], found.at(-1)]
  return first && last && [first.height - 1n, Number(last.height - first.height) + 1]
}

/** Many may wait for the same block: they look at one progress, which is read again a step after the last time. */
function lookTogether<T>(look: () => Promise<T>): () => Promise<T> {
  let last: { at: number; isRead: boolean; seen: Promise<T> } | undefined
  return () => {
    if (last && (!last.isRead || performance.now() - last.at < STEP_MS)) return last.seen
    const current = { at: performance.now(), isRead: false, seen: look() }
    last = current
    const end = (): void => {
      current.isRead = true
    }
    current.seen.then(end, end)
    return current.seen
  }
}

/** Whether every block below the indexed tip is present as a container. */
async function isComplete(index: ContainerIndex, deps: StoredContainersDeps, gapless: Gapless): Promise<boolean> {
  if (index === 'X/vtx') return false
  const tip = await progressOf(index, deps)
  return tip !== undefined && gapless.reaches(tip.height)
}

/** Waits until the index has what the nodes have, but not for long, and not at all for one that is still far behind. */
async function isCurrent(index: ContainerIndex, deps: StoredContainersDeps, read?: ContainerRead): Promise<boolean> {
  const { patienceMs = PATIENCE_MS } = deps
  const signal = read?.signal
  const until = performance.now() + patienceMs
  const inTime = AbortSignal.timeout(patienceMs)
  const wanted = await deps
    .nodeHeight(letterOf(index), signal ? AbortSignal.any([signal, inTime]) : inTime)
    .catch(() => undefined)
  for (;;) {
    const tip = await progressOf(index, deps)
    const isYoung = tip !== undefined && tip.ageMs <= deps.maxAgeMs
    if (wanted === undefined) return isYoung
    if (tip && tip.height >= wanted) return true
    if (!isYoung || performance.now() >= until || signal?.aborted === true) return false
    await pause(STEP_MS)
  }
}

/** Where the stream stands; undefined while nothing is indexed, or if the index is of another chain than the nodes'. */
async function progressOf(
  index: ContainerIndex,
  { index: reader, network, now = Date.now }: StoredContainersDeps,
): Promise<IndexAge | undefined> {
  const stream = (await reader.progress()).find((one) => one.stream === `${network}:${letterOf(index)}`)
  const age = stream && indexAge(stream, now())
  return age?.disowned ? undefined : age
}
