import { deepStrictEqual } from 'node:assert/strict'
import pg from 'pg'
import type { BlockRow, SpendRow, Store, UtxoRow } from '../../../src/store/index.ts'
import { ASSETS, MADE, MADE_STREAM } from '../../support/generated/fill-by-sql.ts'
import { addressOf, timeOf } from '../../support/generated/made-chain.ts'

const BLOCKS_PER_RANGE = 200

/**
 * Tells a second store through the writer what the rows of the first one say, and compares tables and answers of both.
 * Only keys of UTXOs may differ: they are hashes that SQL cannot make quickly.
 * @returns outputs and consumptions that the writer took in a second
 */
export async function expectSameRows(made: Source, written: Source, owners: number): Promise<number> {
  const client = new pg.Client({ connectionString: made.url, types: { getTypeParser } })
  await client.connect()
  const { rows } = await client.query<MadeRow>(OUTPUTS)
  const { rows: blocks } = await client.query<BlockRow>(BLOCKS)
  await client.end()
  const rate = await write(written.store, rows, blocks)
  for (const statement of TABLES) deepStrictEqual(await read(written.url, statement), await read(made.url, statement))
  for (let owner = 0; owner < 40; owner++) {
    const addresses = [addressOf(owner), addressOf((owner * 7) % owners)]
    for (const chain of [MADE, { ...MADE, letter: 'X' as const }]) {
      const [a, b] = await Promise.all([made, written].map(({ store }) => answers(store, chain, addresses)))
      deepStrictEqual(a, b)
    }
  }
  return rate
}

/** Whole numbers as the writer takes them. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return BigInt
  return pg.types.getTypeParser(oid, format ?? 'text') as (value: string) => unknown
}

export interface Source {
  url: string
  store: Store
}

interface MadeRow extends Omit<UtxoRow, 'addresses'> {
  addresses: string
  by: string | null
  consumedHeight: bigint | null
  consumedTime: bigint | null
}

async function write(store: Store, rows: readonly MadeRow[], blocks: readonly BlockRow[]): Promise<number> {
  await store.open()
  await store.writer.register(MADE_STREAM)
  const begin = performance.now()
  let count = 0
  for (let from = 0; from < blocks.length; from += BLOCKS_PER_RANGE) {
    const range = blocks.slice(from, from + BLOCKS_PER_RANGE)
    const [first] = range
    const last = range.at(-1)
    if (first === undefined || last === undefined) break
    const inside = (height: bigint | null): boolean =>
      height !== null && height >= first.height && height <= last.height
    const utxos = rows.filter((row) => inside(row.height)).map(toUtxo)
    const spends = rows.filter((row) => inside(row.consumedHeight)).map(toSpend)
    const progress = { from: first.height, parentId: first.parentId, height: last.height, blockId: last.id }
    await store.writer.commitRange(
      MADE_STREAM.name,
      { primary: { blocks: range, utxos, spends, ...(from === 0 ? { assets: ASSETS } : {}) } },
      { ...progress, time: last.time },
    )
    count += utxos.length + spends.length
  }
  return (count * 1000) / (performance.now() - begin)
}

const toUtxo = ({ by, consumedHeight, consumedTime, addresses, exportedTo, ...row }: MadeRow): UtxoRow => ({
  ...row,
  addresses: addresses.match(/.{40}/g) ?? [],
  ...(exportedTo === null ? {} : { exportedTo: 'X' as const }),
})

const toSpend = (row: MadeRow): SpendRow => ({
  txId: row.txId,
  outputIndex: row.outputIndex,
  by: row.by ?? '',
  height: row.consumedHeight ?? 0n,
  time: row.consumedTime ?? 0n,
})

async function answers(store: Store, chain: typeof MADE | { network: string; letter: 'X' }, addresses: string[]) {
  const { utxos, balances, activity } = store.reader
  const page = { chain, addresses, includeSpent: true, sortBy: 'timestamp', order: 'desc', limit: 1_000 } as const
  const listed = await utxos.list(page)
  const [all, now, then] = await Promise.all(
    [
      { ...page, includeSpent: false },
      { chain, addresses, locksAt: timeOf(1_000) },
      { chain, addresses, locksAt: timeOf(1_000), at: timeOf(50) },
    ].map((query) => ('limit' in query ? utxos.list(query) : balances.groups(query))),
  )
  const text = (value: unknown): string => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v))
  const sorted = (list: readonly unknown[]): string[] => list.map(text).sort()
  const last = await activity.last(chain, addresses)
  const { time, isConsumed } = last ?? {}
  const lists = [listed, all, now, then].map((part) => sorted(Array.isArray(part) ? part : (part?.utxos ?? [])))
  return [...lists, text({ time, isConsumed })]
}

async function read(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}

const hex = (column: string): string => `encode(${column}, 'hex')`
const OUTPUTS = `select ${hex('tx_id')} as "txId", output_index::int4 as "outputIndex", 'transfer' as kind,
  repeat(case asset when 1 then 'a0' else 'a1' end, 32) as "assetId", amount, ${hex('addresses')} as addresses,
  threshold::int4 as threshold, locktime, created_height as height, created_time as time,
  case when consumable_on <> chain then 'X' end as "exportedTo", ${hex('consumed_by')} as by,
  consumed_height as "consumedHeight", consumed_time as "consumedTime" from utxo order by created_height, output_index`
const BLOCKS = `select height, ${hex('id')} as id, ${hex('parent_id')} as "parentId", ${hex('outer_id')} as "outerId",
  ${hex('outer_parent_id')} as "outerParentId", type, time, size, array[${hex('tx_ids')}] as "txIds",
  json_build_object('nodeId', ${hex('proposer')}, 'pChainHeight', proposer_height, 'time', proposer_time) as proposer
  from block order by height`
const PLACE = 'u.tx_id, u.output_index'
/** The writer draws the numbers of assets. */
const named = (table: string): string =>
  `to_jsonb(${table}) - '{utxo,asset}'::text[] || jsonb_build_object('asset', a.id)`
const TABLES = [
  `select ${named('u')} as row from utxo u join asset a on a.number = u.asset order by ${PLACE}`,
  `select ${named('o')} as row, ${PLACE} from utxo_owner o join utxo u on u.utxo = o.utxo join asset a on a.number = o.asset
    order by ${PLACE}, o.address, o.chain`,
  `select to_jsonb(b) as row from block b order by height`,
  `select to_jsonb(a) - 'number' as row from asset a order by id`,
  `select name, height, block_id, block_time from stream`,
]
