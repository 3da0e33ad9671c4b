import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/index.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import type { TruthBlock } from '../recorded-rows.ts'
import { recordedChain, recordedRanges } from '../recorded-truth.ts'

/** Blocks of a store that holds the recorded network. */
export function blockQueries(store: () => Store): void {
  it('are found by height, inner and outer id, and by proposer in a time window', () => checkBlocks(store()))
}

async function checkBlocks(store: Store): Promise<void> {
  const blocks = recordedLines<TruthBlock>('truth/blocks').filter((block) => block.chain === 'P')
  const nodes = new Set(blocks.flatMap((block) => block.proposerNodeID ?? []))
  const rows = recordedRanges('P', 1).flatMap((range) => range.rows.blocks ?? [])
  for (const row of rows.filter((_, index) => index % 40 === 0)) {
    expect(await store.reader.blocks.atHeight(recordedChain('P'), row.height)).toEqual(row)
    expect(await store.reader.blocks.withId(recordedChain('P'), row.id)).toEqual(row)
    if (row.outerId !== undefined)
      expect(await store.reader.blocks.withId(recordedChain('P'), row.outerId)).toEqual(row)
  }
  expect(nodes.size).toBeGreaterThan(1)
  const nodeId = rows.find((row) => row.proposer?.nodeId !== undefined)?.proposer?.nodeId ?? ''
  const own = rows.filter((row) => row.proposer?.nodeId === nodeId).reverse()
  const [from, to] = [own[10]?.time ?? 0n, own[2]?.time ?? 0n]
  const first = await store.reader.blocks.proposedBy({ chain: recordedChain('P'), nodeId, from, to, limit: 3 })
  const after = first.next
  const rest =
    after &&
    (await store.reader.blocks.proposedBy({ chain: recordedChain('P'), nodeId, from, to, after, limit: 1_000 }))
  const wanted = own.filter((row) => row.time >= from && row.time <= to)
  expect([...first.blocks, ...(rest?.blocks ?? [])]).toEqual(wanted)
  expect(rest?.next).toBeUndefined()
}
