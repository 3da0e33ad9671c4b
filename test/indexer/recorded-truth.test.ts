import { expect, it } from 'vitest'
import { hexId, type TruthBlock } from '../store/recorded-rows.ts'
import { fillRecorded } from '../store/recorded-truth.ts'
import { recordedLines } from '../support/recorded/recordings.ts'
import { dumpTable, openVisibleStore, type Row } from './database-dump.ts'
import { startStage } from './stage.ts'

const ENVELOPE = ['outer_id', 'outer_parent_id', 'proposer', 'proposer_height', 'proposer_time']

it.each([
  { way: 'containers', node: {}, hidden: [] },
  { way: 'blocks by height', node: { faults: { indexOff: true } }, hidden: ENVELOPE },
])(
  'the recorded network read as $way gives what an independent program found',
  async ({ node, hidden }) => {
    const stage = await startStage({ nodes: [node] })
    const truth = await openVisibleStore()
    await fillRecorded(truth.store)
    await stage.caughtUp()
    for (const table of ['utxo', 'utxo_owner', 'staker', 'staker_owner', 'block']) {
      const [found, expected] = await Promise.all([dumpTable(stage.sql, table), dumpTable(truth.sql, table)])
      compare(table, found.map(comparable(table, hidden)), expected.map(comparable(table, hidden)))
    }
    await truth.store.close()
    await checkBlockDetails(await dumpTable(stage.sql, 'block'), await dumpTable(stage.sql, 'tx'))
  },
  180_000,
)

function compare(table: string, found: Row[], expected: Row[]): void {
  const wrong = expected.flatMap((row, i) => (text(row) === text(found[i]) ? [] : [{ expected: row, found: found[i] }]))
  expect(wrong.slice(0, 3), `${wrong.length} of ${expected.length} in ${table}`).toEqual([])
  expect(found.length).toBe(expected.length)
  expect(expected.length).toBeGreaterThan(30)
}

const text = (row: Row | undefined): string =>
  JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))

/** Takes out what the independent program does not tell, or tells by another name. */
function comparable(table: string, hidden: readonly string[]): (row: Row) => Row {
  const without = (row: Row, names: readonly string[]): Row =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))
  if (table === 'utxo') return (row) => without(row, ['signatures'])
  if (table === 'staker') return (row) => (row['stake_outputs'] === 0 ? without(row, ['first_stake_output']) : row)
  if (table !== 'block') return (row) => row
  return (row) => {
    const first = row['height'] === 0n ? ['size', 'current_supply', 'l1_fees', 'l1_validators'] : []
    // A raw block is its own container.
    const raw = row['outer_id'] === row['id'] ? { ...row, outer_id: null } : row
    return without(raw, ['time_ms', 'type', ...first, ...hidden])
  }
}

type TruthLine = TruthBlock & { timestampMs: number | null; txTypes?: string[] }

/** Types and milliseconds of every block, and the place of every transaction in the order of acceptance. */
async function checkBlockDetails(blocks: Row[], transactions: Row[]): Promise<void> {
  const truth = new Map(recordedLines<TruthLine>('truth/blocks').map((block) => [hexId(block.id), block]))
  for (const row of blocks) {
    const { chain, type, timestampMs } = truth.get(String(row['id'])) ?? {}
    expect([row['type'], row['time_ms']]).toEqual([
      chain === 'C' ? 'Standard' : type,
      timestampMs == null ? null : BigInt(timestampMs),
    ])
  }
  const chains = [...new Set(transactions.map((row) => row['chain']))]
  for (const chain of chains) {
    const found = transactions.filter((row) => row['chain'] === chain)
    expect(found.map((row) => row['sequence'])).toEqual(found.map((_, i) => BigInt(i)))
    const letter = ['P', 'X', 'C'].find((name) => isOf(truth, name, String(found[0]?.['id'])))
    const expected = [...truth.values()]
      .filter((block) => block.chain === letter)
      .sort((a, b) => a.height - b.height)
      .flatMap((block) => (letter === 'C' ? (block.atomicTxs ?? []) : (block.txs ?? [])))
    expect(found.map((row) => row['id'])).toEqual(expected.map(hexId))
  }
}

const isOf = (truth: Map<string, TruthLine>, letter: string, txId: string): boolean =>
  [...truth.values()].some(
    ({ chain, txs, atomicTxs }) =>
      chain === letter && [...(txs ?? []), ...(atomicTxs ?? [])].some((id) => hexId(id) === txId),
  )
