import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { ChainLetter, PrimaryRows, RangeProgress, Store } from '../../src/store/index.ts'
import { rowsOf } from './recorded-rows.ts'

export interface RecordedRange {
  rows: PrimaryRows
  progress: RangeProgress
}

export const LETTERS = ['X', 'C', 'P'] as const
export const recordedChain = (letter: ChainLetter) => ({ network: 'recorded', letter })

/**
 * Writes the whole recorded network. X and C go first: every import of theirs from P is written before its export.
 * @param blocks blocks of a range
 */
export async function fillRecorded(store: Store, blocks = 50): Promise<void> {
  for (const letter of LETTERS) {
    const name = `recorded:${letter}`
    const stream = { name, kind: 'primary' as const, network: 'recorded', testnet: true }
    await store.writer.register(
      letter === 'C' ? { ...stream, chain: letter, evmChainId: 43113n } : { ...stream, chain: letter },
    )
    let written = Promise.resolve()
    for (const { rows, progress } of recordedRanges(letter, blocks)) {
      const range = { primary: rows }
      // As the indexer does: while the one before is being written.
      store.writer.prepareRange(name, range)
      await written
      written = store.writer.commitRange(name, range, progress)
    }
    await written
  }
}

/** A recorded `truth/<name>.json.gz`. */
export const recordedTruth = <T>(name: string): T =>
  JSON.parse(
    gunzipSync(readFileSync(new URL(`../fixtures/network/truth/${name}.json.gz`, import.meta.url))).toString(),
  ) as T

/** All ranges of a chain, `blocks` blocks each (the last one may be shorter). */
export function recordedRanges(letter: ChainLetter, blocks: number): RecordedRange[] {
  const rows = rowsOf(letter)
  const ranges: RecordedRange[] = []
  for (let at = 0; at < rows.blocks.length; at += blocks) {
    const part = rows.blocks.slice(at, at + blocks)
    const [first] = part
    const last = part.at(-1)
    if (first === undefined || last === undefined) break
    const within = <R extends { height: bigint }>(all: R[]): R[] =>
      all.filter((row) => row.height >= first.height && row.height <= last.height)
    ranges.push({
      rows: {
        blocks: part,
        transactions: part.flatMap((block) =>
          [...(letter === 'C' ? [] : block.txIds), ...(block.atomicTxIds ?? [])].map((id, position) => ({
            id,
            height: block.height,
            position,
            type: 0,
            time: block.time,
          })),
        ),
        utxos: within(rows.utxos),
        spends: within(rows.spends),
        releases: within(rows.releases),
        staking: {
          stakers: within(rows.stakers),
          stakerChanges: within(rows.changes),
        },
      },
      progress: {
        from: first.height,
        parentId: first.parentId,
        height: last.height,
        blockId: last.id,
        time: last.time,
      },
    })
  }
  return ranges
}
