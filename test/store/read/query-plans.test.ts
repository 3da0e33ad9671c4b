import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectionPool, openEmbeddedPool, openServerPool } from '../../../src/store/connection/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { migrate } from '../../../src/store/migrations/index.ts'
import { preparedName } from '../../../src/store/prepared.ts'
import { assembleStore } from '../../../src/store/store.ts'
import { fillBySql, MADE } from '../../support/generated/fill-by-sql.ts'
import { generatedAddress, generatedEvmId, generatedEvmRows } from '../../support/generated/generated-chain.ts'
import { addressOf, PER_BLOCK, timeOf } from '../../support/generated/made-chain.ts'
import { commitEnds } from '../../support/store/ended-outputs.ts'
import { explain, indexNames, listening, type Sent } from '../../support/store/explained.ts'
import { migratedArchive } from '../../support/store/migrated-archive.ts'
import { startPostgres } from '../../support/store/postgres-server.ts'

/*
 * Every read has to be one range of its index, also for the owner of a twentieth of all outputs: the statements that the
 * queries really send are explained on some 100,000 rows, and a scan of a whole table fails the test.
 */
const logger = pino({ level: 'silent' })
/** The embedded database is several times slower at filling; plans do not need more. */
const UTXOS = { embedded: 40_000, server: 150_000 }
const OWNERS = 20_000
const EVM_BLOCKS = 5_000

const BIG = [
  'utxo',
  'utxo_owner',
  'block',
  'evm_block',
  'evm_tx',
  'evm_nft',
  'evm_nft_metadata',
  'evm_participant',
  'evm_holding',
]

/** Whether the few assets are scanned or probed is nothing to keep. */
const ofBig = (names: readonly string[]): string[] => names.filter((name) => name !== 'asset_pkey')

/** A new database with the schema. */
async function openDatabase(kind: 'embedded' | 'server'): Promise<{ pool: ConnectionPool; stop(): Promise<void> }> {
  const settings = { statementTimeoutMs: 60_000, maxWaiting: 10, logger }
  if (kind === 'embedded') {
    const pool = await openEmbeddedPool({ ...settings, folder: undefined, archive: await migratedArchive() })
    return { pool, stop: async () => {} }
  }
  const server = await startPostgres()
  const pool = openServerPool({ ...settings, databaseUrl: await server.create('plans'), size: 4 })
  await migrate(pool.patient)
  return { pool, stop: () => server.stop() }
}

async function runOn(pool: ConnectionPool, statements: readonly string[]): Promise<void> {
  const client = await pool.patient.connect()
  for (const statement of statements) await client.query(statement, [])
  client.release()
}

for (const kind of ['embedded', 'server'] as const) {
  describe(`plans of queries (${kind})`, () => {
    const sent: Sent[] = []
    let pool: ConnectionPool
    let store: Store
    const heights = UTXOS[kind] / PER_BLOCK
    let stop = async (): Promise<void> => {}

    beforeAll(async () => {
      ;({ pool, stop } = await openDatabase(kind))
      store = assembleStore(kind, async () => listening(pool, sent), logger)
      await fillBySql({ connect: () => pool.patient.connect(), store, utxos: UTXOS[kind], owners: OWNERS })
      await store.writer.register({ name: 'eip155:9', kind: 'evm', testnet: true, evmChainId: 9n })
      await store.writer.register({ name: 'eip155:8', kind: 'evm', testnet: false, evmChainId: 8n })
      await store.writer.commitRange(
        'eip155:9',
        { evm: generatedEvmRows(0, EVM_BLOCKS - 1) },
        {
          from: 0n,
          parentId: generatedEvmId(0),
          height: BigInt(EVM_BLOCKS - 1),
          blockId: generatedEvmId(EVM_BLOCKS),
          time: 1n,
        },
      )
      await runOn(pool, ['vacuum analyze'])
    }, 600_000)
    afterAll(async () => {
      await store.close()
      await stop()
    })

    /** How a query reads a table: the names of the nodes of its plans. */
    async function readsOf(table: string, run: () => Promise<unknown>): Promise<string[]> {
      sent.length = 0
      await run()
      const reads = sent.filter(({ sql }) => sql.includes(table))
      const plans = await Promise.all(reads.map((statement) => explain(pool, statement)))
      const nodes = plans.flat().filter((node) => node['Relation Name'] === table)
      return nodes.map((node) => node['Node Type'])
    }

    /** Runs a query and answers the indexes that its last statement uses. */
    async function indexesOf(run: () => Promise<unknown>): Promise<string[]> {
      await run()
      sent.length = 0
      await run()
      const indexes: string[] = []
      const reads = sent.filter((entry) => /^(\/\* prepared \*\/)?\s*(select|with)/i.test(entry.sql))
      for (const statement of reads) {
        const { sql } = statement
        const nodes = await explain(pool, statement)
        // What is kept may be planned for any values: then the same indexes have to serve.
        if (kind === 'server' && preparedName(sql) !== undefined) {
          const generic = await explain(pool, { sql, parameters: [] }, ', generic_plan')
          expect(ofBig(indexNames(generic))).toEqual(ofBig(indexNames(nodes)))
        }
        const whole = nodes.filter(
          (node) => node['Node Type'] === 'Seq Scan' && BIG.includes(node['Relation Name'] ?? ''),
        )
        expect(whole.map((node) => [node['Relation Name'], sql])).toEqual([])
        indexes.push(...indexNames(nodes))
      }
      return indexes
    }

    const owners = (count: number): string[] => Array.from({ length: count }, (_, index) => addressOf(index))

    it('UTXO lists: each sort has its index, for one owner and for 1,024', async () => {
      const after = { value: 1_700_100_000n, key: '7'.repeat(32) }
      const cases = [
        { includeSpent: false, sortBy: 'timestamp', index: 'utxo_owner_open' },
        { includeSpent: true, sortBy: 'timestamp', index: 'utxo_owner_pkey' },
        { includeSpent: false, sortBy: 'amount', index: 'utxo_owner_open_amount' },
        { includeSpent: true, sortBy: 'amount', index: 'utxo_owner_amount' },
      ] as const
      for (const { index, ...query } of cases) {
        for (const count of [1, 64, 1_024]) {
          for (const order of ['asc', 'desc'] as const) {
            const list = { ...query, chain: MADE, addresses: owners(count), order, limit: 100 }
            for (const more of [{}, { after }]) {
              expect(await indexesOf(() => store.reader.utxos.list({ ...list, ...more }))).toEqual(
                expect.arrayContaining([index, 'utxo_pkey']),
              )
            }
          }
        }
      }
    })

    it('balances: the index of unspent outputs, and for the past that of ended ones too', async () => {
      for (const count of [1, 64]) {
        const query = { chain: MADE, addresses: owners(count), locksAt: 1_700_000_000n }
        // However much of the chain lies behind a time or before it.
        const times = [1, heights >> 1, heights - 1].map(timeOf)
        for (const at of [undefined, ...times]) {
          const run = () => store.reader.balances.groups({ ...query, ...(at === undefined ? {} : { at }) })
          const used = at === undefined ? ['utxo_owner_open'] : ['utxo_owner_open', 'utxo_owner_ended']
          expect(ofBig(await indexesOf(run))).toEqual(used)
        }
      }
    })

    it('activity, rewards and stakes: ends and parts of the owners index', async () => {
      const activity = await indexesOf(() => store.reader.activity.last(MADE, owners(64)))
      expect(activity).toEqual(expect.arrayContaining(['utxo_owner_pkey', 'utxo_owner_ended']))
      const rewards = await indexesOf(() => store.reader.rewards.sums('generated', owners(64)))
      expect(rewards).toEqual(expect.arrayContaining(['utxo_owner_reward', 'utxo_owner_staked']))
    })

    it('rewards and stakes: what is summed stands in the indexes, for one owner and for 64', async () => {
      for (const count of [1, 64]) {
        const sums = () => store.reader.rewards.sums('generated', owners(count))
        expect(await readsOf('utxo_owner', sums)).toEqual(['Index Only Scan', 'Index Only Scan'])
      }
    })

    it('blocks: by height, by either id, by proposer in a window', async () => {
      const { blocks } = store.reader
      expect(await indexesOf(() => blocks.atHeight(MADE, 77n))).toEqual(['block_pkey'])
      expect(await indexesOf(() => blocks.withId(MADE, 'ab'.repeat(32)))).toEqual(['block_by_id', 'block_by_outer_id'])
      const [block] = [await blocks.atHeight(MADE, 77n)]
      const query = { chain: MADE, nodeId: block?.proposer?.nodeId ?? '', from: 1n, to: 2_000_000_000n, limit: 10 }
      expect(await indexesOf(() => blocks.proposedBy(query))).toEqual(['block_by_proposer'])
    })

    it('EVM lists: newest blocks, transactions by outcome, chains and tokens of an address, NFTs', async () => {
      const { evm, nfts } = store.reader
      const after = { time: 1_700_005_000n, stream: 1_000, height: 2_500n, index: 2 }
      const one = { streams: ['eip155:9'], limit: 100 }
      // Of both kinds of networks, as it is asked without a `network`.
      const both = { streams: ['eip155:9', 'eip155:8'], limit: 100 }
      for (const which of [one, both]) {
        expect(await indexesOf(() => evm.latestBlocks({ ...which, after }))).toContain('evm_block_latest')
        expect(await indexesOf(() => evm.latestBlocks(which))).toContain('evm_block_latest')
        expect(await indexesOf(() => evm.latestTransactions({ ...which, after }))).toContain('evm_tx_pkey')
        expect(await indexesOf(() => evm.latestTransactions(which))).toEqual(
          expect.arrayContaining(['evm_block_latest', 'evm_tx_pkey']),
        )
        expect(await indexesOf(() => evm.latestTransactions({ ...which, success: false }))).toEqual(
          expect.arrayContaining(['evm_block_with_failure', 'evm_tx_pkey']),
        )
      }
      expect(await indexesOf(() => evm.chainsOf(generatedAddress(5)))).toContain('evm_participant_pkey')
      expect(await indexesOf(() => evm.touchedTokens(9n, generatedAddress(5), 100))).toContain('evm_holding_pkey')
      const collection = { chainId: 9n, contract: generatedAddress(3) }
      const list = await indexesOf(() => nfts.list(collection, { afterTokenId: 2_000n, limit: 100 }))
      expect(list).toEqual(expect.arrayContaining(['evm_nft_pkey', 'evm_nft_metadata_pkey']))
    })

    it('ends of outputs: each by its key, also of some thousand at once', async () => {
      const last = await store.reader.blocks.atHeight(MADE, BigInt(heights - 1))
      sent.length = 0
      await commitEnds(store, 'generated:P', { height: heights, parentId: last?.id, count: 4_000 })
      await expectKeys(pool, sent)
    })

    it('a re-org: metadata from above the fork, and what is being fetched, of all that the chain has', async () => {
      await runOn(pool, ['update evm_nft_metadata set height = 1, due_at = null', 'vacuum analyze evm_nft_metadata'])
      sent.length = 0
      await store.writer.rewind('eip155:9', BigInt(EVM_BLOCKS - 3))
      const updates = sent.filter((entry) => entry.sql.startsWith('update evm_nft_metadata'))
      const plans = await Promise.all(updates.map((statement) => explain(pool, statement)))
      expect(plans.map(indexNames)).toEqual([['evm_nft_metadata_by_height'], ['evm_nft_metadata_due']])
    })
  })

  it(`ends of outputs in a young index: each by its key, with and without statistics (${kind})`, async () => {
    const { pool, stop } = await openDatabase(kind)
    const sent: Sent[] = []
    const store = assembleStore(kind, async () => listening(pool, sent), logger)
    await store.writer.register({ name: 'young:P', kind: 'primary', network: 'young', testnet: true, chain: 'P' })
    for (const height of [0, 2, 4]) {
      sent.length = 0
      await commitEnds(store, 'young:P', { height, count: 2_000 })
    }
    // As before the first ANALYZE, which may have been there in the background.
    const tables = "('utxo'::regclass, 'utxo_owner'::regclass)"
    await runOn(pool, [
      `delete from pg_statistic where starelid in ${tables}`,
      `update pg_class set reltuples = -1, relpages = 0 where oid in ${tables}`,
    ])
    await expectKeys(pool, sent)
    await runOn(pool, ['vacuum analyze'])
    await expectKeys(pool, sent)
    await store.close()
    await stop()
  })
}

/** How the statements that end outputs find them: by the whole key, one row after the other. */
async function expectKeys(pool: ConnectionPool, sent: readonly Sent[]): Promise<void> {
  const updates = sent.filter(({ sql }) => /^\s*update utxo/.test(sql))
  // Spent, released and prolonged, each with the entries of its owners.
  expect(updates).toHaveLength(6)
  for (const statement of updates) {
    const reads = (await explain(pool, statement)).filter(
      (node) => node['Relation Name'] && node['Node Type'] !== 'ModifyTable',
    )
    const [read] = reads
    const isOutput = read?.['Relation Name'] === 'utxo'
    expect(reads).toHaveLength(1)
    expect(read).toMatchObject({ 'Node Type': 'Index Scan', 'Index Name': isOutput ? 'utxo_pkey' : 'utxo_owner_pkey' })
    for (const column of isOutput ? ['network', 'utxo'] : ['address', 'chain', 'created_time, utxo'])
      expect(read?.['Index Cond']).toContain(column)
  }
}
