import { expect, it } from 'vitest'
import { type EmbeddedDatabase, startEmbedded } from '../../../src/store/connection/embedded/database.ts'
import { takeDatabase } from './emptied-databases.ts'
import { migratedArchive } from './migrated-archive.ts'

/** All rows of all tables, and where their sequences stand. */
async function contentOf(database: EmbeddedDatabase): Promise<Map<string, unknown>> {
  const relations = await database.query(
    `select quote_ident(relname) as name from pg_class
      where relkind in ('r', 'S') and relnamespace = 'public'::regnamespace order by relname`,
    [],
  )
  const content = new Map<string, unknown>()
  for (const { name } of relations.rows as { name: string }[])
    content.set(name, (await database.query(`select * from ${name}`, [])).rows)
  return content
}

it('a database that was closed is given out again as a new one', async () => {
  const settings = { folder: undefined, archive: await migratedArchive() }
  const made = await startEmbedded(settings)
  const untouched = await contentOf(made)
  const { rows: searched } = await made.query('show search_path', [])
  await made.close()

  const used = await takeDatabase(settings)
  for (const statement of [
    `insert into node_chain_alias (alias, chain) values ('money', 'P')`,
    `update node_generation set generation = 7 where topic = 'aliases'`,
    `set search_path to nowhere`,
    'begin',
  ])
    await used.query(statement, [])
  await used.close()

  const again = await takeDatabase(settings)
  expect(again.over).toBe(false)
  expect(await contentOf(again)).toEqual(untouched)
  expect((await again.query('show search_path', [])).rows).toEqual(searched)
  await again.kill()
  expect(again.over).toBe(true)
})
