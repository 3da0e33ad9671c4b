import { CancelledError } from '../../../errors.ts'
import type { Db } from '../../database.ts'
import { NewerSchemaError } from '../../errors.ts'
import type { Leadership } from '../../index-writer.ts'
import { refuseNewerSchema } from '../../migrations/index.ts'
import type { FencedLeadership } from './leader-lease.ts'

/**
 * A leadership that holds as long as the schema is of this version: a newer version may migrate at any time, and
 * corrects rows of earlier versions only once. The fence checks in each commit, since a migration by another process is
 * not announced.
 * @throws NewerSchemaError; what `lead` throws
 */
export async function leadOwnSchema(
  db: Db,
  lead: () => Promise<Leadership & Partial<Pick<FencedLeadership, 'fence'>>>,
): Promise<FencedLeadership> {
  await refuseNewerSchema(db)
  const leadership = await lead()
  // While this process waited, a newer version may have migrated the schema and ended.
  await refuseNewerSchema(db).catch(async (error: unknown) => {
    await leadership.release()
    throw error
  })
  const overtaken = new AbortController()
  return {
    lost: AbortSignal.any([leadership.lost, overtaken.signal]),
    release: () => leadership.release(),
    async fence(tx) {
      await leadership.fence?.(tx)
      await refuseNewerSchema(tx).catch((error: unknown) => {
        if (error instanceof NewerSchemaError) overtaken.abort(new CancelledError(error.message))
        throw error
      })
    },
  }
}
