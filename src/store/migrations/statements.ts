import { type Kysely, sql } from 'kysely'

/** Runs the statements of a step one by one, in the transaction of the migration. */
export async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
