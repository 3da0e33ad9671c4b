import { hash } from 'node:crypto'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import { inChunks } from '../../../lib/in-chunks.ts'
import { inTurns } from '../../../lib/waiting/in-turns.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { outputFields, type TransferableOutput, type Utxo } from '../codec/index.ts'
import { ownAddressList } from '../node/address-list.ts'
import { SHARED_MEMORY_SOURCES } from '../node/chains.ts'
import { MAX_STAKE_ADDRESSES, readStake } from '../node/stake.ts'
import { readUtxos } from '../node/utxos.ts'
import { type OwnedAmount, ownedAmount } from './coins.ts'
import type { Named } from './named-by-blocks.ts'
import type { OwnAddress } from './own-address.ts'

/** Everything that up to 1,024 addresses own on one chain. */
export interface UnitState {
  own: OwnedAmount[]
  /** By the exporting chain; every source has an entry. */
  atomic: Map<ChainLetter, OwnedAmount[]>
  /** P only. */
  staked: OwnedAmount[]
  /** Owners (hex) of outputs without an amount: no balance, but a sign that an address is in use. */
  ownersWithoutAmount: string[]
}

/** One read of a unit. */
export interface UnitReading {
  addresses: readonly OwnAddress[]
  state: UnitState
  /** Some part took several calls, between which the chain may have moved. */
  manyCalls: boolean
  /** Whether blocks that name these can have changed the unit while it was read. */
  isTouchedBy(named: Named): boolean
  /** The same for the same outputs of the same addresses. */
  stamp(): string
  /** By the exporting chain. */
  shared: ReadonlyMap<ChainLetter, MemoryReading>
}

/** What one memory holds for a unit. */
interface MemoryReading {
  amounts: OwnedAmount[]
  ownersWithoutAmount: string[]
  names: ReadonlySet<string>
  pages: number
}

const CONCURRENT_STAKES = 4
/** About a millisecond. */
const OUTPUTS_PER_TURN = 1_000

/**
 * Reads one unit: its own memory, both shared memories and the stakes in parallel, in one round trip if they fit.
 * @param before a reading that this one has to confirm (`isRepeat` of `readSettled`). Only between P's outputs, its stakes
 * and what waited in shared memory may a coin have moved, so a memory that was empty is not read again, nor is X.
 * @throws ManyPagesError when a list takes several pages and the call does not bind them to one server
 */
export async function readUnit(
  pool: UpstreamPool,
  chain: ChainLetter,
  addresses: readonly OwnAddress[],
  call: CallOptions,
  before?: UnitReading,
): Promise<UnitReading> {
  const earlier = before && isOf(before, addresses) ? before : undefined
  if (earlier && chain !== 'P') return earlier
  const list = ownAddressList(chain, addresses)
  const belongs = belongsTo(addresses)
  const memory = async (sourceChain?: ChainLetter): Promise<MemoryReading> => {
    const known = sourceChain && earlier?.shared.get(sourceChain)
    if (known?.names.size === 0) return known
    // Pages of several nodes do not make one list.
    const asked = { chain, addresses: list, belongs, onlyOnePage: call.sameServer === undefined }
    const query = sourceChain ? { ...asked, sourceChain } : asked
    const { utxos, names, pages } = await readUtxos(pool, query, call)
    return { ...(await split(utxos)), names, pages }
  }
  const sources = SHARED_MEMORY_SOURCES[chain]
  // C has no UTXOs of its own, only those that wait for import.
  const [own, staked, ...atomic] = await Promise.all([
    chain === 'C' ? { amounts: [], ownersWithoutAmount: [], names: new Set<string>(), pages: 1 } : memory(),
    chain === 'P' ? readStakes(pool, addresses, call) : { amounts: [], calls: 1 },
    ...sources.map((source) => memory(source)),
  ])
  const memories = [own, ...atomic]
  const state = {
    own: own.amounts,
    atomic: new Map(sources.map((source, index) => [source, atomic[index]?.amounts ?? []])),
    staked: staked.amounts,
    ownersWithoutAmount: memories.flatMap((part) => part.ownersWithoutAmount),
  }
  return {
    addresses,
    state,
    shared: new Map(sources.map((source, index) => [source, atomic[index] as MemoryReading])),
    manyCalls: staked.calls > 1 || memories.some((part) => part.pages > 1),
    isTouchedBy: ({ utxos, owners }) =>
      addresses.some(({ hex }) => owners.has(hex)) ||
      [...utxos].some((utxo) => memories.some(({ names }) => names.has(utxo))),
    stamp: () => {
      const parts = [addresses.map(({ hex }) => hex), ...memories.map(({ names }) => [...names].sort())]
      // Nodes name no transactions of stakes.
      const stakes = staked.amounts.map((one) => Object.values(one).join()).sort()
      return hash('sha256', [...parts, stakes].map((part) => part.join(' ')).join('\n'), 'base64url')
    },
  }
}

const isOf = (reading: UnitReading, addresses: readonly OwnAddress[]): boolean =>
  reading.addresses.length === addresses.length && addresses.every(({ hex }, at) => hex === reading.addresses[at]?.hex)

/**
 * Stakes of up to 1,024 addresses, 256 a call. A stake whose owners are spread over several calls appears in each of
 * them and has no id: it is taken from the first call that holds one of its owners.
 */
async function readStakes(
  pool: UpstreamPool,
  addresses: readonly OwnAddress[],
  call: CallOptions,
): Promise<{ amounts: OwnedAmount[]; calls: number }> {
  const parts = inChunks(addresses, MAX_STAKE_ADDRESSES)
  const partOf = new Map(parts.flatMap((part, index) => part.map(({ hex }) => [hex, index] as const)))
  const read = await mapBounded(parts, CONCURRENT_STAKES, async (part, index) => {
    const outputs = await readStake(pool, ownAddressList('P', part), call, belongsTo(part))
    return (await split(outputs)).amounts.filter((amount) => firstPart(amount.owners, partOf) === index)
  })
  return { amounts: read.flat(), calls: parts.length }
}

/** Whether one of the addresses owns an output. Most wallets own little: the set is made on first use. */
function belongsTo(addresses: readonly OwnAddress[]): (entry: Utxo | TransferableOutput) => boolean {
  let hexes: ReadonlySet<string> | undefined
  return ({ output }) => {
    hexes ??= new Set(addresses.map(({ hex }) => hex))
    return outputFields(output).addresses.some((owner) => hexes?.has(owner))
  }
}

function firstPart(owners: readonly string[], partOf: ReadonlyMap<string, number>): number {
  return Math.min(...owners.map((owner) => partOf.get(owner) ?? Number.POSITIVE_INFINITY))
}

async function split(entries: readonly (Utxo | TransferableOutput)[]) {
  const amounts: OwnedAmount[] = []
  const ownersWithoutAmount: string[] = []
  await inTurns(entries, OUTPUTS_PER_TURN, (entry) => {
    const amount = ownedAmount(entry)
    if (amount) amounts.push(amount)
    else ownersWithoutAmount.push(...outputFields(entry.output).addresses)
  })
  return { amounts, ownersWithoutAmount }
}
