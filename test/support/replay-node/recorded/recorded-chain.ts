import { rawMembers } from '../wire/go-json.ts'
import { blockFile, type ChainTips } from './chain-tips.ts'
import type { PrimaryAlias } from './recorded-network.ts'
import type { RecordedLines, Recordings } from './recordings.ts'

export interface Container {
  id: string
  bytes: string
  timestamp: string
  index: string
}

/** Blocks and transactions of the P- or X-chain, and every chain's containers, as far as the tip has come. */
export interface RecordedChain {
  /** JSON text of one member of a block's line; undefined beyond the tip. */
  block(height: number, member: string): string | undefined
  heightOfBlock(id: string): number | undefined
  /** JSON text of one member of a transaction's line; undefined when it is not accepted yet. */
  transaction(id: string, member: string): string | undefined
  container(index: number): Container | undefined
  /** Index of an accepted container. */
  indexOf(id: string): number | undefined
  /** Number of accepted containers: genesis has none. */
  containers(): number
}

function memoize<T>(create: () => T): () => T {
  let value: { it: T } | undefined
  return () => {
    value ??= { it: create() }
    return value.it
  }
}

function memberOf(line: string, name: string): string {
  return new Map(rawMembers(line)).get(name) ?? 'null'
}

const containerOf = (line: string): Container => JSON.parse(memberOf(line, 'container')) as Container

function indexBlocks(blocks: RecordedLines): Map<string, number> {
  const ids = new Map<string, number>()
  for (const line of blocks) {
    const { id, height } = JSON.parse(memberOf(line, 'json')) as { id: string; height: number }
    ids.set(id, height)
  }
  return ids
}

/** Genesis has none. Indexers ask for each of them a thousand times. */
const readContainers = (blocks: RecordedLines): Container[] =>
  Array.from({ length: Math.max(0, blocks.length - 1) }, (_, index) => containerOf(blocks.text(index + 1)))

function indexTransactions(transactions: RecordedLines): Map<string, { line: number; height: number }> {
  const lines = new Map<string, { line: number; height: number }>()
  let line = 0
  for (const text of transactions) {
    const id = String(JSON.parse(memberOf(text, 'id')))
    lines.set(id, { line: line++, height: Number(JSON.parse(memberOf(text, 'height'))) })
  }
  return lines
}

export function createRecordedChain(recordings: Recordings, tips: ChainTips, chain: PrimaryAlias): RecordedChain {
  const blocks = (): RecordedLines => recordings.lines(blockFile(chain))
  const transactions = (): RecordedLines => recordings.lines(`network/${chain.toLowerCase()}-txs.ndjson.gz`)
  const blockIds = memoize(() => indexBlocks(blocks()))
  const containers = memoize(() => readContainers(blocks()))
  const containerIds = memoize(() => new Map(containers().map(({ id }, index) => [id, index])))
  const transactionLines = memoize(() => indexTransactions(transactions()))
  const tip = (): number => tips.height(chain)
  const below = (number: number | undefined, end: number): number | undefined =>
    number !== undefined && number < end ? number : undefined
  return {
    block: (height, member) => (height > tip() ? undefined : memberOf(blocks().text(height), member)),
    heightOfBlock: (id) => below(blockIds().get(id), tip() + 1),
    transaction(id, member) {
      const found = transactionLines().get(id)
      if (found === undefined || found.height > tip()) return undefined
      return memberOf(transactions().text(found.line), member)
    },
    container: (index) => (index >= tip() ? undefined : containers()[index]),
    indexOf: (id) => below(containerIds().get(id), tip()),
    containers: tip,
  }
}
