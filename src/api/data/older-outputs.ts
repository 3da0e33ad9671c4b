import { FirnError } from '../../errors.ts'
import type { Older } from '../../services/older-outputs/index.ts'
import {
  type BalanceGroup,
  type BalanceQuery,
  type ChainLetter,
  keyOfId,
  type UtxoCursor,
  type UtxoListQuery,
  type UtxoPage,
  type UtxoRecord,
} from '../../store/index.ts'
import type { PrimaryChain, PrimaryDeps } from './primary-chain.ts'

/** Each further one takes an output that was spent within the few milliseconds of the one before. */
const TRIES = 3

/**
 * What is read of the index beside the outputs that it does not know. One that is spent in between would show beside what
 * has come of it: then both are read again.
 * @throws FirnError with status 503 when that happens again and again, and as `OlderOutputs.of`
 */
export async function besideOlder<T>(
  { older: outputs }: Pick<PrimaryDeps, 'older'>,
  chain: PrimaryChain,
  addresses: readonly string[],
  read: (older: Older) => Promise<T>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const older = await outputs.of(chain, addresses)
    const found = await read(older)
    if (await outputs.hold(chain, older)) return found
  }
  throw new FirnError('what the x-chain had before it had blocks is being spent at this moment', {
    code: 'INDEX_BEHIND',
    status: 503,
    retryable: true,
    expose: true,
  })
}

/** A page of the index with the outputs that it does not know, each where the order of the list puts it. */
export function withOlder(page: UtxoPage, { outputs }: Older, query: UtxoListQuery): UtxoPage {
  const { assetId, minAmount = 0n, after } = query
  const placeOf = (utxo: UtxoRecord): UtxoCursor => ({
    value: query.sortBy === 'amount' ? (utxo.amount ?? 0n) : utxo.created.time,
    key: keyOfId(utxo.id),
  })
  const inOrder = query.order === 'asc' ? compare : (a: UtxoCursor, b: UtxoCursor) => compare(b, a)
  const added = outputs
    .filter(({ amount = 0n, asset }) => amount >= minAmount && (assetId === undefined || asset.id === assetId))
    .map((utxo) => ({ utxo, place: placeOf(utxo) }))
    .filter(({ place }) => (!after || inOrder(place, after) > 0) && (!page.next || inOrder(place, page.next) < 0))
  if (added.length === 0) return page
  const all = [...page.utxos.map((utxo) => ({ utxo, place: placeOf(utxo) })), ...added]
  all.sort((a, b) => inOrder(a.place, b.place))
  const shown = all.slice(0, query.limit)
  const next = shown.length < all.length ? shown.at(-1)?.place : page.next
  return { utxos: shown.map(({ utxo }) => utxo), ...(next === undefined ? {} : { next }) }
}

function compare(a: UtxoCursor, b: UtxoCursor): number {
  if (a.value !== b.value) return a.value < b.value ? -1 : 1
  return a.key === b.key ? 0 : a.key < b.key ? -1 : 1
}

/** One output as the index would have it among the groups of a balance; outputs of X are never stake. */
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
    threshold: utxo.threshold,
    owners: utxo.addresses.length,
    amount: utxo.amount ?? 0n,
    utxoCount: 1,
  }
}

/** The same taken away. */
export const without = (group: BalanceGroup): BalanceGroup => ({ ...group, amount: -group.amount, utxoCount: -1 })
