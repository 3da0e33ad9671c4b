import { type Kysely, type RawBuilder, sql } from 'kysely'
import { steadyNow } from '../lib/steady-clock.ts'
import { bytea } from './bytea.ts'
import { tokenStandards } from './codes.ts'
import { nowSeconds } from './database.ts'
import type { ChainNumbers } from './read/chain-numbers.ts'
import type { NftMetadata } from './read/nft-queries.ts'
import type { Database } from './schema/index.ts'
import { queueChanged } from './write/evm/changed-nfts.ts'

/** A token whose metadata is to be fetched. */
export interface DueNft {
  chainId: bigint
  /** Number of the stream that queued the token: a chain may have an abandoned stream. */
  stream: number
  contract: string
  tokenId: bigint
  standard: 'ERC-721' | 'ERC-1155'
  /** Failed attempts since the last success. */
  attempts: number
  /** A user requested it and waits. */
  asked: boolean
  /** End of this turn, unix seconds: distinguishes it from later requests. */
  lease: bigint
}

/** Tokens that users requested, or all others. */
export type DueKind = 'asked' | 'others'

/** Identifies a turn. */
type Turn = Pick<DueNft, 'stream' | 'contract' | 'tokenId' | 'lease'>

/** Result of one attempt to fetch metadata. */
export interface FetchedMetadata extends Omit<NftMetadata, 'updatedAt'> {
  /** Unix seconds at which to try again; left out = only on request. */
  retryAt?: bigint
}

export interface NftMetadataRecords {
  /**
   * Takes tokens of one kind whose fetch is due and sets their next turn `leaseSeconds` ahead, so that several workers
   * share the queue and a killed one loses nothing. What nobody waits for comes after a step through the collections of
   * which more tokens changed than a commit queues. `without`: contracts of which none is taken. Of what nobody waits
   * for only the first thousand entries of the queue are checked then: if none of them may be taken, those that have
   * been due for long move to the end, and a later call finds what was behind them.
   */
  takeDue(limit: number, leaseSeconds: number, which: DueKind, without?: readonly string[]): Promise<DueNft[]>
  /**
   * Stores an attempt. A failed one keeps earlier results and changes only status and time; for a user's request it
   * counts as the first attempt. A token that was requested, or changed, after its turn had begun stays due: the result
   * may be older.
   */
  store(token: Turn & Pick<DueNft, 'asked'>, result: FetchedMetadata): Promise<void>
  /**
   * Returns a turn without a result. A user's request is next again, others after `waitSeconds`; a token that was
   * requested since is not changed. `attempts` count as failed from now on.
   */
  giveBack(token: Turn & Pick<DueNft, 'asked' | 'attempts'>, waitSeconds: number): Promise<void>
  /**
   * Requests a fetch now, once per `coolDownSeconds`; the last request is remembered across restarts and processes.
   * @returns `found`: whether there is such a token; `retryAfterSeconds`: it came too early, and is allowed after them
   */
  requestReindex(
    token: Pick<DueNft, 'chainId' | 'contract' | 'tokenId'>,
    coolDownSeconds: number,
  ): Promise<{ found: boolean; retryAfterSeconds?: number }>
}

/** Always due: a request must not wait behind the backlog of a chain that is being indexed. */
const ASKED = 0n

/**
 * Entries of the queue that are checked: otherwise a collection of a million tokens would be read to its end at each
 * turn.
 */
const HEAD = 1_000
/**
 * Entries due for longer than this, seconds, move to the end if they block others; not sooner, as each move is a write.
 */
const LONG_SECONDS = 600n
/** Shortest interval between such moves, milliseconds: they are work for a database that serves others meanwhile. */
const MOVE_MS = 1_000

/** The only clock that all processes share; a time in the future was written by a wrong clock. */
const databaseSeconds = sql.raw('floor(extract(epoch from clock_timestamp()))::int8')

export function createNftMetadataRecords(db: Kysely<Database>, numbers: ChainNumbers): NftMetadataRecords {
  const key = ({ stream, contract, tokenId }: Pick<DueNft, 'stream' | 'contract' | 'tokenId'>) =>
    sql`contract = ${bytea(contract)} and stream = ${stream} and token_id = ${tokenId.toString()}::numeric`
  const moveBehind = createMoveBehind(db)
  return {
    async takeDue(limit, leaseSeconds, which, without = []) {
      const now = nowSeconds()
      const lease = now + BigInt(leaseSeconds)
      const entries = which === 'asked' ? askedWithout(without) : othersWithout(now, without)
      // What was said earlier than enough others became due comes next, or than the whole head did: while none of it may be
      // taken, ever more would be queued behind it.
      const enough = sql`(select m.due_at from ${entries} order by m.due_at offset ${limit - 1} limit 1)`
      const whole = sql`(select due_at from (${head(now)}) first order by due_at offset ${HEAD - 1} limit 1)`
      if (which === 'others') await queueChanged(db, now, sql`coalesce(${enough}, ${whole}, ${now})`, without)
      const rows = await takeRows(db, entries, limit, lease)
      if (rows.length === 0 && without.length > 0 && which === 'others') await moveBehind(now, without)
      return rows.map((row) => ({
        chainId: row.evm_chain_id,
        stream: row.stream,
        contract: row.contract,
        tokenId: BigInt(row.token_id),
        standard: tokenStandards.word(row.standard) as DueNft['standard'],
        attempts: row.attempts,
        asked: which === 'asked',
        lease,
      }))
    },
    async store(token, result) {
      const found = result.status === 'INDEXED'
      const value = (text: string | number | undefined): string | number | null => text ?? null
      const members = sql`, token_uri = ${value(result.tokenUri)}, name = ${value(result.name)},
        symbol = ${value(result.symbol)}, image_uri = ${value(result.imageUri)},
        description = ${value(result.description)}, animation_uri = ${value(result.animationUri)},
        external_url = ${value(result.externalUrl)}, background = ${value(result.background)},
        attributes = ${value(result.attributes)}, properties = ${value(result.properties)},
        decimals = ${value(result.decimals)}, attempts = 0`
      const first = token.asked ? sql`, attempts = 1` : sql``
      const uri = sql`, token_uri = coalesce(${value(result.tokenUri)}, token_uri)${first}`
      await sql`update evm_nft_metadata set status = ${result.status}, updated_at = ${nowSeconds()},
        height = (select s.height from stream s where s.id = evm_nft_metadata.stream),
        due_at = case when due_at = ${token.lease} then ${result.retryAt ?? null}::int8 else due_at end ${found ? members : uri} where ${key(token)}`.execute(
        db,
      )
    },
    async giveBack(token, waitSeconds) {
      const due = token.asked ? ASKED : nowSeconds() + BigInt(waitSeconds)
      await sql`update evm_nft_metadata set due_at = ${due}, attempts = ${token.attempts}
        where ${key(token)} and due_at = ${token.lease}`.execute(db)
    },
    async requestReindex(token, coolDownSeconds) {
      const where = key({ ...token, stream: await numbers.evm(token.chainId) })
      const accepted = await sql`update evm_nft_metadata set reindexed_at = ${databaseSeconds}, due_at = ${ASKED},
        attempts = 0 where ${where} and (reindexed_at is null or reindexed_at > ${databaseSeconds}
          or reindexed_at <= ${databaseSeconds} - ${coolDownSeconds}::int8)`.execute(db)
      if (accepted.numAffectedRows === 1n) return { found: true }
      const rows = await sql<{
        passed: bigint
      }>`select ${databaseSeconds} - reindexed_at as passed from evm_nft_metadata where ${where}`.execute(db)
      const [row] = rows.rows
      if (row === undefined) return { found: false }
      return { found: true, retryAfterSeconds: Math.max(1, coolDownSeconds - Number(row.passed)) }
    },
  }
}

interface TakenRow {
  evm_chain_id: bigint
  stream: number
  contract: string
  token_id: string
  standard: number
  attempts: number
}

/** @param entries of the queue, with their condition, as `m` */
async function takeRows(
  db: Kysely<Database>,
  entries: RawBuilder<unknown>,
  limit: number,
  lease: bigint,
): Promise<TakenRow[]> {
  const { rows } = await sql<TakenRow>`
    with due as (
      select m.contract, m.stream, m.token_id from ${entries}
      order by m.due_at, m.contract, m.stream, m.token_id limit ${limit} for update of m skip locked)
    update evm_nft_metadata m set due_at = ${lease}, attempts = m.attempts + 1
    from due join stream s on s.id = due.stream
    join evm_nft n on n.contract = due.contract and n.stream = due.stream and n.token_id = due.token_id
    where m.contract = due.contract and m.stream = due.stream and m.token_id = due.token_id
    returning s.evm_chain_id, m.stream, m.contract, m.token_id, n.standard, m.attempts - 1 as attempts`.execute(db)
  return rows
}

/** Requested entries, with their condition, as `m`; each was a request, so there are few. */
const askedWithout = (without: readonly string[]): RawBuilder<unknown> =>
  sql`evm_nft_metadata m where m.due_at = ${ASKED}${exclude(sql`m.contract`, without)}`

/** All others that are due; with both ends of a range the planner would expect hardly any. */
function othersWithout(now: bigint, without: readonly string[]): RawBuilder<unknown> {
  if (without.length === 0) return sql`evm_nft_metadata m where m.due_at <= ${now} and m.due_at <> ${ASKED}`
  return sql`(${head(now)}) first
    join evm_nft_metadata m on m.contract = first.contract and m.stream = first.stream and m.token_id = first.token_id
    where m.due_at <= ${now} and m.due_at <> ${ASKED}${exclude(sql`first.contract`, without)}`
}

const exclude = (column: RawBuilder<unknown>, without: readonly string[]): RawBuilder<unknown> =>
  without.length === 0 ? sql`` : sql` and ${column} not in (${sql.join(without.map(bytea))})`

const head = (until: bigint): RawBuilder<unknown> =>
  sql`select contract, stream, token_id, due_at from evm_nft_metadata where due_at <= ${until} and due_at <> ${ASKED}
    order by due_at, contract, stream, token_id limit ${HEAD}`

/** Moves tokens of these contracts that have long been at the head of the queue behind all entries that are due now. */
function createMoveBehind(db: Kysely<Database>): (now: bigint, contracts: readonly string[]) => Promise<void> {
  let nextAt = Number.NEGATIVE_INFINITY
  return async (now, contracts) => {
    if (steadyNow() < nextAt) return
    nextAt = steadyNow() + MOVE_MS
    await sql`with moved as (
        select m.contract, m.stream, m.token_id from (${head(now - LONG_SECONDS)}) first
        join evm_nft_metadata m on m.contract = first.contract and m.stream = first.stream and m.token_id = first.token_id
        where m.due_at <= ${now - LONG_SECONDS} and m.due_at > ${ASKED}
          and m.contract in (${sql.join(contracts.map(bytea))}) for update of m skip locked)
      update evm_nft_metadata m set due_at = ${now} from moved
      where m.contract = moved.contract and m.stream = moved.stream and m.token_id = moved.token_id`.execute(db)
  }
}
