import type { Db } from '../database.ts'

/** State that the node APIs cache and reload after a change. */
export type Topic = 'aliases' | 'auth'

/** A number that grows with every change of the topic, in any process: one cheap read shows whether to reload. */
export async function readGeneration(db: Db, topic: Topic): Promise<bigint> {
  const row = await db.selectFrom('node_generation').select('generation').where('topic', '=', topic).executeTakeFirst()
  return row?.generation ?? 0n
}

/** Call this in the transaction of the change; it also serialises changes of one topic. */
export async function raiseGeneration(db: Db, topic: Topic): Promise<bigint> {
  const row = await db
    .updateTable('node_generation')
    .set((eb) => ({ generation: eb('generation', '+', 1n) }))
    .where('topic', '=', topic)
    .returning('generation')
    .executeTakeFirstOrThrow()
  return row.generation
}
