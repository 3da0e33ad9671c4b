import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CancelledError } from '../../src/errors.ts'
import { type Store, StoreUnavailableError } from '../../src/store/index.ts'
import { useServerStores } from '../support/store/server-stores.ts'
import { describeStores } from '../support/store/store.ts'

describeStores('store', (open, kind) => {
  it('opens when it is first used, answers probes, and is closed for good', async () => {
    const store = await open()
    expect([store.kind, store.isOpen]).toEqual([kind, false])
    await store.probes.read()
    await store.probes.write()
    await store.probes.write()
    expect(store.isOpen).toBe(true)
    expect(store.load).toMatchObject({ waiting: 0 })
    await store.close()
    await store.close()
    await expect(store.probes.read()).rejects.toThrow()
  })

  it('asks once for all who probe at once, and anew for the next', async () => {
    const store = await open()
    const [first, second] = [store.probes.progress(), store.probes.progress()]
    expect(second).toBe(first)
    expect(await first).toEqual([])
    expect(store.probes.progress()).not.toBe(first)
  })

  it('answers many at once', async () => {
    const store = await open()
    const alias = (number: number) => store.aliases.addChain({ alias: `alias ${number}`, chain: 'chain' })
    await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? alias(i) : store.reader.progress())))
    expect((await store.aliases.all()).chains).toHaveLength(20)
  })

  it('leads at once when nobody else does, and not after the signal', async () => {
    const store = await open()
    const leadership = await store.writer.lead(new AbortController().signal)
    expect(leadership.lost.aborted).toBe(false)
    await leadership.release()
    await expect(store.writer.lead(AbortSignal.abort())).rejects.toThrow(CancelledError)
  })
})

describe('store on a server', () => {
  const { server, connect } = useServerStores({ statementTimeoutMs: 2_000 })

  it('is migrated once by many that start together', async () => {
    const url = await server().create('together')
    const many = Array.from({ length: 5 }, () => connect(url))
    await Promise.all(many.map((store) => store.open()))
    await many[0]?.aliases.addChain({ alias: 'a', chain: 'b' })
    expect((await many[4]?.aliases.all())?.chains).toEqual([{ alias: 'a', chain: 'b' }])
  })

  it('has one leader; the standby takes over when its session ends', async () => {
    const url = await server().create('leaders')
    const [first, second] = [connect(url), connect(url)]
    const signal = new AbortController().signal
    // Bringing the schema up to date takes a lock as well, whose session is not to be ended below.
    await Promise.all([first.open(), second.open()])
    const held = await first.writer.lead(signal)
    let next: Awaited<ReturnType<Store['writer']['lead']>> | undefined
    const waiting = second.writer.lead(signal).then((leadership) => {
      next = leadership
      return leadership
    })
    const impatient = new AbortController()
    const gaveUp = expect(first.writer.lead(impatient.signal)).rejects.toThrow(CancelledError)
    impatient.abort()
    await gaveUp
    expect(next).toBeUndefined()
    const holder = `pid in (select pid from pg_locks where locktype = 'advisory' and granted)`
    await server().endSessions('leaders', holder)
    await expect.poll(() => held.lost.aborted).toBe(true)
    const taken = await waiting
    expect(taken.lost.aborted).toBe(false)
    await taken.release()
    await (await first.writer.lead(signal)).release()
  })

  it('says so while it may not be written to, and is written to and led as soon as another server has its place', async () => {
    const url = await server().create('demoted')
    const store = connect(url)
    const admin = new pg.Client({ connectionString: server().url('postgres') })
    await admin.connect()
    onTestFinished(() => admin.end())
    await store.probes.write()
    const { signal } = new AbortController()
    const held = await store.writer.lead(signal)
    // What is set for a database counts for connections that are made from then on: those over which nothing can be
    // written have to be left.
    await admin.query('alter database demoted set default_transaction_read_only = on')
    await server().endSessions('demoted', 'true')
    await expect.poll(() => held.lost.aborted).toBe(true)
    const refused = { name: 'StoreUnavailableError', status: 503, message: /^the database may not be written to/ }
    await expect
      .poll(() => store.probes.write().catch((error) => error))
      .toMatchObject({ ...refused, message: expect.stringMatching(refused.message) })
    await expect(store.probes.read()).resolves.toBeUndefined()
    await expect(store.writer.lead(signal)).rejects.toThrow(refused.message)
    await admin.query('alter database demoted reset default_transaction_read_only')
    // Connections to the former server are left one by one.
    await expect.poll(() => store.probes.write().catch((error) => error)).toBeUndefined()
    await (await store.writer.lead(signal)).release()
  })

  it('says that it is unavailable where its password was changed, or it is being restored', async () => {
    const url = await server().create('restored')
    const store = connect(url)
    await store.probes.read()
    await server().drop('restored')
    await expect.poll(() => store.probes.read().catch((error) => error)).toBeInstanceOf(StoreUnavailableError)
    await expect(connect(url).open()).rejects.toThrow(StoreUnavailableError)
    const other = new URL(server().url('postgres'))
    other.password = 'of-yesterday'
    await expect(connect(other.href).probes.read()).rejects.toThrow(StoreUnavailableError)
    await server().create('restored')
    await expect(store.probes.read()).rejects.toThrow('tables are missing: asset, block, ')
    await connect(url).open()
    await expect(store.probes.read()).resolves.toBeUndefined()
  })

  it('says that it is unavailable and recovers', async () => {
    const refused = connect('postgres://nobody@127.0.0.1:1/none')
    await expect(refused.probes.read()).rejects.toThrow(StoreUnavailableError)
    const url = await server().create('lost')
    const store = connect(url)
    await store.probes.read()
    await server().endSessions('lost', 'true')
    await expect
      .poll(() =>
        store.probes.read().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })
})
