import type { ExpressionBuilder, Kysely, Selectable } from 'kysely'
import { hexParts } from '../../lib/bytes/hex-parts.ts'
import { bytea } from '../bytea.ts'
import type { BlockProposer, BlockRow } from '../rows/index.ts'
import type { Database } from '../schema/index.ts'
import type { ChainName, ChainNumbers } from './chain-numbers.ts'

export interface ProposedBlocksQuery {
  chain: ChainName
  /** 20 bytes, hex. */
  nodeId: string
  /** Unix seconds, both inclusive. */
  from?: bigint
  to?: bigint
  after?: BlockCursor
  limit: number
}

/** The last block of a page. */
export interface BlockCursor {
  time: bigint
  height: bigint
}

export interface BlockPage {
  blocks: BlockRow[]
  /** Left out on the last page. */
  next?: BlockCursor
}

export interface BlockQueries {
  atHeight(chain: ChainName, height: bigint): Promise<BlockRow | undefined>
  /** By the id of the inner or of the outer block, hex. */
  withId(chain: ChainName, id: string): Promise<BlockRow | undefined>
  /** Newest first. */
  proposedBy(query: ProposedBlocksQuery): Promise<BlockPage>
}

type Blocks = ExpressionBuilder<Database, 'block'>

export function createBlockQueries(db: Kysely<Database>, numbers: ChainNumbers): BlockQueries {
  const byId = async (chain: number, column: 'id' | 'outer_id', id: string): Promise<BlockRow | undefined> => {
    const row = await db
      .selectFrom('block')
      .selectAll()
      .where(column, '=', bytea(id))
      .where('chain', '=', chain)
      .executeTakeFirst()
    return row && toBlock(row)
  }
  return {
    async atHeight(name, height) {
      const chain = await numbers.chain(name)
      const row = await db
        .selectFrom('block')
        .selectAll()
        .where('chain', '=', chain)
        .where('height', '=', height)
        .executeTakeFirst()
      return row && toBlock(row)
    },
    async withId(name, id) {
      const chain = await numbers.chain(name)
      return (await byId(chain, 'id', id)) ?? byId(chain, 'outer_id', id)
    },
    async proposedBy({ chain: name, nodeId, from, to, after, limit }) {
      const chain = await numbers.chain(name)
      let query = db.selectFrom('block').selectAll().where('proposer', '=', bytea(nodeId)).where('chain', '=', chain)
      if (from !== undefined) query = query.where('time', '>=', from)
      if (to !== undefined) query = query.where('time', '<=', to)
      if (after !== undefined) {
        const { time, height } = after
        query = query.where((eb: Blocks) => eb(eb.refTuple('time', 'height'), '<', eb.tuple(time, height)))
      }
      const rows = await query
        .orderBy('time', 'desc')
        .orderBy('height', 'desc')
        .limit(limit + 1)
        .execute()
      const blocks = rows.slice(0, limit).map(toBlock)
      const last = rows.length > limit ? blocks.at(-1) : undefined
      return { blocks, ...(last === undefined ? {} : { next: { time: last.time, height: last.height } }) }
    },
  }
}

const ID_BYTES = 32

function toBlock(row: Selectable<Database['block']>): BlockRow {
  const atomicTxIds = hexParts(row.atomic_tx_ids, ID_BYTES)
  const proposer = toProposer(row)
  return {
    height: row.height,
    id: row.id,
    parentId: row.parent_id,
    ...(row.outer_id === null ? {} : { outerId: row.outer_id }),
    ...(row.outer_parent_id === null ? {} : { outerParentId: row.outer_parent_id }),
    type: row.type,
    time: row.time,
    ...(row.time_ms === null ? {} : { timeMs: row.time_ms }),
    size: row.size,
    txIds: hexParts(row.tx_ids, ID_BYTES),
    ...(atomicTxIds.length === 0 ? {} : { atomicTxIds }),
    ...(proposer === undefined ? {} : { proposer }),
    ...(row.current_supply === null ? {} : { currentSupply: BigInt(row.current_supply) }),
    ...(row.l1_fees === null ? {} : { l1AccruedFees: BigInt(row.l1_fees) }),
    ...(row.l1_validators === null ? {} : { activeL1Validators: row.l1_validators }),
  }
}

function toProposer(row: Selectable<Database['block']>): BlockProposer | undefined {
  const { proposer: nodeId, proposer_height: pChainHeight, proposer_time: time } = row
  if (nodeId === null && pChainHeight === null && time === null) return undefined
  return {
    ...(nodeId === null ? {} : { nodeId }),
    ...(pChainHeight === null ? {} : { pChainHeight }),
    ...(time === null ? {} : { time }),
  }
}
