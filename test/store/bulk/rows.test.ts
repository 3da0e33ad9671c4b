import fc from 'fast-check'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Column, column, rowSource } from '../../../src/store/bulk/rows.ts'
import { type ConnectionPool, openEmbeddedPool, openServerPool } from '../../../src/store/connection/index.ts'
import { RangeContentError } from '../../../src/store/errors.ts'
import type { Database } from '../../../src/store/schema/index.ts'
import { type PostgresServer, startPostgres } from '../../support/store/postgres-server.ts'

const logger = pino({ level: 'silent' })

interface Row {
  small: number | undefined
  middle: number | null
  large: bigint | number
  amount: bigint | undefined
  bytes: string | Uint8Array | undefined
  key: string
  flag: boolean
  word: string | undefined
  owner: string | undefined
}

const COLUMNS: Column<Row>[] = [
  column('small', 'int2', (row) => row.small),
  column('middle', 'int4', (row) => row.middle),
  column('large', 'int8', (row) => row.large),
  column('amount', 'numeric', (row) => row.amount),
  column('bytes', 'bytea', (row) => row.bytes),
  column('key', 'uuid', (row) => row.key),
  column('flag', 'bool', (row) => row.flag),
  column('word', 'text', (row) => row.word),
  column('owner', 'jsonb', (row) => row.owner),
]

const optional = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(one, { nil: undefined })
const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes).toString('hex'))
const edges = fc.constantFrom(0n, 9_999n, 10_000n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n, 10n ** 20n, -(10n ** 8n))
const row: fc.Arbitrary<Row> = fc.record({
  small: optional(fc.integer({ min: -32_768, max: 32_767 })),
  middle: fc.option(fc.integer()),
  large: fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.maxSafeInteger()),
  amount: optional(fc.oneof(edges, fc.bigInt({ min: -(2n ** 80n), max: 2n ** 255n }))),
  bytes: optional(fc.oneof(hex(0), hex(3), fc.uint8Array())),
  key: hex(16),
  flag: fc.boolean(),
  word: optional(fc.string({ unit: 'grapheme' })),
  owner: optional(fc.json()),
})
// Columns that are the same throughout travel once, and so do single rows.
const rows = fc.oneof(
  fc.array(row, { maxLength: 12 }),
  fc.tuple(row, fc.integer({ min: 1, max: 5 })).map(([one, times]) => Array<Row>(times).fill(one)),
)

/** As the drivers hand it out. */
const expected = (one: Row) => ({
  small: one.small ?? null,
  middle: one.middle,
  large: BigInt(one.large),
  amount: one.amount === undefined ? null : String(one.amount),
  bytes:
    one.bytes === undefined ? null : typeof one.bytes === 'string' ? one.bytes : Buffer.from(one.bytes).toString('hex'),
  key: one.key,
  flag: one.flag,
  word: one.word?.replaceAll('\0', '') ?? null,
  owner: one.owner ?? null,
})

function describeRows(title: string, open: () => Promise<ConnectionPool>): void {
  describe(title, () => {
    let pool: ConnectionPool
    let db: Kysely<Database>
    beforeAll(async () => {
      pool = await open()
      db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
    })
    afterAll(() => pool.end())

    const read = async (all: readonly Row[]) => {
      const names = sql.raw(
        COLUMNS.map(({ name }) => (name === 'key' ? `replace(key::text, '-', '') as key` : name)).join(),
      )
      const query = sql<Record<string, unknown>>`select ${names} from ${rowSource('r', COLUMNS, all)}`
      return (await query.execute(db)).rows
    }

    it('arrive as they are, in their order', async () => {
      await fc.assert(
        fc.asyncProperty(rows, async (all) => {
          expect(await read(all)).toEqual(all.map(expected))
        }),
        { numRuns: 150 },
      )
    })

    it('are refused when a value is none of its type', async () => {
      const [good] = fc.sample(row, 1)
      if (!good) throw new Error('no row')
      const bad: Partial<Row>[] = [
        { bytes: 'abc' },
        { bytes: 'zz' },
        { key: 'ab' },
        { small: 32_768 },
        { large: 2n ** 63n },
      ]
      for (const wrong of [...bad, { large: 1.5 }]) {
        await expect(read([good, { ...good, ...wrong }])).rejects.toThrow(
          'small' in wrong || wrong.large === 2n ** 63n ? RangeError : RangeContentError,
        )
      }
    })
  })
}

let server: PostgresServer | undefined
afterAll(() => server?.stop())

describeRows('rows of a bulk write (embedded)', () =>
  openEmbeddedPool({ folder: undefined, statementTimeoutMs: 20_000, maxWaiting: 10, logger }),
)
describeRows('rows of a bulk write (server)', async () => {
  server = await startPostgres()
  return openServerPool({
    databaseUrl: await server.create('rows'),
    size: 2,
    statementTimeoutMs: 20_000,
    maxWaiting: 10,
    logger,
  })
})
