import { FirnError } from '../../../errors.ts'
import { firstXBlock, isOfUnknownEnd } from '../../../facts/first-x-blocks.ts'
import { INDEXED_C, type Older } from '../../../services/node-outputs/index.ts'
import {
  type BalanceGroup,
  type BalanceQuery,
  type ChainLetter,
  type IndexReader,
  keyOfId,
  type UtxoCursor,
  type UtxoListQuery,
  type UtxoPage,
  type UtxoRecord,
} from '../../../store/index.ts'
import type { PrimaryChain, PrimaryDeps } from './chain.ts'

/** A further try is needed only if an output was spent within the few milliseconds of the try before. */
const TRIES = 3

/** What the nodes report about the addresses, in addition to the index. */
export interface Told {
  older: Older
  /** Unspent outputs that the index does not know. */
  outputs: readonly UtxoRecord[]
  /** Whether an output that the index holds as unspent really is unspent. */
  shows(utxo: UtxoRecord): boolean
}

/** The addresses, and whether nodes have to report what C shares: see `requireFresh`. */
export interface Asked {
  chain: PrimaryChain
  addresses: readonly string[]
  isCTold: boolean
}

/**
 * Combines a read of the index with outputs that only nodes know. An output that is spent in between would appear
 * together with its successor: then both are read again.
 * @throws FirnError with status 503 when that keeps happening, and whatever `OlderOutputs.of` and `CMemories.of` throw
 */
export async function besideNodes<T>(
  deps: Pick<PrimaryDeps, 'older' | 'cMemories'>,
  { chain, addresses, isCTold }: Asked,
  read: (told: Told) => Promise<T>,
): Promise<T> {
  const since = firstXBlock(chain.identity.blockchainIds.X)
  for (let tries = 0; tries < TRIES; tries++) {
    const [older, memory] = await Promise.all([
      deps.older.of(chain, addresses),
      isCTold ? deps.cMemories.of(chain, addresses) : INDEXED_C,
    ])
    const found = await read({
      older,
      outputs: [...older.outputs.filter(memory.shows), ...memory.outputs],
      shows: (utxo) => memory.shows(utxo) && (!isOfUnknownEnd(since, utxo) || older.still.has(utxo.id)),
    })
    const held = await Promise.all([deps.older.hold(chain, older), !isCTold || deps.cMemories.hold(chain, memory)])
    if (held.every(Boolean)) return found
  }
  throw new FirnError('outputs of these addresses that only nodes know were spent while they were read, try again', {
    code: 'INDEX_BEHIND',
    status: 503,
    retryable: true,
    expose: true,
  })
}

const placeOf = (utxo: UtxoRecord, { sortBy }: Pick<UtxoListQuery, 'sortBy'>): UtxoCursor => ({
  value: sortBy === 'amount' ? (utxo.amount ?? 0n) : utxo.created.time,
  key: keyOfId(utxo.id),
})

/** Maximum pages of the index per answered page, when hardly any entries are shown: the page may then be short. */
const MAX_PAGES = 16

/** A page of the entries of the index that are shown: as long as requested, if there are enough. */
export async function shownPage(
  index: Pick<IndexReader, 'utxos'>,
  query: UtxoListQuery,
  { shows }: Told,
): Promise<UtxoPage> {
  const utxos: UtxoRecord[] = []
  let next = query.after
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await index.utxos.list({ ...query, ...(next === undefined ? {} : { after: next }) })
    const shown = page.utxos.filter(shows)
    utxos.push(...shown)
    next = page.next
    const isFull = shown.length === page.utxos.length || utxos.length >= query.limit
    if (next === undefined || isFull) break
  }
  if (utxos.length <= query.limit) return { utxos, ...(next === undefined ? {} : { next }) }
  const shown = utxos.slice(0, query.limit)
  return { utxos: shown, next: placeOf(shown.at(-1) as UtxoRecord, query) }
}

/** A page of the index merged with the outputs that the index does not know, in the order of the list. */
export function withToldOutputs(page: UtxoPage, { outputs }: Told, query: UtxoListQuery): UtxoPage {
  const { assetId, minAmount = 0n, after } = query
  const inOrder = query.order === 'asc' ? compare : (a: UtxoCursor, b: UtxoCursor) => compare(b, a)
  const added = outputs
    .filter(({ amount = 0n, asset }) => amount >= minAmount && (assetId === undefined || asset.id === assetId))
    .map((utxo) => ({ utxo, place: placeOf(utxo, query) }))
    .filter(({ place }) => (!after || inOrder(place, after) > 0) && (!page.next || inOrder(place, page.next) < 0))
  if (added.length === 0) return page
  const all = [...page.utxos.map((utxo) => ({ utxo, place: placeOf(utxo, query) })), ...added]
  all.sort((a, b) => inOrder(a.place, b.place))
  const shown = all.slice(0, query.limit)
  const next = shown.length < all.length ? shown.at(-1)?.place : page.next
  return { utxos: shown.map(({ utxo }) => utxo), ...(next === undefined ? {} : { next }) }
}

function compare(a: UtxoCursor, b: UtxoCursor): number {
  if (a.value !== b.value) return a.value < b.value ? -1 : 1
  return a.key === b.key ? 0 : a.key < b.key ? -1 : 1
}

/** One output as the index would group it in a balance; outputs reported by nodes are never stake. */
export function groupOf(
  utxo: UtxoRecord,
  letter: ChainLetter,
  { locksAt }: Pick<BalanceQuery, 'locksAt'>,
): BalanceGroup {
  const { createdOn, consumableOn, stakeableLocktime = 0n } = utxo
  const isNative = createdOn === consumableOn
  return {
    asset: utxo.asset,
    kind: utxo.kind,
    direction: isNative ? 'native' : createdOn === letter ? 'exported' : 'importable',
    otherChain: createdOn === letter ? consumableOn : createdOn,
    staking: 'none',
    platformLocked: utxo.locktime > locksAt,
    stakeableLocked: stakeableLocktime > locksAt,
    lockedAfterStaking: false,
    amount: utxo.amount ?? 0n,
    utxoCount: 1,
  }
}

/** The same group, to be subtracted. */
export const without = (group: BalanceGroup): BalanceGroup => ({ ...group, amount: -group.amount, utxoCount: -1 })
