import { expect, it, onTestFinished } from 'vitest'
import { writeEvmState } from '../../../../src/indexer/evm/evm-state.ts'
import { createEvmLayer } from '../../../../src/indexer/evm/index.ts'
import { createSettlement, WrongReceiptsError } from '../../../../src/indexer/evm/proof/index.ts'
import type { RpcReceipt } from '../../../../src/indexer/evm/rpc-block.ts'
import type { SourceBlock } from '../../../../src/indexer/primary/sources/source-block.ts'
import type { StreamProgress } from '../../../../src/store/rows/index.ts'
import { createPlainPool } from '../../../support/upstream/plain-pool.ts'
import { dumpEvm } from '../evm-stage.ts'
import { FIRST, LAST, recordedBlocks, startSettlingNode, startSettlingStage, type Tale } from '../settling-chain.ts'

// C since Helicon: what came of a block is in no hash until a later block settles it.

const more = (receipt: RpcReceipt | undefined): void => {
  const [log] = receipt?.logs ?? []
  if (log) Object.assign(log, { data: log.data.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) })
}
const failed = (receipt: RpcReceipt | undefined): void => void Object.assign(receipt ?? {}, { status: '0x0' })
/** Another token than the one that moved, and no filter that would give it away. */
const another = (receipt: RpcReceipt | undefined): void => {
  for (const log of receipt?.logs ?? []) {
    const { topics } = log
    Object.assign(log, { topics: topics.map((topic, at) => (at === 3 ? `0x${'7'.repeat(64)}` : topic)) })
  }
  Object.assign(receipt ?? {}, { logsBloom: undefined })
}

it('believes what later blocks settle, one block after the other and all at once', () => {
  const settlement = createSettlement()
  for (const block of recordedBlocks()) settlement.follow(block)
  expect(recordedBlocks().filter(({ receipts }) => receipts.length > 0).length).toBeGreaterThan(15)
})

it('finds every receipt that was told wrongly, at the block that settles it', () => {
  const settledBy = recordedBlocks().map(({ block }) => Number(block.settledHeight))
  let found = 0
  for (const [at, { block, receipts }] of recordedBlocks().entries()) {
    const settler = settledBy.findIndex((height) => height >= Number(block.number))
    if (receipts.length === 0 || settler < 0) continue
    const lie = recordedBlocks()
    failed(lie[at]?.receipts.at(-1))
    const settlement = createSettlement()
    for (const one of lie.slice(0, settler)) settlement.follow(one)
    expect(() => settlement.follow(lie[settler] as (typeof lie)[number])).toThrow(WrongReceiptsError)
    found++
  }
  expect(found).toBeGreaterThan(12)
})

it('goes on behind blocks that no block had settled, and says nothing where it has not seen all of them', () => {
  // 124 settles up to 121, 125 up to 124.
  const unsettled = () => recordedBlocks().filter(({ block }) => [122, 123, 124].includes(Number(block.number)))
  const next = recordedBlocks().find(({ block }) => Number(block.number) === 125)
  if (!next) throw new Error('no such block')
  const settlement = createSettlement()
  settlement.resume(unsettled())
  settlement.follow(next)
  const wrong = unsettled()
  failed(wrong[0]?.receipts[0])
  settlement.resume(wrong)
  expect(() => settlement.follow(next)).toThrow('122 to 124')
  settlement.resume(unsettled().slice(1))
  settlement.follow(next)
  settlement.resume([])
  settlement.follow(next)
  // One that is not behind the last: what lies between them is not known, and what it settles neither.
  settlement.resume([])
  for (const block of recordedBlocks()) if (![118, 119].includes(Number(block.block.number))) settlement.follow(block)
})

let known: Promise<Record<string, string[]>> | undefined

/** What an index holds that nobody lied to: indexed once for all tests. */
function truth(): Promise<Record<string, string[]>> {
  known ??= (async () => {
    const stage = await startSettlingStage([await startSettlingNode()])
    stage.grow(LAST)
    await stage.at(LAST)
    return dumpEvm(stage.sql)
  })()
  return known
}

const TALES: Record<string, Tale> = {
  'an amount, in a block that is settled by itself': (height, [first]) => void (height === 121 && more(first)),
  'an amount, in a block that is settled with others': (height, [first]) => void (height === 124 && more(first)),
  'which NFT': (height, [first]) => void (height === 127 && another(first)),
  'two blocks that are settled together': (height, [first]) => {
    if (height === 122) another(first)
    if (height === 124) more(first)
  },
  'every block that is settled': (height, receipts) => {
    if (height > 133) return
    receipts.forEach(more)
    receipts.forEach(another)
    receipts.filter(({ logs }) => logs.length === 0).forEach(failed)
  },
  'an outcome': (height, [, , last]) => void (height === 133 && failed(last)),
}

it.each(Object.entries(TALES))('writes anew what was stored of a lie about %s', async (_, tale) => {
  const liar = await startSettlingNode(tale)
  const stage = await startSettlingStage([liar, await startSettlingNode()])
  for (let height = FIRST; height <= LAST; height++) {
    stage.grow(height)
    await stage.at(height)
  }
  expect(await dumpEvm(stage.sql)).toEqual(await truth())
})

it('finds the right receipts beside a node that has none of these blocks', async () => {
  const liar = await startSettlingNode(TALES['an amount, in a block that is settled with others'])
  const synced = await startSettlingNode((height) => {
    if (height <= 124) throw new Error('receipts length mismatch: 0 vs 1')
  })
  const stage = await startSettlingStage([liar, synced, await startSettlingNode()])
  stage.grow(124n)
  await stage.at(124n)
  stage.grow(LAST)
  await stage.at(LAST)
  expect(await dumpEvm(stage.sql)).toEqual(await truth())
})

it('names the tokens of blocks that are written anew, also where they were named before', async () => {
  const node = await startSettlingNode()
  const pool = createPlainPool(node.url)
  onTestFinished(() => pool.close())
  const layer = createEvmLayer(pool, '')
  const { signal } = new AbortController()
  const wanted = recordedBlocks().map(({ block }) => {
    return { height: BigInt(block.number), id: block.hash.slice(2), block: { extData: new Uint8Array() } }
  })
  const upTo124 = wanted.filter(({ height }) => height <= 124n) as unknown as SourceBlock<never>[]
  await layer.fetch(upTo124, signal)
  const tip = { height: 124n, blockId: upTo124.at(-1)?.id ?? '' }
  const state = writeEvmState({ count: 12n, unsettled: ['told', 'other', 'wise'] })
  const written = await layer.unsettled({ tip, state } as StreamProgress, signal)
  expect(written?.rows.contracts?.map(({ name }) => name)).toEqual(['Token', 'Token'])
})

/** Account that an import in block 114 gave to, and of which no other block tells. */
const IMPORTER = '72e523175bffa9bab8c82b0bae578f28d59c0af7'

it('keeps whom imports gave to in blocks that are written anew', async () => {
  const node = await startSettlingNode()
  const pool = createPlainPool(node.url)
  onTestFinished(() => pool.close())
  const tip = { height: FIRST, blockId: recordedBlocks()[0]?.block.hash.slice(2) ?? '' }
  const state = writeEvmState({ count: 12n, unsettled: ['told otherwise'] })
  const { signal } = new AbortController()
  const written = await createEvmLayer(pool, '').unsettled({ tip, state } as StreamProgress, signal)
  expect(written?.rows.participants?.map(({ address }) => address)).toContain(IMPORTER)
})

it('stores nothing wrong where the lie and the block that settles it come in one page', async () => {
  const liar = await startSettlingNode(TALES['which NFT'])
  const stage = await startSettlingStage([liar, await startSettlingNode()])
  await stage.at(FIRST)
  stage.grow(LAST)
  await stage.at(LAST)
  expect(await dumpEvm(stage.sql)).toEqual(await truth())
})

it('asks another node where one says what no receipt can say', async () => {
  const broken = await startSettlingNode((height, [first]) => {
    const [log] = first?.logs ?? []
    if (height === 124 && log) Object.assign(log, { data: '00' })
  })
  const stage = await startSettlingStage([broken, await startSettlingNode()])
  stage.grow(124n)
  await stage.at(124n)
  stage.grow(LAST)
  await stage.at(LAST)
  expect(await dumpEvm(stage.sql)).toEqual(await truth())
})

it('stands where everybody lies, says which blocks, and goes on when one tells the truth', async () => {
  const node = await startSettlingNode((height, receipts) => {
    if (height === 122) receipts.forEach(another)
    if (height === 124) receipts.forEach(more)
  })
  const stage = await startSettlingStage([node])
  stage.grow(124n)
  await stage.at(124n)
  stage.grow(LAST)
  await expect.poll(() => stage.status()?.error).toContain('122 to 124')
  expect((await stage.store.reader.progress())[0]?.tip?.height).toBe(124n)
  node.tale = () => undefined
  await stage.at(LAST)
  expect(await dumpEvm(stage.sql)).toEqual(await truth())
})

it('knows behind a new start what it had stored, and writes again only what is told otherwise', async () => {
  const node = await startSettlingNode(TALES['an amount, in a block that is settled with others'])
  const stage = await startSettlingStage([node])
  stage.grow(124n)
  await stage.at(124n)
  const versions = () => stage.sql('select height, xmin::text as version from evm_block order by height')
  const [before, asked] = [await versions(), node.asked.length]
  await stage.again()
  await stage.at(124n)
  // Read again, as they are part of what 125 settles, but not written.
  expect(node.asked.slice(asked)).toEqual(expect.arrayContaining([122, 123, 124]))
  expect(node.asked.slice(asked)).not.toContain(121)
  expect(await versions()).toEqual(before)
  node.tale = () => undefined
  await stage.again()
  await stage.at(124n)
  expect((await versions()).slice(0, 8)).toEqual(before.slice(0, 8))
  expect((await versions()).slice(8)).not.toEqual(before.slice(8))
  stage.grow(LAST)
  await stage.at(LAST)
  expect(await dumpEvm(stage.sql)).toEqual(await truth())
})
