import type { Db } from '../database.ts'

/** What the node APIs keep in memory and have to read again when it changed. */
export type Topic = 'aliases' | 'auth'

/** A number that grows with every change of the topic, in any process: one cheap read tells whether to load again. */
export async function readGeneration(db: Db, topic: Topic): Promise<bigint> {
  const row = await db.selectFrom('node_generation').select('generation').where('topic', '=', topic).executeTakeFirst()
  return row?.generation ?? 0n
}

/** To be called in the transaction of the change; it also puts changes of one topic in a row. */
export async function raiseGeneration(db: Db, topic: Topic): Promise<bigint> {
  const row = await db
    .updateTable('node_generation')
    .set((eb) => ({ generation: eb('generation', '+', 1n) }))
    .where('topic', '=', topic)
    .returning('generation')
    .executeTakeFirstOrThrow()
  return row.generation
}
