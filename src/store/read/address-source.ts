import { type RawBuilder, sql } from 'kysely'
import { column, rowSource } from '../bulk/rows.ts'

/**
 * `unnest(…) as w(address)`: the wanted addresses as rows. Queries loop over them (`cross join lateral`), so that each
 * address is one range of an index, whatever the planner assumes about their number.
 */
export const addressSource = (addresses: readonly string[]): RawBuilder<unknown> =>
  rowSource('w', [column<string>('address', 'bytea', (address) => address)], [...new Set(addresses)])

/** `distinct` where several of the addresses may own the same output; of one, sorting them all to find none is saved. */
export const onceEach = (addresses: readonly string[]): RawBuilder<unknown> =>
  new Set(addresses).size > 1 ? sql.raw('distinct') : sql``
