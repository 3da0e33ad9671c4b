import { type Kysely, type Selectable, sql } from 'kysely'
import { hexToBytes } from '../../lib/bytes/ids.ts'
import { bytea } from '../bytea.ts'
import type { Caller } from '../connection/index.ts'
import type { ContainerRow, TransactionRow } from '../rows/index.ts'
import type { Database } from '../schema/index.ts'
import type { ChainName } from './chain-numbers.ts'
import type { OwnedDeps } from './owned.ts'

/** Accepted blocks and transactions in order of acceptance, numbered as in a node's index API. */
export interface ContainerQueries {
  /** From `first` on, by index. */
  range(chain: ChainName, first: bigint, limit: number, caller?: Caller): Promise<ContainerRow[]>
  /** Bytes of what `range` would read, without reading them. */
  size(chain: ChainName, first: bigint, limit: number, caller?: Caller): Promise<bigint>
  /** Existing containers at these indexes, in no order. */
  atPositions(chain: ChainName, positions: readonly bigint[]): Promise<ContainerRow[]>
  withId(chain: ChainName, id: string): Promise<ContainerRow | undefined>
  last(chain: ChainName): Promise<ContainerRow | undefined>
  /** Their number from `from` up to but not including `below`. */
  count(chain: ChainName, from: bigint, below: bigint): Promise<bigint>
  transactions: {
    range(chain: ChainName, first: bigint, limit: number): Promise<NumberedTransaction[]>
    withId(chain: ChainName, id: string): Promise<NumberedTransaction | undefined>
    last(chain: ChainName): Promise<NumberedTransaction | undefined>
  }
}

export type NumberedTransaction = TransactionRow & { index: bigint }

export function createContainerQueries(db: Kysely<Database>, { numbers, dbFor }: OwnedDeps): ContainerQueries {
  const containers = async (name: ChainName, caller?: Caller) =>
    dbFor(caller)
      .selectFrom('container')
      .selectAll()
      .where('chain', '=', await numbers.chain(name))
  const transactions = async (name: ChainName) =>
    db
      .selectFrom('tx')
      .selectAll()
      .where('chain', '=', await numbers.chain(name))
  return {
    async range(name, first, limit, caller) {
      const query = (await containers(name, caller)).where('position', '>=', first).orderBy('position').limit(limit)
      return (await query.execute()).map(toContainer)
    },
    async size(name, first, limit, caller) {
      const found = (await containers(name)).where('position', '>=', first).orderBy('position').limit(limit)
      const { size } = await dbFor(caller)
        .selectFrom(found.clearSelect().select('bytes').as('found'))
        .select(sql<string | number | bigint>`coalesce(sum(octet_length(bytes)), 0)`.as('size'))
        .executeTakeFirstOrThrow()
      return BigInt(size)
    },
    async atPositions(name, positions) {
      if (positions.length === 0) return []
      return (await (await containers(name)).where('position', 'in', positions).execute()).map(toContainer)
    },
    async withId(name, id) {
      const row = await (await containers(name)).where('id', '=', bytea(id)).executeTakeFirst()
      return row && toContainer(row)
    },
    async last(name) {
      const row = await (await containers(name)).orderBy('position', 'desc').limit(1).executeTakeFirst()
      return row && toContainer(row)
    },
    async count(name, from, below) {
      const { count } = await db
        .selectFrom('container')
        .select((eb) => eb.fn.countAll<string | number | bigint>().as('count'))
        .where('chain', '=', await numbers.chain(name))
        .where('position', '>=', from)
        .where('position', '<', below)
        .executeTakeFirstOrThrow()
      return BigInt(count)
    },
    transactions: {
      async range(name, first, limit) {
        const query = (await transactions(name)).where('sequence', '>=', first).orderBy('sequence').limit(limit)
        return (await query.execute()).map(toTransaction)
      },
      async withId(name, id) {
        const row = await (await transactions(name)).where('id', '=', bytea(id)).executeTakeFirst()
        return row && toTransaction(row)
      },
      async last(name) {
        const row = await (await transactions(name)).orderBy('sequence', 'desc').limit(1).executeTakeFirst()
        return row && toTransaction(row)
      },
    },
  }
}

function toContainer(row: Selectable<Database['container']>): ContainerRow {
  return {
    index: row.position,
    id: row.id,
    height: row.height,
    bytes: hexToBytes(row.bytes),
    acceptedAt: row.accepted_at,
  }
}

function toTransaction(row: Selectable<Database['tx']>): NumberedTransaction {
  const { sequence: index, id, height, position, type, time } = row
  return { index, id, height, position, type, time }
}
