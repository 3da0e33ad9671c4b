import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { openStore, type StakerRow, type Store } from '../../src/store/index.ts'
import { useServerStores } from '../support/store/server-stores.ts'
import { eventually } from '../support/waiting/eventually.ts'
import { address, block, commit, id, listed, output, registerAll, spend } from './write/range-samples.ts'

/** Of the indexes, names and what they cover. */
const DEFINITIONS = `select indexdef from pg_indexes where tablename = 'utxo_owner' order by indexname`
const ORIGINS = `select count(*) filter (where origin is null) as old, count(origin) as of_today from utxo_owner`
const WAITING = `select query from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like 'create index%'`
const INDEXES = `select indexname from pg_indexes where tablename = 'utxo_owner' order by 1`

/** A process that opens a database, as a server does. */
const OPENING = `import { pino } from 'pino'
  import { openStore } from './src/store/index.ts'
  await openStore({ databaseUrl: process.argv[1], dataDir: '', logger: pino({ level: 'silent' }) }).open()`

describe('a database of an earlier version', () => {
  const { server, connect } = useServerStores()

  it('that has one index of intervals gets the two of today, and its rows stay', async () => {
    const url = await server().create('earlier')
    const before = connect(url)
    await registerAll(before)
    await commit(before, 'testnet:P', 0, { blocks: [block(0)], utxos: [output(1, 0), output(2, 0), output(3, 0)] })
    await commit(before, 'testnet:P', 1, { blocks: [block(1)], spends: [spend(2, 1, 4)] })
    await before.close()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const now = (await client.query(INDEXES)).rows
    // The definition that was released, without what it included.
    await client.query(`alter table utxo_owner drop column origin; drop index utxo_owner_ended;
      create index utxo_owner_interval on utxo_owner (address, chain, consumed_time, created_time, utxo);
      delete from firn_migration where name >= '0008'`)
    const after = connect(url)
    const chain = { network: 'testnet', letter: 'P' as const }
    const sums = async (at?: bigint): Promise<bigint[]> =>
      (
        await after.reader.balances.groups({
          chain,
          addresses: [address(1)],
          locksAt: 2_000n,
          ...(at === undefined ? {} : { at }),
        })
      ).map(({ amount }) => amount)
    expect([await sums(), await sums(1_000n), await sums(1_001n), await sums(999n)]).toEqual([[10n], [15n], [10n], []])
    expect((await client.query(INDEXES)).rows).toEqual(now)
    expect(now.map(({ indexname }) => indexname)).not.toContain('utxo_owner_interval')
    await client.end()
  })

  it('is left as it is by whoever must not migrate', async () => {
    const url = await server().create('not_mine')
    const logger = pino({ level: 'silent' })
    const open = async (): Promise<string> => {
      const store = openStore({ databaseUrl: url, dataDir: '', logger, migrates: false })
      const said = await store.open().then(
        () => 'open',
        (error: Error) => error.message,
      )
      await store.close()
      return said
    }
    expect(await open()).toContain('the database holds no index')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const tables = `select count(*)::int as count from pg_tables where schemaname = 'public'`
    expect((await client.query(tables)).rows).toEqual([{ count: 0 }])
    await connect(url).open()
    expect(await open()).toBe('open')
    await client.query(`delete from firn_migration where name >= '0012'`)
    expect(await open()).toContain('step 0012-renewed-stake is missing')
    await client.query(
      `insert into firn_migration values ('0012-renewed-stake', now()), ('0013-untraced', now()),
        ('0014-metadata-by-height', now()), ('0015-probe-filler', now()),
        ('0016-unread-indexes', now()), ('0017-sums-of-rewards', now()), ('0018-changed-nfts', now()),
        ('9999-later', now())`,
    )
    expect(await open()).toContain('step 9999-later')
    await client.end()
  })

  it('has no index that answers no question', async () => {
    const url = await server().create('unread_indexes')
    await connect(url).open()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const made = `select indexname from pg_indexes where tablename in ('staker', 'l1_validator') order by 1`
    const { rows } = await client.query(made)
    await client.end()
    const names = rows.map(({ indexname }) => indexname)
    expect(names).toEqual(['l1_validator_pkey', 'staker_active', 'staker_pkey'])
  })

  it('whose entries do not say where outputs came from lists old and new ones as before', async () => {
    const url = await server().create('without_origins')
    const before = connect(url)
    await registerAll(before)
    await commit(before, 'testnet:P', 0, { blocks: [block(0)], utxos: [output(1, 0), output(2, 0), output(3, 0)] })
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const now = (await client.query(DEFINITIONS)).rows
    // As released: the index goes with the column.
    await client.query(`alter table utxo_owner drop column origin;
      create index utxo_owner_open on utxo_owner (address, chain, created_time, utxo) include (amount, asset, kind,
        other_chain, direction, owners, threshold, locktime, stakeable_locktime, stake_start, stake_end, staked_until)
        where consumed_time = 9223372036854775807;
      delete from firn_migration where name >= '0009'`)
    const earlier = await listed(before, 'P')
    await before.close()
    const after = connect(url)
    expect(await listed(after, 'P', address(1), false)).toEqual(earlier)
    expect((await client.query(DEFINITIONS)).rows).toEqual(now)
    await commit(after, 'testnet:P', 1, { blocks: [block(1)], utxos: [output(4, 1)], spends: [spend(2, 1, 4)] })
    const all = await listed(after, 'P')
    expect(all.map(({ txId }) => txId).sort()).toEqual([id(1), id(2), id(3), id(4)])
    expect(await listed(after, 'P', address(1), false)).toEqual(all.filter(({ consumed }) => consumed === undefined))
    expect((await client.query(ORIGINS)).rows).toEqual([{ old: '3', of_today: '1' }])
    await client.end()
  })

  it('in which renewed stake ends with its first period gets the ends of the newest ones, in lists and locks', async () => {
    const url = await server().create('renewals')
    const before = connect(url)
    await registerAll(before)
    const begin = { start: 1_000n, end: 2_000n }
    const staked = (n: number, owner = n) =>
      output(n, 0, { outputIndex: 1, stake: begin, stakeableLocktime: 2_500n, addresses: [address(owner), address(9)] })
    const staker = (n: number, end = begin.end): StakerRow => ({
      ...{ txId: id(n), kind: 'validator', subnetId: id(0), nodeId: address(n), weight: 5n, ...begin, end },
      ...{ height: 0n, time: 1_000n, firstStakeOutput: 1, stakeOutputs: 1, potentialReward: 1n, potentialNet: 1n },
    })
    // Renewed; renewed and gone; in its first period; one of before Durango, which began later than it was accepted.
    await commit(before, 'testnet:P', 0, {
      blocks: [block(0)],
      utxos: [staked(1), staked(2), staked(3), output(4, 0, { outputIndex: 1, stake: { start: 1_500n, end: 2_000n } })],
      staking: { stakers: [staker(1), staker(2), staker(3), { ...staker(4), start: 1_500n }] },
    })
    const started = { ...begin, start: 2_000n, end: 3_000n, weight: 6n, potentialReward: 1n, potentialNet: 1n }
    const ended = { height: 1n, time: 1_001n, outcome: 'aborted' as const }
    await commit(before, 'testnet:P', 1, {
      blocks: [block(1)],
      staking: {
        stakerChanges: [
          { txId: id(1), started },
          { txId: id(2), started, ended },
        ],
      },
      releases: [{ txId: id(2), outputIndex: 1, time: 1_001n }],
    })
    const chain = { network: 'testnet', letter: 'P' as const }
    const held = async (store: Store) => [
      (await listed(store, 'P', address(9))).map(({ txId, stake }) => [txId, stake?.end]).sort(),
      (await listed(store, 'P', address(1), false)).map(({ txId, stake }) => [txId, stake?.end]).sort(),
      (await store.reader.balances.groups({ chain, addresses: [address(9)], locksAt: 1_500n }))
        .map(({ staking, lockedAfterStaking, utxoCount }) => [staking, lockedAfterStaking, utxoCount])
        .sort(),
    ]
    const first = [1, 2, 3].map((n) => [id(n), 2_000n])
    expect((await held(before))[0]).toEqual(first)
    await before.close()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`delete from firn_migration where name >= '0012'`)
    await client.end()
    const [all, unspent, locks] = await held(connect(url))
    expect(all).toEqual([...[1, 2].map((n) => [id(n), 3_000n]), [id(3), 2_000n]])
    expect(unspent).toEqual([
      [id(1), 3_000n],
      [id(4), 2_000n],
    ])
    expect(locks).toEqual([
      ['active', false, 1],
      ['active', true, 1],
      ['none', false, 1],
    ])
  })

  it('is locked by a step no longer than that step takes, and read while an index is made', async () => {
    const url = await server().create('stepwise')
    const store = connect(url)
    await registerAll(store)
    await commit(store, 'testnet:P', 0, { blocks: [block(0)], utxos: [output(1, 0)] })
    await store.close()
    const [client, writer] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
    await Promise.all([client.connect(), writer.connect()])
    const { rows } = await client.query(
      'select count(*) as steps, count(distinct xmin::text) as commits from firn_migration',
    )
    expect(rows[0].commits).toBe(rows[0].steps)
    await client.query(`delete from firn_migration where name >= '0010'`)
    // The index has to wait for this writer; who reads does not wait behind it.
    await writer.query('begin; update utxo_owner set kind = kind')
    const after = connect(url)
    const opening = after.open()
    await eventually(async () => expect((await client.query(WAITING)).rows).toHaveLength(1))
    expect((await client.query('select count(*) from utxo_owner')).rows).toEqual([{ count: '1' }])
    await writer.query('commit')
    await opening
    expect(await listed(after, 'P', address(1), false)).toHaveLength(1)
    await Promise.all([client.end(), writer.end()])
  })

  it('is brought up to date by the next start where a process was killed within a step', async () => {
    const url = await server().create('killed')
    const store = connect(url)
    await registerAll(store)
    await commit(store, 'testnet:P', 0, { blocks: [block(0)], utxos: [output(1, 0)] })
    const [client, writer] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
    await Promise.all([client.connect(), writer.connect()])
    const steps = async () => (await client.query('select name from firn_migration order by 1')).rows
    const [now, indexes] = [await steps(), (await client.query(DEFINITIONS)).rows]
    await store.close()
    await client.query(`delete from firn_migration where name >= '0010'`)
    const held = await steps()
    await writer.query('begin; update utxo_owner set kind = kind')
    const killed = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', OPENING, url], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const gone = once(killed, 'exit')
    await eventually(async () => expect((await client.query(WAITING)).rows).toHaveLength(1))
    killed.kill('SIGKILL')
    await gone
    const after = connect(url)
    const opening = after.open()
    expect(await steps()).toEqual(held)
    await writer.query('commit')
    await opening
    expect(await steps()).toEqual(now)
    expect((await client.query(DEFINITIONS)).rows).toEqual(indexes)
    expect(await listed(after, 'P', address(1), false)).toHaveLength(1)
    await Promise.all([client.end(), writer.end()])
  })

  it('that a newer one has migrated meanwhile is no longer led, not by who waited for the lead either', async () => {
    const url = await server().create('overtaken')
    const [leading, waiting] = [connect(url), connect(url)]
    const { signal } = new AbortController()
    const held = await leading.writer.lead(signal)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const tries = `select count(*)::int as n from pg_stat_activity where datname = current_database()
      and query like '%pg_try_advisory_lock%' and pid <> pg_backend_pid()
      and pid not in (select pid from pg_locks where locktype = 'advisory')`
    const taken = waiting.writer.lead(signal).catch((error) => error)
    await eventually(async () => expect((await client.query(tries)).rows).toEqual([{ n: 1 }]))
    await client.query(`insert into firn_migration (name, timestamp) values ('0099-later', 'then')`)
    await held.release()
    const newer = { message: expect.stringMatching('schema of a newer version of this program .step 0099-later') }
    expect(await taken).toMatchObject(newer)
    expect(await leading.writer.lead(signal).catch((error) => error)).toMatchObject(newer)
    await client.query(`delete from firn_migration where name = '0099-later'`)
    await (await waiting.writer.lead(signal)).release()
    await client.end()
  })

  it('that a newer one migrates is not written to by who leads: the lead is given up with the next range', async () => {
    const url = await server().create('overtaken_leader')
    const store = connect(url)
    const held = await store.writer.lead(new AbortController().signal)
    await registerAll(store)
    await commit(store, 'testnet:P', 0, { blocks: [block(0)] })
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`insert into firn_migration (name, timestamp) values ('0099-later', 'then')`)
    expect(held.lost.aborted).toBe(false)
    await expect(commit(store, 'testnet:P', 1, { blocks: [block(1)] })).rejects.toThrow('newer version of this program')
    await expect(store.writer.rewind('testnet:P', 0n)).rejects.toThrow('newer version of this program')
    expect(held.lost.aborted).toBe(true)
    expect((await client.query('select height from block')).rows).toEqual([{ height: '0' }])
    await held.release()
    await client.end()
  })

  it('of a newer one is left alone, and said to be it', async () => {
    const url = await server().create('newer')
    const store = connect(url)
    await store.open()
    await store.close()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`insert into firn_migration (name, timestamp) values ('0099-later', 'then')`)
    await expect(connect(url).open()).rejects.toThrow(
      'the database has the schema of a newer version of this program (step 0099-later), and this one cannot go back: start that version',
    )
    await client.query(`delete from firn_migration where name = '0099-later'`)
    await connect(url).open()
    await client.end()
  })
})
