import type { PostgresPoolClient } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectionPool, openEmbeddedPool, openServerPool } from '../../../src/store/connection/index.ts'
import type { BlockRow, SpendRow, Store } from '../../../src/store/index.ts'
import { migrate } from '../../../src/store/migrations/index.ts'
import { preparedName } from '../../../src/store/prepared.ts'
import { assembleStore } from '../../../src/store/store.ts'
import {
  fillGenerated,
  GENERATED,
  type GeneratedChain,
  generateChain,
  generatedEvmId,
  generatedEvmRows,
} from '../../support/generated/generated-chain.ts'
import { migratedArchive } from '../../support/store/migrated-archive.ts'
import { startPostgres } from '../../support/store/postgres-server.ts'

/*
 * Every read has to be one range of its index, also for the owner of a twentieth of all outputs: the statements that the
 * queries really send are explained on some 100,000 rows, and a scan of a whole table fails the test.
 */
const logger = pino({ level: 'silent' })
/** The embedded database is several times slower at filling; plans do not need more. */
const UTXOS = { embedded: 40_000, server: 150_000 }
const EVM_BLOCKS = 5_000

interface Sent {
  sql: string
  parameters: readonly unknown[]
}

/** Writes down the statements that go through a pool. */
function listening(pool: ConnectionPool, sent: Sent[]): ConnectionPool {
  const through = (from: { connect(): Promise<PostgresPoolClient> }) => async (): Promise<PostgresPoolClient> => {
    const client = await from.connect()
    const query = (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
      // Of writes only these: a database is filled through the same connections.
      if (from === pool || /^\s*update (evm_nft_metadata|utxo|utxo_owner) /.test(sql)) sent.push({ sql, parameters })
      return client.query(sql, parameters)
    }
    return { query: query as PostgresPoolClient['query'], release: () => client.release() }
  }
  const patient = { ...pool.patient, connect: through(pool.patient) }
  return { ...pool, connect: through(pool), patient, load: pool.load }
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: PlanNode[]
}

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

const indexNames = (nodes: readonly PlanNode[]): string[] => nodes.flatMap((node) => node['Index Name'] ?? [])
/** Whether the few assets are scanned or probed is nothing to keep. */
const ofBig = (names: readonly string[]): string[] => names.filter((name) => name !== 'asset_pkey')
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

for (const kind of ['embedded', 'server'] as const) {
  describe(`plans of queries (${kind})`, () => {
    const sent: Sent[] = []
    let pool: ConnectionPool
    let store: Store
    let chain: GeneratedChain
    let stop = async (): Promise<void> => {}

    beforeAll(async () => {
      const settings = { statementTimeoutMs: 60_000, maxWaiting: 10, logger }
      if (kind === 'server') {
        const server = await startPostgres()
        stop = () => server.stop()
        pool = openServerPool({ ...settings, databaseUrl: await server.create('plans'), size: 4 })
        await migrate(pool.patient)
      } else pool = await openEmbeddedPool({ ...settings, folder: undefined, archive: await migratedArchive() })
      store = assembleStore(kind, async () => listening(pool, sent), logger)
      chain = generateChain({ utxos: UTXOS[kind], owners: 20_000 })
      await fillGenerated(store, chain)
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
      const client = await pool.patient.connect()
      await client.query('vacuum analyze', [])
      client.release()
    }, 600_000)
    afterAll(async () => {
      await store.close()
      await stop()
    })

    async function explain(options: string, sql: string, parameters: readonly unknown[]): Promise<PlanNode> {
      const client = await pool.connect()
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (${options}) ${sql}`,
        parameters,
      )
      client.release()
      return rows[0]?.['QUERY PLAN'][0].Plan as PlanNode
    }

    /** How a query reads a table: the names of the nodes of its plans. */
    async function readsOf(table: string, run: () => Promise<unknown>): Promise<string[]> {
      sent.length = 0
      await run()
      const reads = sent.filter(({ sql }) => sql.includes(table))
      const plans = await Promise.all(reads.map(({ sql, parameters }) => explain('format json', sql, parameters)))
      const nodes = plans.flatMap(nodesOf).filter((node) => node['Relation Name'] === table)
      return nodes.map((node) => node['Node Type'])
    }

    /** Runs a query and answers the indexes that its last statement uses. */
    async function indexesOf(run: () => Promise<unknown>): Promise<string[]> {
      await run()
      sent.length = 0
      await run()
      const indexes: string[] = []
      const reads = sent.filter((entry) => /^(\/\* prepared \*\/)?\s*(select|with)/i.test(entry.sql))
      for (const { sql, parameters } of reads) {
        const nodes = nodesOf(await explain('format json', sql, parameters))
        // What is kept may be planned for any values: then the same indexes have to serve.
        if (kind === 'server' && preparedName(sql) !== undefined) {
          const generic = nodesOf(await explain('format json, generic_plan', sql, []))
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

    const owners = (count: number): string[] => Array.from({ length: count }, (_, index) => chain.address(index))

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
            const list = { ...query, chain: GENERATED, addresses: owners(count), order, limit: 100 }
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
        const query = { chain: GENERATED, addresses: owners(count), locksAt: 1_700_000_000n }
        // However much of the chain lies behind a time or before it.
        const times = [1, chain.heights >> 1, chain.heights - 1].map((height) => chain.time(height))
        for (const at of [undefined, ...times]) {
          const run = () => store.reader.balances.groups({ ...query, ...(at === undefined ? {} : { at }) })
          const used = at === undefined ? ['utxo_owner_open'] : ['utxo_owner_open', 'utxo_owner_ended']
          expect(ofBig(await indexesOf(run))).toEqual(used)
        }
      }
    })

    it('activity, rewards and stakes: ends and parts of the owners index', async () => {
      const activity = await indexesOf(() => store.reader.activity.last(GENERATED, owners(64)))
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
      expect(await indexesOf(() => blocks.atHeight(GENERATED, 77n))).toEqual(['block_pkey'])
      expect(await indexesOf(() => blocks.withId(GENERATED, 'ab'.repeat(32)))).toEqual([
        'block_by_id',
        'block_by_outer_id',
      ])
      const [block] = [await blocks.atHeight(GENERATED, 77n)]
      const query = { chain: GENERATED, nodeId: block?.proposer?.nodeId ?? '', from: 1n, to: 2_000_000_000n, limit: 10 }
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
      expect(await indexesOf(() => evm.chainsOf(chain.address(5)))).toContain('evm_participant_pkey')
      expect(await indexesOf(() => evm.touchedTokens(9n, chain.address(5), 100))).toContain('evm_holding_pkey')
      const collection = { chainId: 9n, contract: chain.address(3) }
      const list = await indexesOf(() => nfts.list(collection, { afterTokenId: 2_000n, limit: 100 }))
      expect(list).toEqual(expect.arrayContaining(['evm_nft_pkey', 'evm_nft_metadata_pkey']))
    })

    it('ends of outputs: each by its key, also of some thousand at once', async () => {
      const client = await pool.patient.connect()
      const { rows } = await client.query<Pick<SpendRow, 'txId'> & { index: bigint }>(
        `select tx_id as "txId", output_index as index from utxo
          where consumed_time is null and chain = consumable_on limit 4000`,
        [],
      )
      client.release()
      const height = BigInt(chain.heights)
      const time = chain.time(chain.heights)
      const by = 'cd'.repeat(32)
      const spends = rows.map(({ txId, index }) => ({ txId, outputIndex: Number(index), by, height, time }))
      const last = await store.reader.blocks.atHeight(GENERATED, height - 1n)
      const block = { ...last, height, id: by, parentId: last?.id, outerId: by, txIds: [by], time } as BlockRow
      sent.length = 0
      await store.writer.commitRange(
        'generated:P',
        { primary: { blocks: [block], utxos: [], spends } },
        { from: height, parentId: last?.id ?? '', height, blockId: by, time },
      )
      const used: string[][] = []
      for (const { sql, parameters } of sent.filter((entry) => entry.sql.includes('update utxo')))
        used.push(indexNames(nodesOf(await explain('format json', sql, parameters))))
      const [outputs, ...entries] = used
      expect(outputs).toEqual(['utxo_pkey'])
      expect([...new Set(entries.flat())]).toEqual(['utxo_owner_pkey'])
      expect(used.every(({ length }) => length === 1)).toBe(true)
    })

    it('a re-org: metadata from above the fork, and what is being fetched, of all that the chain has', async () => {
      const client = await pool.patient.connect()
      await client.query('update evm_nft_metadata set height = 1, due_at = null', [])
      await client.query('vacuum analyze evm_nft_metadata', [])
      client.release()
      sent.length = 0
      await store.writer.rewind('eip155:9', BigInt(EVM_BLOCKS - 3))
      const updates = sent.filter((entry) => entry.sql.startsWith('update evm_nft_metadata'))
      const plans = await Promise.all(updates.map(({ sql, parameters }) => explain('format json', sql, parameters)))
      expect(plans.map((plan) => indexNames(nodesOf(plan)))).toEqual([
        ['evm_nft_metadata_by_height'],
        ['evm_nft_metadata_due'],
      ])
    })
  })
}
