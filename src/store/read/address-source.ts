import type { RawBuilder } from 'kysely'
import { column, rowSource } from '../write/bulk.ts'

/**
 * `unnest(…) as w(address)`: the wanted addresses as rows. Queries loop over them (`cross join lateral`), so that each
 * address is one range of an index, whatever the planner assumes about their number.
 */
export const addressSource = (addresses: readonly string[]): RawBuilder<unknown> =>
  rowSource('w', [column<string>('address', 'bytea', (address) => address)], [...new Set(addresses)])
