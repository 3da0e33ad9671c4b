import { blockFile, type ChainTips } from './chain-tips.ts'
import { rawMembers } from './go-json.ts'
import type { PrimaryAlias } from './recorded-network.ts'
import type { Recordings } from './recordings.ts'

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

export function createRecordedChain(recordings: Recordings, tips: ChainTips, chain: PrimaryAlias): RecordedChain {
  const blocks = recordings.lines.bind(recordings, blockFile(chain))
  const transactions = recordings.lines.bind(recordings, `network/${chain.toLowerCase()}-txs.ndjson.gz`)
  const blockIds = memoize(() => {
    const ids = new Map<string, number>()
    for (const line of blocks()) {
      const { id, height } = JSON.parse(memberOf(line, 'json')) as { id: string; height: number }
      ids.set(id, height)
    }
    return ids
  })
  const containerIds = memoize(() => {
    const ids = new Map<string, number>()
    for (let height = 1; height < blocks().length; height++) {
      ids.set((JSON.parse(memberOf(blocks().text(height), 'container')) as Container).id, height - 1)
    }
    return ids
  })
  const transactionLines = memoize(() => {
    const lines = new Map<string, { line: number; height: number }>()
    let index = 0
    for (const text of transactions()) {
      const head = /^\{"id":\s*"([^"]+)",\s*"height":\s*"?(\d+)/.exec(text)
      const { id, height } =
        head === null
          ? (JSON.parse(text) as { id: string; height: number })
          : { id: head[1] ?? '', height: Number(head[2]) }
      lines.set(id, { line: index++, height: Number(height) })
    }
    return lines
  })
  return {
    block: (height, member) => (height > tips.height(chain) ? undefined : memberOf(blocks().text(height), member)),
    heightOfBlock: (id) => {
      const height = blockIds().get(id)
      return height === undefined || height > tips.height(chain) ? undefined : height
    },
    transaction(id, member) {
      const found = transactionLines().get(id)
      if (found === undefined || found.height > tips.height(chain)) return undefined
      return memberOf(transactions().text(found.line), member)
    },
    container: (index) =>
      index >= tips.height(chain)
        ? undefined
        : (JSON.parse(memberOf(blocks().text(index + 1), 'container')) as Container),
    indexOf: (id) => {
      const index = containerIds().get(id)
      return index === undefined || index >= tips.height(chain) ? undefined : index
    },
    containers: () => tips.height(chain),
  }
}
