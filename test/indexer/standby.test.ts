import pg from 'pg'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import type { Indexer } from '../../src/indexer/index.ts'
import { createIndexInstruments, createMetrics } from '../../src/metrics/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { createUpstreamPool } from '../../src/upstream/index.ts'
import { startReplayNode } from '../support/replay-node/index.ts'
import { startPostgres } from '../support/store/postgres-server.ts'
import { TEST_LIMITS } from '../support/upstream/upstream-pool.ts'
import { until } from '../support/waiting/until.ts'
import { caughtUp, makeIndexer } from './stage.ts'

/** Processes over one database and one node. */
async function startTogether() {
  const server = await startPostgres()
  const node = await startReplayNode({ upTo: { P: 30, X: 10, C: 10 } })
  const pool = createUpstreamPool('recorded', [{ url: node.url }], TEST_LIMITS)
  const databaseUrl = await server.create('standby')
  const stores: Store[] = []
  const indexers: Indexer[] = []
  onTestFinished(async () => {
    await Promise.all(indexers.map((indexer) => indexer.stop()))
    await Promise.all(stores.map((store) => store.close()))
    await pool.close()
    await node.stop()
    await server.stop()
  })
  const start = async (): Promise<Indexer> => {
    const store = openStore({ databaseUrl, dataDir: '', logger: pino({ level: 'silent' }) })
    stores.push(store)
    await store.open()
    const indexer = makeIndexer({}, pool, store)
    indexers.push(indexer)
    indexer.start()
    return indexer
  }
  const sql = async (text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query(text)
    await client.end()
  }
  return { node, stores, start, sql }
}

/** Lines of /metrics that say how far the streams are, or that they are in trouble. */
async function shownOf(indexer: Indexer): Promise<string[]> {
  const { registry } = createMetrics({ version: '0', mode: 'indexer', folders: [] })
  createIndexInstruments(registry, indexer.status)
  const lines = (await registry.metrics()).split('\n')
  return lines.filter(
    (line) => /^firn_index_(height|tip|lag|failures|stalled)\w*\{/.test(line) && !/(failures|stalled).* 0$/.test(line),
  )
}

it('a second process waits and takes over when the first one goes', async () => {
  const { node, stores, start } = await startTogether()
  const first = await start()
  await caughtUp(first, [node])
  const second = await start()
  // Whether another one writes is known when the database has said so.
  expect(second.status().role).toBe('starting')
  await until(() => second.status().role === 'standby', 'the other stands by')
  expect(second.status().streams).toMatchObject([{ phase: 'standby' }, { phase: 'standby' }, {}])
  await first.stop()
  expect(first.status().role).toBe('stopped')
  node.moveTo({ P: 60, X: 30, C: 30 })
  await until(() => second.status().role === 'leading', 'taken over')
  await caughtUp(second, [node])
  const progress = await stores[1]?.reader.progress()
  expect(progress?.map(({ tip }) => Number(tip?.height)).sort()).toEqual([30, 30, 60])
})

it('a process whose database a newer version has migrated stops writing, and leads no more', async () => {
  const { node, stores, start, sql } = await startTogether()
  const first = await start()
  await caughtUp(first, [node])
  await sql(`insert into firn_migration (name, timestamp) values ('0099-later', 'then')`)
  node.moveTo({ P: 60, X: 30, C: 30 })
  await until(() => first.status().role === 'standby', 'given up')
  expect(await shownOf(first)).toEqual([])
  const progress = await stores[0]?.reader.progress()
  expect(progress?.map(({ tip }) => Number(tip?.height)).sort()).toEqual([10, 10, 30])
  await sql(`delete from firn_migration where name = '0099-later'`)
  await caughtUp(first, [node])
})
