import { expect, it } from 'vitest'
import { encodeCb58 } from '../../../../src/lib/bytes/cb58.ts'
import { hexToBytes, idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import type { Store, UtxoCursor, UtxoListQuery, UtxoRecord } from '../../../../src/store/index.ts'
import { type TrueUtxo, trueUtxos } from '../../../support/recorded/true-utxos.ts'
import { hexId, parseAddress } from '../../recorded-rows.ts'
import { LETTERS, recordedChain } from '../../recorded-truth.ts'

/** UTXO lists of a store that holds the recorded network. */
export function utxoQueries(store: () => Store): void {
  it('give every recorded UTXO with its whole life, in order, page by page', () => checkUtxos(store()))
}

async function allPages(store: Store, query: Omit<UtxoListQuery, 'after'>): Promise<UtxoRecord[]> {
  const all: UtxoRecord[] = []
  let after: UtxoCursor | undefined
  do {
    const page = await store.reader.utxos.list({ ...query, ...(after === undefined ? {} : { after }) })
    all.push(...page.utxos)
    after = page.next
  } while (after !== undefined)
  return all
}

async function checkUtxos(store: Store): Promise<void> {
  const utxos = trueUtxos()
  const addresses = [...new Set(utxos.flatMap((utxo) => utxo.addresses))]
  for (const letter of LETTERS) {
    const shown = utxos.filter((utxo) => utxo.createdOnChain === letter || utxo.consumableOnChain === letter)
    const found = shown.filter((utxo) => utxo.addresses.length > 0)
    const base = { chain: recordedChain(letter), addresses: addresses.map(parseAddress), limit: 777 }
    const all = await allPages(store, { ...base, includeSpent: true, sortBy: 'timestamp', order: 'desc' })
    const order = (a: TrueUtxo, b: TrueUtxo) => b.createdAtTime - a.createdAtTime || compare(b.utxoId, a.utxoId)
    expect(all.map(describeRecord)).toEqual(found.sort(order).map(describeTruth))
    const open = await allPages(store, { ...base, includeSpent: false, sortBy: 'amount', order: 'asc' })
    const byAmount = (a: TrueUtxo, b: TrueUtxo) =>
      compareBig(BigInt(a.amount ?? 0), BigInt(b.amount ?? 0)) || compare(a.utxoId, b.utxoId)
    const unspent = found.filter((utxo) => utxo.consumedBy === null).sort(byAmount)
    expect(open.map((utxo) => idToCb58(utxo.id))).toEqual(unspent.map((utxo) => utxo.utxoId))
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const compareBig = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

function describeRecord(utxo: UtxoRecord) {
  return {
    id: encodeCb58(hexToBytes(utxo.id)),
    amount: utxo.amount?.toString() ?? null,
    addresses: utxo.addresses,
    locks: [
      utxo.threshold,
      Number(utxo.locktime),
      utxo.stakeableLocktime === undefined ? null : Number(utxo.stakeableLocktime),
    ],
    chains: [utxo.createdOn, utxo.consumableOn],
    created: Number(utxo.created.height),
    consumed:
      utxo.consumed === undefined ? null : [utxo.consumed.by, Number(utxo.consumed.height), Number(utxo.consumed.time)],
    staked: utxo.stake?.active ?? false,
    reward: utxo.reward?.type,
    payload: utxo.payload,
  }
}

function describeTruth(utxo: TrueUtxo): ReturnType<typeof describeRecord> {
  return {
    id: utxo.utxoId,
    amount: utxo.amount,
    addresses: utxo.addresses.map(parseAddress),
    locks: [utxo.threshold, utxo.locktime, utxo.stakeableLocktime],
    chains: [utxo.createdOnChain, utxo.consumableOnChain],
    created: utxo.createdAtHeight,
    consumed:
      utxo.consumedBy === null ? null : [hexId(utxo.consumedBy), utxo.consumedAtHeight ?? 0, utxo.consumedAtTime ?? 0],
    staked: utxo.staking !== undefined && utxo.spendableAtTime === null,
    reward: utxo.rewardType,
    payload: utxo.payload,
  }
}
