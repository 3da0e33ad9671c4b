import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { hexParts } from '../../lib/bytes/hex-parts.ts'
import { column, rowSource } from '../bulk/rows.ts'
import { bytea } from '../bytea.ts'
import { tokenStandards } from '../codes.ts'
import type { Caller } from '../connection/index.ts'
import type { EvmBlockRow, EvmTransactionRow, TokenStandard } from '../rows/index.ts'
import type { Database } from '../schema/index.ts'
import type { OwnedDeps } from './owned.ts'

/** Position in the list of all chains' blocks. */
export interface EvmBlockCursor {
  /** Unix seconds. */
  time: bigint
  stream: number
  height: bigint
}

export interface EvmTransactionCursor extends EvmBlockCursor {
  /** Index in the block. */
  index: number
}

export type ListedEvmBlock = Omit<EvmBlockRow, 'failedCount'> & { chainId: bigint }
export type ListedEvmTransaction = EvmTransactionRow & {
  chainId: bigint
  block: { hash: string; time: bigint; timeMs?: bigint; minDelayExcess?: bigint }
}

export interface LatestQuery<Cursor> {
  /** Names of the streams to include; others may remain from another configuration. */
  streams: readonly string[]
  after?: Cursor
  limit: number
}

/** What is known about a contract. */
export interface ContractInfo {
  address: string
  standard?: TokenStandard
  name?: string
  symbol?: string
  decimals?: number
}

export interface EvmQueries {
  /** Blocks of several EVM chains, newest first; equal times by chain. */
  latestBlocks(query: LatestQuery<EvmBlockCursor>): Promise<{ blocks: ListedEvmBlock[]; next?: EvmBlockCursor }>
  /** Their transactions, newest first. @param query.success only those that succeeded, or only failed ones */
  latestTransactions(
    query: LatestQuery<EvmTransactionCursor> & { success?: boolean },
  ): Promise<{ transactions: ListedEvmTransaction[]; next?: EvmTransactionCursor }>
  /** Hash of the block at a height, hex. */
  hashAt(chainId: bigint, height: bigint): Promise<string | undefined>
  /** EVM chain id of each EVM stream, as reported by its node, by the stream's name. */
  chainIds(): Promise<Map<string, bigint>>
  /** EVM chain ids of the chains on which the address ever participated. */
  chainsOf(address: string): Promise<bigint[]>
  /**
   * Contracts of tokens that the address ever sent, received or was credited with, earliest blocks first: candidates,
   * not balances. Of an address with more than 100,000 of them, the others are ignored.
   */
  touchedTokens(chainId: bigint, address: string, limit: number, caller?: Caller): Promise<string[]>
  contracts(chainId: bigint, addresses: readonly string[]): Promise<ContractInfo[]>
}

export function createEvmQueries(db: Kysely<Database>, { numbers, dbFor }: OwnedDeps): EvmQueries {
  const among = async (streams: readonly string[]): Promise<Among> => {
    const found = (await Promise.all(streams.map(numbers.stream))).filter((one) => one !== undefined)
    const ids = found.map(({ id }) => id)
    return {
      kinds: [...new Set(found.map((one) => one.testnet))],
      condition: ids.length === 0 ? sql`false` : sql`b.stream in (${sql.join(ids)})`,
    }
  }
  return {
    async latestBlocks({ streams, after, limit }) {
      const place = after && sql`(${after.time}, ${after.stream}, ${after.height})`
      const condition = place === undefined ? sql`true` : sql`(b.time, b.stream, b.height) < ${place}`
      const query = sql<BlockRow>`
        select b.*, s.evm_chain_id from ${newestBlocks(await among(streams), condition, limit + 1)}
        join stream s on s.id = b.stream order by b.time desc, b.stream desc, b.height desc`
      const rows = (await query.execute(db)).rows
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      const next = last && { time: last.time, stream: last.stream, height: last.height }
      return { blocks: page.map(toBlock), ...(next === undefined ? {} : { next }) }
    },
    async latestTransactions({ streams, success, after, limit }) {
      const rows = (await transactions(await among(streams), success, after, limit + 1).execute(db)).rows
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      const next = last && { time: last.time, stream: last.stream, height: last.height, index: last.position }
      return { transactions: page.map(toTransaction), ...(next === undefined ? {} : { next }) }
    },
    async hashAt(chainId, height) {
      const row = await db
        .selectFrom('evm_block')
        .select('hash')
        .where('stream', '=', await numbers.evm(chainId))
        .where('height', '=', height)
        .executeTakeFirst()
      return row?.hash
    },
    async chainIds() {
      const rows = await db.selectFrom('stream').select(['name', 'evm_chain_id']).execute()
      return new Map(rows.flatMap((row) => (row.evm_chain_id === null ? [] : [[row.name, row.evm_chain_id] as const])))
    },
    async chainsOf(address) {
      const rows = await db
        .selectFrom('evm_participant as p')
        .innerJoin('stream as s', 's.id', 'p.stream')
        .select('s.evm_chain_id')
        .where('p.address', '=', bytea(address))
        .distinct()
        .execute()
      return rows.flatMap((row) => (row.evm_chain_id === null ? [] : [row.evm_chain_id]))
    },
    async touchedTokens(chainId, address, limit, caller) {
      // One row: transferring ten thousand rows takes longer than the query.
      const query = sql<{ contracts: string | null }>`
        select string_agg(encode(contract, 'hex'), '' order by first_height, contract) as contracts from (
          select * from (
            select contract, first_height from evm_holding
            where address = ${bytea(address)} and stream = ${await numbers.evm(chainId)}
            order by contract limit ${MOST_HOLDINGS}) all_held
          order by first_height, contract limit ${limit}) first_held`
      const [row] = (await query.execute(dbFor(caller))).rows
      return hexParts(row?.contracts ?? '', ADDRESS_BYTES)
    },
    async contracts(chainId, addresses) {
      const wanted = rowSource('w', [column<string>('address', 'bytea', (address) => address)], addresses)
      const query = sql<ContractRow>`select c.address, c.standard, c.name, c.symbol, c.decimals
        from ${wanted} join evm_contract c on c.address = w.address and c.stream = ${await numbers.evm(chainId)}`
      return (await query.execute(db)).rows.map(toContract)
    },
  }
}

/** Most contracts of one address that are sorted. */
const MOST_HOLDINGS = 100_000

const ADDRESS_BYTES = 20

/**
 * Streams to read, as `b`; `kinds`: whether they were of testnets when they were registered, of which there may be both.
 */
interface Among {
  kinds: readonly boolean[]
  condition: RawBuilder<unknown>
}

/**
 * `(…) b`: the first blocks in order that match the condition. The indexes begin with the kind of the network, so each
 * kind is a separate range: one query over both would read and sort all blocks of the table.
 */
function newestBlocks({ kinds, condition: wanted }: Among, condition: RawBuilder<unknown>, limit: number) {
  const order = sql`order by b.time desc, b.stream desc, b.height desc limit ${limit}`
  // Without streams the statement still needs one range; it matches no block.
  const ranges = (kinds.length === 0 ? [false] : kinds).map(
    (kind) => sql`(select * from evm_block b where b.testnet = ${kind} and ${wanted} and ${condition} ${order})`,
  )
  return sql`(select * from (${sql.join(ranges, sql` union all `)}) b ${order}) b`
}

/**
 * Blocks in order, with their transactions. Partial indexes omit blocks without matching transactions, so reading as
 * many blocks as wanted transactions is enough (plus one, where the previous page ended).
 */
function transactions(
  streams: Among,
  success: boolean | undefined,
  after: EvmTransactionCursor | undefined,
  limit: number,
): RawBuilder<TransactionRow> {
  const worth =
    success === undefined ? 'b.tx_count > 0' : success ? 'b.tx_count > b.failed_count' : 'b.failed_count > 0'
  const only = success === undefined ? sql`true` : sql`t.success = ${success}`
  const place = after && sql`(${after.time}, ${after.stream}, ${after.height})`
  const reached = place === undefined ? sql`true` : sql`(b.time, b.stream, b.height) <= ${place}`
  const rest =
    after === undefined ? sql`true` : sql`((b.time, b.stream, b.height) < ${place} or t.position < ${after.index})`
  return sql<TransactionRow>`
    select p.*, s.evm_chain_id from (
      select t.*, b.hash as block_hash, b.time, b.time_ms, b.min_delay_excess
      from ${newestBlocks(streams, sql`${sql.raw(worth)} and ${reached}`, limit + 1)}
      cross join lateral (
        select * from evm_tx t where t.stream = b.stream and t.height = b.height and ${only} and ${rest}
        order by t.position desc limit ${limit}) t
      order by b.time desc, b.stream desc, b.height desc, t.position desc limit ${limit}) p
    join stream s on s.id = p.stream order by p.time desc, p.stream desc, p.height desc, p.position desc`
}

type BlockRow = Selectable<Database['evm_block']> & { evm_chain_id: bigint | null }
type TransactionRow = Selectable<Database['evm_tx']> & {
  evm_chain_id: bigint | null
  block_hash: string
  time: bigint
  time_ms: bigint | null
  min_delay_excess: bigint | null
}
type ContractRow = Pick<Selectable<Database['evm_contract']>, 'address' | 'standard' | 'name' | 'symbol' | 'decimals'>

function toBlock(row: BlockRow): ListedEvmBlock {
  return {
    chainId: row.evm_chain_id ?? 0n,
    height: row.height,
    hash: row.hash,
    parentHash: row.parent_hash,
    time: row.time,
    ...(row.time_ms === null ? {} : { timeMs: row.time_ms }),
    ...(row.min_delay_excess === null ? {} : { minDelayExcess: row.min_delay_excess }),
    txCount: row.tx_count,
    baseFee: BigInt(row.base_fee),
    gasUsed: BigInt(row.gas_used),
    gasLimit: BigInt(row.gas_limit),
    gasCost: BigInt(row.gas_cost),
    feesSpent: BigInt(row.fees_spent),
    cumulativeTransactions: row.cumulative_transactions,
  }
}

function toTransaction(row: TransactionRow): ListedEvmTransaction {
  return {
    chainId: row.evm_chain_id ?? 0n,
    block: {
      hash: row.block_hash,
      time: row.time,
      ...(row.time_ms === null ? {} : { timeMs: row.time_ms }),
      ...(row.min_delay_excess === null ? {} : { minDelayExcess: row.min_delay_excess }),
    },
    height: row.height,
    index: row.position,
    hash: row.hash,
    from: row.sender,
    ...(row.recipient === null ? {} : { to: row.recipient }),
    ...(row.created_contract === null ? {} : { createdContract: row.created_contract }),
    value: BigInt(row.value),
    success: row.success,
    type: row.type,
    gasLimit: BigInt(row.gas_limit),
    gasUsed: BigInt(row.gas_used),
    gasPrice: BigInt(row.gas_price),
    nonce: BigInt(row.nonce),
    selector: row.selector,
  }
}

function toContract(row: { address: string } & Partial<ContractRow>): ContractInfo {
  const { address, standard, name, symbol, decimals } = row
  return {
    address,
    ...(standard === null || standard === undefined ? {} : { standard: tokenStandards.word(standard) }),
    ...(name === null || name === undefined ? {} : { name }),
    ...(symbol === null || symbol === undefined ? {} : { symbol }),
    ...(decimals === null || decimals === undefined ? {} : { decimals }),
  }
}
