import { checkedAddress, type NodeContext } from '../node-context.ts'
import { readListedOutput } from '../utxo-chains/listed-utxo.ts'
import { FIRST_PAGE, outputBytes, type RecordedUtxo } from '../utxo-chains/utxo-sets.ts'
import { encodeAddress } from '../wire/address-text.ts'
import { hexWithChecksum, reencoded } from '../wire/binary-text.ts'
import type { Arguments } from '../wire/gorilla-arguments.ts'
import { type GorillaMethod, MethodError, NotRecordedError } from '../wire/gorilla-rpc.ts'
import { isDelegator, type Stakers } from './stakers.ts'

interface StakeLine {
  address: string
  P: { stake?: { stakedOutputs: string[] } }
}

/**
 * Without a truth about stakers: what the node listed for each address at the end. Equal outputs have equal owners, so
 * every owner's list has as many of them.
 */
function stakedAtEnd({ recordings, network }: NodeContext, owners: readonly string[]): RecordedUtxo[] {
  const wanted = new Set(owners.map((hex) => encodeAddress(network.hrp, Buffer.from(hex, 'hex'))))
  const counts = new Map<string, number>()
  for (const line of recordings.lines('network/address-state.ndjson.gz')) {
    const { address, P } = JSON.parse(line) as StakeLine
    const own = new Map<string, number>()
    if (wanted.has(address)) for (const text of P.stake?.stakedOutputs ?? []) own.set(text, (own.get(text) ?? 0) + 1)
    for (const [text, count] of own) counts.set(text, Math.max(count, counts.get(text) ?? 0))
  }
  return [...counts].flatMap(([text, count]) =>
    Array<RecordedUtxo>(count).fill(readListedOutput({ bytes: text, chain: 'P', source: 'P', hrp: network.hrp })),
  )
}

const MAX_STAKE_ADDRESSES = 256

type State = 'unlocked' | 'lockedStakeable' | 'lockedNotStakeable'

/** Go prints maps with sorted keys. */
export function sortedMap(amounts: ReadonlyMap<string, bigint>): Record<string, string> {
  return Object.fromEntries(
    [...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, String(value)]),
  )
}

export function addTo(amounts: Map<string, bigint>, asset: string, amount: bigint): void {
  amounts.set(asset, (amounts.get(asset) ?? 0n) + amount)
}

function stateOf(utxo: RecordedUtxo, now: number): State | undefined {
  if (utxo.type === 'secp.TransferOutput') return utxo.locktime <= now ? 'unlocked' : 'lockedNotStakeable'
  if (utxo.type !== 'stakeable.LockOut') return undefined
  if (utxo.locktime > now) return 'lockedNotStakeable'
  return (utxo.stakeableLocktime ?? 0) <= now ? 'unlocked' : 'lockedStakeable'
}

function balanceText(utxos: readonly RecordedUtxo[], avax: string, now: number): string {
  const sums = { unlocked: new Map(), lockedStakeable: new Map(), lockedNotStakeable: new Map() } satisfies Record<
    State,
    Map<string, bigint>
  >
  const total = new Map<string, bigint>()
  const utxoIDs: { txID: string; outputIndex: number }[] = []
  for (const utxo of utxos) {
    const state = stateOf(utxo, now)
    if (state === undefined || utxo.amount === null) continue
    addTo(sums[state], utxo.assetId, BigInt(utxo.amount))
    addTo(total, utxo.assetId, BigInt(utxo.amount))
    utxoIDs.push({ txID: utxo.txHash, outputIndex: utxo.outputIndex })
  }
  const native = (amounts: ReadonlyMap<string, bigint>): string => String(amounts.get(avax) ?? 0n)
  return JSON.stringify({
    balance: native(total),
    unlocked: native(sums.unlocked),
    lockedStakeable: native(sums.lockedStakeable),
    lockedNotStakeable: native(sums.lockedNotStakeable),
    balances: sortedMap(total),
    unlockeds: sortedMap(sums.unlocked),
    lockedStakeables: sortedMap(sums.lockedStakeable),
    lockedNotStakeables: sortedMap(sums.lockedNotStakeable),
    utxoIDs: utxoIDs.length === 0 ? null : utxoIDs,
  })
}

function stakedOutputs(
  context: NodeContext,
  stakers: Stakers,
  owners: readonly string[],
  validatorsOnly: boolean,
): RecordedUtxo[] {
  const wanted = new Set(owners.map((hex) => encodeAddress(context.network.hrp, Buffer.from(hex, 'hex'))))
  if (stakers.all().length === 0) {
    const staked = stakedAtEnd(context, owners)
    if (validatorsOnly && staked.length > 0) throw new NotRecordedError('who of them validates is not recorded')
    return staked
  }
  const outputs = new Map<string, RecordedUtxo>()
  for (const utxo of context.utxos.all()) if (utxo.kind === 'stake') outputs.set(utxo.utxoId, utxo)
  const staked: RecordedUtxo[] = []
  for (const staker of stakers.current()) {
    if (validatorsOnly && isDelegator(staker)) continue
    for (const { utxoId } of staker.stakeOutputs) {
      const utxo = outputs.get(utxoId)
      if (utxo?.addresses.some((address) => wanted.has(address))) staked.push(utxo)
    }
  }
  return staked
}

/** platform.getBalance and platform.getStake. */
export function platformBalanceMethods(context: NodeContext, stakers: Stakers): Record<string, GorillaMethod> {
  const ownersOf = (addresses: readonly string[]): string[] =>
    addresses.map((address) => checkedAddress(context.network, 'P', address))
  return {
    getBalance(args: Arguments) {
      const owners = ownersOf(args.texts('addresses'))
      const place = { chain: 'P', source: 'P' } as const
      const { utxos } = context.utxos.page(place, owners, FIRST_PAGE, Number.POSITIVE_INFINITY)
      return balanceText(utxos, context.network.avaxAssetID, context.clock())
    },
    getStake(args: Arguments) {
      const addresses = args.texts('addresses')
      const validatorsOnly = args.flag('validatorsOnly')
      const encoding = args.encoding()
      if (addresses.length > MAX_STAKE_ADDRESSES) {
        throw new MethodError(
          `${addresses.length} addresses provided but this method can take at most ${MAX_STAKE_ADDRESSES}`,
        )
      }
      const staked = stakedOutputs(context, stakers, ownersOf(addresses), validatorsOnly)
      if (encoding === 'json' && staked.length > 0) {
        throw new MethodError(`couldn't encode output ${staked[0]?.assetId} as json: unsupported encoding in method`)
      }
      const sums = new Map<string, bigint>()
      for (const utxo of staked) addTo(sums, utxo.assetId, BigInt(utxo.amount ?? 0))
      return JSON.stringify({
        staked: String(sums.get(context.network.avaxAssetID) ?? 0n),
        stakeds: sortedMap(sums),
        stakedOutputs: staked.map((utxo) => reencoded(hexWithChecksum(outputBytes(utxo)), encoding)),
        encoding,
      })
    },
  }
}
