import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CancelledError, DeadlineError } from '../../../../src/errors.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../../../src/store/connection/embedded/database.ts'
import { type EmbeddedPool, openEmbeddedPool } from '../../../../src/store/connection/index.ts'
import { StoreLockedError, StoreUnavailableError } from '../../../../src/store/errors.ts'
import { putDatabase } from '../../../support/store/migrated-archive.ts'
import { eventually } from '../../../support/waiting/eventually.ts'

let folder = ''
let pool: EmbeddedPool
let database: EmbeddedDatabase
const settings = () => ({ folder, statementTimeoutMs: 2_000, maxWaiting: 100, logger: pino({ level: 'silent' }) })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-embedded-'))
  await putDatabase(folder)
  pool = await openEmbeddedPool(settings(), async (worker) => {
    database = await startEmbedded(worker)
    return database
  })
  // The first statements are compiled.
  await eventually(() => run('select 1'))
})
afterAll(async () => {
  await pool.end()
  await rm(folder, { recursive: true, force: true })
})

async function run(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
  const client = await pool.connect()
  try {
    return (await client.query<unknown>(sql, parameters)).rows
  } finally {
    client.release()
  }
}

it('syncs to disk, keeps its memory small and refuses a second process', async () => {
  expect(await run('show fsync')).toEqual([{ fsync: 'on' }])
  expect(await run('show shared_buffers')).toEqual([{ shared_buffers: '16MB' }])
  await expect(openEmbeddedPool(settings())).rejects.toThrow(StoreLockedError)
  expect((await readdir(folder)).sort()).toEqual(['data', 'firn.lock'])
})

it('says which folder it is that cannot be used, and that it is not there', async () => {
  const home = await mkdtemp(join(tmpdir(), 'firn-refused-'))
  await writeFile(join(home, 'file'), '')
  const refused = join(home, 'file', 'store')
  const error: unknown = await openEmbeddedPool({ ...settings(), folder: refused }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(StoreUnavailableError)
  expect((error as Error).message).toMatch(`the folder of the embedded database cannot be used (ENOTDIR): ${refused}, `)
  await rm(home, { recursive: true })
})

it('hands out the agreed types', async () => {
  const [row] = await run('select $1::bytea as a, $2::int8 as b, 12345678901234567890.5::numeric as c, $3::int2 as d', [
    '\\x00ff',
    2n ** 62n,
    7,
  ])
  expect(row).toEqual({ a: '00ff', b: 2n ** 62n, c: '12345678901234567890.5', d: 7 })
})

it('takes every kind of parameter, also much of it at once', async () => {
  const text = `it's "ä" \\ 日本`
  const sql = `select $1::text as a, $2::bytea as b, $3::bool as c, $4::text as d, $5::text[] as e, $6::int8[] as f,
    length($7::bytea)::text || ' ' || md5($7::bytea) as g`
  const large = Buffer.alloc(3_000_000, 'ab')
  const [row] = await run(sql, [text, Buffer.from('00ff80', 'hex'), false, null, [text, null, 'a,b'], [1n, -2], large])
  const e = [text, null, 'a,b']
  const g = `3000000 ${createHash('md5').update(large).digest('hex')}`
  expect(row).toEqual({ a: text, b: '00ff80', c: false, d: null, e, f: [1n, -2n], g })
  await expect(run('select $1::text', [{}])).rejects.toThrow(TypeError)
})

it('keeps what is sent until it is answered', async () => {
  const ask = async (letter: string, length: number) => {
    const { rows } = await database.query(`select $1::text as text, pg_sleep(0.02)::text as slept`, [
      letter.repeat(length),
    ])
    return (rows[0] as { text: string }).text
  }
  const sizes = [2_000_000, 10, 1_500_000, 500, 2_000_000]
  const answers = await Promise.all(sizes.map((length, at) => ask(String(at), length)))
  expect(answers.map((text) => [new Set(text).size, text[0], text.length])).toEqual(
    sizes.map((length, at) => [1, String(at), length]),
  )
})

it('is started anew when it broke off for want of room, with all that was committed', async () => {
  await run('create table kept (number int)')
  await run('insert into kept values (1)')
  // No room for its log, as on a full disk: it breaks off in the middle, and its thread would say nothing any more.
  const [log, away] = [join(folder, 'data/pg_wal'), join(folder, 'data/pg_wal.away')]
  await rename(log, away)
  const fill = async () => {
    for (;;) {
      await run('insert into kept values (2)')
      await run('select pg_switch_wal()')
    }
  }
  await expect(fill()).rejects.toThrow(/broke off/)
  await expect(run('select 1')).rejects.toThrow(StoreUnavailableError)
  await rm(log, { recursive: true, force: true })
  await rename(away, log)
  expect(await eventually(() => run('select min(number) as first from kept'))).toEqual([{ first: 1 }])
  await run('drop table kept')
})

it('answers questions of the process before those of callers who came first, and none after its end', async () => {
  const other = await openEmbeddedPool({ ...settings(), folder: undefined })
  const client = await other.connect()
  const order: string[] = []
  const ask = async (name: 'connect' | 'own' | 'patient') => {
    const from = name === 'connect' ? other : other[name]
    const one = await from.connect()
    order.push(name)
    one.release()
  }
  const all = Promise.all([ask('connect'), ask('patient'), ask('own')])
  const ended = other.end()
  client.release()
  await Promise.all([all, ended])
  expect(order).toEqual(['own', 'connect', 'patient'])
  for (const from of [other, other.own, other.patient]) await expect(from.connect()).rejects.toThrow('closed')
})

it('gives errors their SQL state and goes on', async () => {
  await expect(run('select 1/0')).rejects.toMatchObject({ sqlState: '22012', message: 'division by zero' })
  expect(await run('select 1 as one')).toEqual([{ one: 1 }])
})

it('ends the wait for a slow statement and cleans up behind it', async () => {
  await run('create table slow (a int)')
  const client = await pool.connect()
  await client.query('begin', [])
  await client.query('insert into slow values (1)', [])
  await expect(client.query('select pg_sleep(3)', [])).rejects.toThrow(DeadlineError)
  client.release()
  await expect.poll(() => run('select * from slow').catch(() => 'busy')).toEqual([])
})

it('starts again when its thread dies, with all that was committed', async () => {
  await run('create table kept (a int)')
  await run('insert into kept values (5)')
  const client = await pool.connect()
  await client.query('begin', [])
  await client.query('insert into kept values (6)', [])
  const lost = client.query('select pg_sleep(30)', [])
  const failed = expect(lost).rejects.toThrow(StoreUnavailableError)
  await database.kill()
  await failed
  client.release()
  expect(await eventually(() => run('select * from kept'))).toEqual([{ a: 5 }])
})

it('lets one caller of the process hold the lock; the next one waits, and whoever gives up disturbs nobody', async () => {
  const { signal } = new AbortController()
  const first = await pool.hold(1, signal)
  const impatient = new AbortController()
  const gaveUp = expect(pool.hold(1, impatient.signal)).rejects.toThrow(CancelledError)
  let holds = false
  const second = pool.hold(1, signal).then((held) => {
    holds = true
    return held
  })
  impatient.abort()
  await gaveUp
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(holds).toBe(false)
  await first.release()
  await (await second).release()
  expect(holds).toBe(true)
})

it('writes nothing more once another process has its folder', async () => {
  const home = await mkdtemp(join(tmpdir(), 'firn-taken-'))
  await putDatabase(home)
  let own: EmbeddedDatabase | undefined
  const taken = await openEmbeddedPool({ ...settings(), folder: home }, async (worker) => {
    own = await startEmbedded(worker)
    return own
  })
  const other = JSON.stringify({ pid: 1, space: 'elsewhere', started: '5', token: 'other' })
  await writeFile(join(home, 'firn.lock'), other)
  // Its next beat sees it.
  await eventually(() => expect(own?.over).toBe(true))
  await expect(taken.connect()).rejects.toThrow(StoreLockedError)
  await taken.end()
  expect(await readFile(join(home, 'firn.lock'), 'utf8')).toBe(other)
  await rm(home, { recursive: true })
})

it('starts no database that died in a folder that another process has by then', async () => {
  const home = await mkdtemp(join(tmpdir(), 'firn-taken-'))
  await putDatabase(home)
  const started: EmbeddedDatabase[] = []
  const taken = await openEmbeddedPool({ ...settings(), folder: home }, async (worker) => {
    const one = await startEmbedded(worker)
    started.push(one)
    return one
  })
  const other = JSON.stringify({ pid: 1, space: 'elsewhere', started: '5', token: 'other' })
  await started[0]?.kill()
  await writeFile(join(home, 'firn.lock'), other)
  await expect(taken.connect()).rejects.toThrow(StoreLockedError)
  expect(started).toHaveLength(1)
  await taken.end()
  await rm(home, { recursive: true })
})
