import { type RawBuilder, sql } from 'kysely'
import { directions, letters, outputKinds } from '../codes.ts'
import type { Caller } from '../connection/index.ts'
import { prepared } from '../prepared.ts'
import type { ChainLetter, OutputKind } from '../rows/index.ts'
import { openEnd } from '../schema/primary-index.ts'
import { addressSource, onceEach } from './address-source.ts'
import type { ChainName } from './chain-numbers.ts'
import type { OwnedDeps } from './owned.ts'
import { type AssetColumns, type AssetInfo, toAsset } from './utxos/utxo-record.ts'

export interface BalanceQuery {
  chain: ChainName
  addresses: readonly string[]
  /** The time of the balance, unix seconds; left out = everything that is unconsumed in the index. */
  at?: bigint
  /**
   * Which outputs exist at `at`: created at or before it (as on a node at that chain time) or strictly before it (as in
   * the hosted service). An output consumed at `at` is gone in both.
   */
  edge?: 'inclusive' | 'strict'
  /** Time for evaluating locks and stake periods, unix seconds; for current balances a node uses its wall clock. */
  locksAt: bigint
  caller?: Caller
}

/** Outputs of one asset that agree in everything that decides their category. */
export interface BalanceGroup {
  asset: AssetInfo
  kind: OutputKind
  /** native: on this chain; exported: left for `otherChain`, not imported yet; importable: waits here to be imported. */
  direction: 'native' | 'exported' | 'importable'
  otherChain: ChainLetter
  /** `pending`: the staking period has not begun. */
  staking: 'none' | 'pending' | 'active'
  /** The output's own lock is in the future. */
  platformLocked: boolean
  /** The lock that allows only staking is in the future. */
  stakeableLocked: boolean
  /** Staked, and one of the locks outlives the staking period, which lasts until now at least while it is staked. */
  lockedAfterStaking: boolean
  amount: bigint
  utxoCount: number
}

export interface BalanceQueries {
  /** What the addresses own together; an output owned by several of them counts once. */
  groups(query: BalanceQuery): Promise<BalanceGroup[]>
}

/**
 * The time of creation, as no index has it. If it may search for it in the index of consumed outputs, Postgres 18 counts
 * a descent for each time of consumption (a skip scan), and reads the entries of all that the owner had by then instead.
 */
const UNINDEXED_CREATED = '(o.created_time + 0)'

interface GroupRow extends AssetColumns {
  kind: number
  direction: number
  other_chain: number
  staking: BalanceGroup['staking']
  platform_locked: boolean
  stakeable_locked: boolean
  locked_after: boolean
  amount: string
  utxos: bigint
}

export function createBalanceQueries({ numbers, dbFor }: OwnedDeps): BalanceQueries {
  return {
    async groups(query) {
      const chain = await numbers.chain(query.chain)
      return (await statement(query, chain).execute(dbFor(query.caller))).rows.map(toGroup)
    },
  }
}

/**
 * One range of the index of unspent outputs per address; for the past also one of the index of consumed outputs: those
 * consumed after that time that already existed.
 */
function statement(query: BalanceQuery, chain: number): RawBuilder<GroupRow> {
  const { at, locksAt } = query
  const existed = (created: string): RawBuilder<unknown> =>
    sql`${sql.raw(`${created} ${query.edge === 'strict' ? '<' : '<='}`)} ${at}`
  const entries = (alive: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select o.utxo, o.asset, o.kind, o.direction, o.other_chain, o.amount, o.locktime, o.stakeable_locktime,
      o.stake_start, o.stake_end, o.staked_until, o.created_time
    from utxo_owner o where o.address = w.address and o.chain = ${chain} and ${alive}`
  const unspent = sql`o.consumed_time = ${openEnd}`
  const alive =
    at === undefined
      ? entries(unspent)
      : sql`${entries(sql`${unspent} and ${existed('o.created_time')}`)} union all
        ${entries(sql`o.consumed_time < ${openEnd} and o.consumed_time > ${at} and ${existed(UNINDEXED_CREATED)}`)}`
  // Blocks may be some seconds ahead of the clock, and a stake that began with its block is active at once.
  const stakedAt = at ?? locksAt
  // For a future time the end of the stake is known, like locks. For now, only stake that blocks have released is free.
  const free = at === undefined ? sql`staked_until < ${openEnd}` : sql`least(staked_until, stake_end) <= ${at}`
  // For the past the best plan depends on how much an owner has: kept for all, it takes twice as long for a large one.
  return sql<GroupRow>`${at === undefined ? prepared : sql``}
    select a.id as asset_id, a.name as asset_name, a.symbol, a.denomination, a.type as asset_type, g.*
    from (
      select asset, kind, direction, other_chain,
        case when staked_until is null or ${free}
          then 'none' when stake_start > greatest(${stakedAt}, created_time) then 'pending' else 'active' end as staking,
        locktime > ${locksAt} as platform_locked,
        coalesce(stakeable_locktime > ${locksAt}, false) as stakeable_locked,
        coalesce(greatest(locktime, stakeable_locktime) > greatest(stake_end, ${locksAt}), false) as locked_after,
        sum(amount) as amount, count(*) as utxos
      from (
        select ${onceEach(query.addresses)} e.* from ${addressSource(query.addresses)} cross join lateral (${alive}) e) entries
      group by 1, 2, 3, 4, 5, 6, 7, 8) g
    join asset a on a.number = g.asset`
}

function toGroup(row: GroupRow): BalanceGroup {
  return {
    asset: toAsset(row),
    kind: outputKinds.word(row.kind),
    direction: directions.word(row.direction) as BalanceGroup['direction'],
    otherChain: letters.word(row.other_chain % 4),
    staking: row.staking,
    platformLocked: row.platform_locked,
    stakeableLocked: row.stakeable_locked,
    lockedAfterStaking: row.locked_after,
    amount: BigInt(row.amount),
    utxoCount: Number(row.utxos),
  }
}
