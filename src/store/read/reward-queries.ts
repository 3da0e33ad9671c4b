import { type Kysely, type RawBuilder, sql } from 'kysely'
import { rewardTypes, stakerRoles } from '../codes.ts'
import type { Caller } from '../connection/index.ts'
import type { RewardType } from '../rows/index.ts'
import type { Database } from '../schema/index.ts'
import { openEnd } from '../schema/primary-index.ts'
import { addressSource, onceEach } from './address-source.ts'
import type { OwnedDeps } from './owned.ts'

/**
 * Sums over all addresses of a set, nAVAX: subnets with their own asset are excluded. An output owned by several
 * addresses counts once.
 */
export interface RewardSums {
  /** Paid rewards, by kind. */
  historical: Record<RewardType, bigint>
  /** Current stake whose outputs the addresses own. */
  stakeOwned: bigint
  /** What active stakers will pay, if they are rewarded. */
  pending: PendingRewards
}

export interface PendingRewards {
  /** Validators' own rewards. */
  validator: bigint
  /** Delegators' rewards less the delegation fees. */
  delegatorNet: bigint
}

export interface RewardQueries {
  /** For the P chain of `network` (its name in the configuration). */
  sums(network: string, addresses: readonly string[], caller?: Caller): Promise<RewardSums>
}

const primaryNetwork = sql.raw(`'\\x${'00'.repeat(32)}'::bytea`)

/**
 * Stake and rewards in AVAX. An index that does not know its network's asset yet (it is set at its start) includes all.
 */
const inAvax = (network: number) => sql`o.asset = coalesce((
  select a.number from network_identity i join asset a on a.network = i.network and a.id = i.avax_asset_id
  where i.network = ${network}), o.asset)`

export function createRewardQueries({ numbers, dbFor }: OwnedDeps): RewardQueries {
  return {
    async sums(name, addresses, caller) {
      const network = await numbers.network(name)
      const source = { wanted: addressSource(addresses), once: onceEach(addresses) }
      return dbFor(caller)
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (tx) => ({
          historical: await historical(tx, network, source),
          stakeOwned: await stakeOwned(tx, network, source),
          pending: await pending(tx, network, source),
        }))
    },
  }
}

interface Source {
  /** The addresses as rows `w`. */
  wanted: RawBuilder<unknown>
  once: RawBuilder<unknown>
}

async function historical(
  db: Kysely<Database>,
  network: number,
  { wanted, once }: Source,
): Promise<RewardSums['historical']> {
  const query = sql<{ reward_type: number; amount: string }>`
    select reward_type, sum(amount) as amount from (
      select ${once} e.* from ${wanted} cross join lateral (
        select o.utxo, o.amount, o.reward_type from utxo_owner o
        where o.address = w.address and o.chain = ${network * 4} and o.reward_type is not null
          and ${inAvax(network)}) e) paid
    group by reward_type`
  const sums = { VALIDATOR: 0n, DELEGATOR: 0n, VALIDATOR_FEE: 0n }
  for (const row of (await query.execute(db)).rows) sums[rewardTypes.word(row.reward_type)] = BigInt(row.amount)
  return sums
}

async function stakeOwned(db: Kysely<Database>, network: number, { wanted, once }: Source): Promise<bigint> {
  const query = sql<{ amount: string }>`
    select coalesce(sum(amount), 0) as amount from (
      select ${once} e.* from ${wanted} cross join lateral (
        select o.utxo, o.amount from utxo_owner o
        where o.address = w.address and o.chain = ${network * 4} and o.staked_until = ${openEnd}
          and ${inAvax(network)}) e) staked`
  return BigInt((await query.execute(db)).rows[0]?.amount ?? 0)
}

interface PendingRow {
  kind: number
  net: string
}

async function pending(db: Kysely<Database>, network: number, { wanted, once }: Source): Promise<PendingRewards> {
  const query = sql<PendingRow>`
    select s.kind, sum(s.potential_net) as net
    from (
      select ${once} e.* from ${wanted} cross join lateral (
        select o.tx_id from staker_owner o where o.address = w.address and o.network = ${network}
          and o.role = ${stakerRoles.number('reward')}) e) o
    join staker s on s.network = ${network} and s.tx_id = o.tx_id and s.ended_height is null
      and s.subnet_id = ${primaryNetwork}
    group by s.kind`
  const sums = { validator: 0n, delegatorNet: 0n }
  for (const row of (await query.execute(db)).rows) {
    if (row.kind === 0) sums.validator += BigInt(row.net)
    else sums.delegatorNet += BigInt(row.net)
  }
  return sums
}
