import type { TrueUtxo } from '../../recorded/true-utxos.ts'
import type { ChainTips } from '../recorded/chain-tips.ts'
import type { PrimaryAlias } from '../recorded/recorded-network.ts'
import type { Recordings } from '../recorded/recordings.ts'
import { decodeAddress } from '../wire/address-text.ts'
import { EMPTY_ID } from '../wire/binary-text.ts'
import { readListedUtxo } from './listed-utxo.ts'

/** What a node tells of an output, and when it appeared and disappeared: of a line of truth/utxos, or listed at the end. */
export type RecordedUtxo = Omit<
  TrueUtxo,
  | 'createdAtTime'
  | 'spendableAtTime'
  | 'consumedAtTime'
  | 'consumedBy'
  | 'staking'
  | 'rewardType'
  | 'rewardTx'
  | 'rewardTxHeight'
  | 'groupId'
  | 'payload'
>

/** Where UTXOs are looked up: a chain's own set, or the shared memory that `source` filled for it. */
export interface UtxoPlace {
  chain: PrimaryAlias
  source: PrimaryAlias | 'elsewhere'
}

export interface UtxoPage {
  utxos: RecordedUtxo[]
  /** Address (hex of 20 bytes) and UTXO id the search ended at. */
  endAddress: string
  endUtxo: string
}

export interface UtxoSets {
  /** Everything an address (hex) owns there now, in the order a node lists it. */
  owned(place: UtxoPlace, address: string): RecordedUtxo[]
  /** One page as a node cuts it: addresses by their bytes, per address newest first, no UTXO twice. */
  page(
    place: UtxoPlace,
    addresses: readonly string[],
    start: { address: string; utxo: string },
    limit: number,
  ): UtxoPage
  all(): readonly RecordedUtxo[]
}

const hexOfAddress = (text: string): string => Buffer.from(decodeAddress(text).bytes).toString('hex')

interface AddressLine {
  address: string
  P: { utxos: string[]; atomicX: string[]; atomicC: string[] }
  X: { utxos: string[]; atomicP: string[]; atomicC: string[] }
  C: { atomicP: string[]; atomicX: string[] }
}

/** What was read for one address: chain, where the UTXOs came from, and the UTXOs in the order of the node. */
const recordedLists = ({ P, X, C }: AddressLine): [PrimaryAlias, PrimaryAlias, string[]][] => [
  ['P', 'P', P.utxos],
  ['P', 'X', P.atomicX],
  ['P', 'C', P.atomicC],
  ['X', 'X', X.utxos],
  ['X', 'P', X.atomicP],
  ['X', 'C', X.atomicC],
  ['C', 'P', C.atomicP],
  ['C', 'X', C.atomicX],
]

/** Rank of each UTXO in the node's own listings at the end, per owner, which break ties inside one block. */
function recordedRanks(recordings: Recordings): Map<string, number> {
  const ranks = new Map<string, number>()
  for (const line of recordings.lines('network/address-state.ndjson.gz')) {
    const state = JSON.parse(line) as AddressLine
    const owner = hexOfAddress(state.address)
    for (const [chain, source, list] of recordedLists(state)) {
      for (const [index, bytes] of list.entries()) ranks.set(ownerKey(chain, source, owner) + bytes, index)
    }
  }
  return ranks
}

/** Without a truth: what the addresses own at the end, as the node listed it then. */
function* recordedAtEnd(recordings: Recordings): Generator<RecordedUtxo> {
  const seen = new Set<string>()
  for (const line of recordings.lines('network/address-state.ndjson.gz')) {
    const state = JSON.parse(line) as AddressLine
    const hrp = state.address.slice(0, state.address.lastIndexOf('1'))
    for (const [chain, source, list] of recordedLists(state)) {
      for (const bytes of list) {
        if (seen.has(chain + bytes)) continue
        seen.add(chain + bytes)
        yield readListedUtxo({ bytes, chain, source, hrp })
      }
    }
  }
}

interface Indexed {
  utxos: RecordedUtxo[]
  byOwner: Map<string, RecordedUtxo[]>
  ranks: Map<string, number>
}

function ownerKey(chain: PrimaryAlias, source: UtxoPlace['source'], address: string): string {
  return `${chain}${source}${address}`
}

function* recordedUtxos(recordings: Recordings): Generator<RecordedUtxo> {
  const truth = recordings.lines('network/truth/utxos.ndjson.gz')
  if (truth.length === 0) yield* recordedAtEnd(recordings)
  for (const line of truth) yield JSON.parse(line) as RecordedUtxo
}

function indexUtxos(recordings: Recordings): Indexed {
  const utxos: RecordedUtxo[] = []
  const byOwner = new Map<string, RecordedUtxo[]>()
  const hexOf = new Map<string, string>()
  for (const utxo of recordedUtxos(recordings)) {
    utxos.push(utxo)
    for (const text of utxo.addresses) {
      const hex = hexOf.get(text) ?? hexOfAddress(text)
      hexOf.set(text, hex)
      const source = utxo.sharedMemory ? utxo.createdOnChain : utxo.consumableOnChain
      const key = ownerKey(utxo.consumableOnChain, source, hex)
      const list = byOwner.get(key) ?? []
      if (!list.includes(utxo)) list.push(utxo)
      byOwner.set(key, list)
    }
  }
  return { utxos, byOwner, ranks: recordedRanks(recordings) }
}

/** An output with threshold 0 needs no signature and is listed under no address. */
function listed(utxo: RecordedUtxo, tips: ChainTips): boolean {
  const appeared = utxo.spendableAtHeight
  if (appeared === null || appeared > tips.height(utxo.createdOnChain)) return false
  if (utxo.consumedAtHeight === null || utxo.consumedOnChain === null) return true
  return utxo.consumedAtHeight > tips.height(utxo.consumedOnChain)
}

/** One page as a node cuts it; its own sets and shared memory differ in where a page begins. */
function cutPage(
  owned: UtxoSets['owned'],
  place: UtxoPlace,
  addresses: readonly string[],
  start: { address: string; utxo: string },
  limit: number,
): UtxoPage {
  const shared = place.chain !== place.source
  const found = new Map<string, RecordedUtxo>()
  let end = { ...start }
  for (const address of [...new Set(addresses)].sort()) {
    if (address < start.address) continue
    // Shared memory forgets the last UTXO at each address and lists the start of a page once more; an own set does not.
    end = { address, utxo: shared && address !== start.address ? EMPTY_ID : end.utxo }
    const list = owned(place, address)
    const at = address === start.address ? list.findIndex((utxo) => utxo.utxoId === start.utxo) : -1
    for (const utxo of list.slice(shared ? Math.max(at, 0) : at + 1)) {
      end.utxo = utxo.utxoId
      found.set(utxo.utxoId, utxo)
      if (found.size >= limit) return { utxos: [...found.values()], endAddress: address, endUtxo: end.utxo }
    }
  }
  return { utxos: [...found.values()], endAddress: end.address, endUtxo: end.utxo }
}

export function createUtxoSets(recordings: Recordings, tips: ChainTips): UtxoSets {
  let loaded: Indexed | undefined
  const indexed = (): Indexed => {
    loaded ??= indexUtxos(recordings)
    return loaded
  }
  // Sorting a thousand UTXOs for every page is what a tester would wait for; a set lasts until the tip moves.
  const sorted = new Map<string, RecordedUtxo[]>()
  tips.onMove(() => sorted.clear())
  const owned = (place: UtxoPlace, address: string): RecordedUtxo[] => {
    const key = ownerKey(place.chain, place.source, address)
    const known = sorted.get(key)
    if (known !== undefined) return known
    const { byOwner, ranks } = indexed()
    const appeared = (utxo: RecordedUtxo): number => utxo.spendableAtHeight ?? 0
    const list = (byOwner.get(key) ?? [])
      .filter((utxo) => listed(utxo, tips))
      .map((utxo) => ({ utxo, rank: ranks.get(key + utxo.utxoBytes) ?? -1 }))
      .sort(
        (a, b) => appeared(b.utxo) - appeared(a.utxo) || a.rank - b.rank || (a.utxo.utxoId < b.utxo.utxoId ? -1 : 1),
      )
      .map(({ utxo }) => utxo)
    sorted.set(key, list)
    return list
  }
  const page: UtxoSets['page'] = (...query) => cutPage(owned, ...query)
  return { owned, page, all: () => indexed().utxos }
}

/** The search begins before every address. */
export const FIRST_PAGE = { address: Buffer.alloc(20).toString('hex'), utxo: EMPTY_ID }

/** A transferable output, as a staking transaction holds it, is a UTXO without its transaction and index. */
export function outputBytes(utxo: RecordedUtxo): Uint8Array {
  const bytes = Buffer.from(utxo.utxoBytes.slice(2, -8), 'hex')
  return Buffer.concat([bytes.subarray(0, 2), bytes.subarray(38)])
}
