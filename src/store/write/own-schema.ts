import { CancelledError } from '../../errors.ts'
import type { Db } from '../database.ts'
import { NewerSchemaError } from '../errors.ts'
import type { Leadership } from '../index-writer.ts'
import { refuseNewerSchema } from '../migrations/index.ts'
import type { FencedLeadership } from './leader-lease.ts'

/**
 * A leadership that holds as long as the schema is of this version: a newer one may migrate at any time, and corrects only
 * once what earlier ones wrote. The fence looks in each commit, since nobody is told that another process has migrated.
 * @throws NewerSchemaError; what `lead` throws
 */
export async function leadOwnSchema(
  db: Db,
  lead: () => Promise<Leadership & Partial<Pick<FencedLeadership, 'fence'>>>,
): Promise<FencedLeadership> {
  await refuseNewerSchema(db)
  const leadership = await lead()
  // It may have been waited for while a newer version came, went, and left its schema.
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
