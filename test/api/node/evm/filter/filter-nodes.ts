import { type FaultServer, startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { type EvmStage, type EvmStageOptions, startStageOver } from '../stage.ts'

/** A node of one chain, whose filters nobody else has. */
export interface FilterNode {
  /** Its newest block. */
  height: number
  server: FaultServer
  /** Methods in the order in which they were asked. */
  asked: string[]
  /** It is started anew: its filters are gone. */
  restart(): void
  /** Runs after the next call of this method was answered, before the answer goes out. */
  after: Map<string, () => void>
  /** Blocks before a filter that it is told of all the same. */
  lateEvents: number
  /** First block of which it has logs. */
  from: number
}

interface Filter {
  kind: 'eth_newFilter' | 'eth_newBlockFilter' | 'eth_newPendingTransactionFilter'
  /** Newest block that was told. */
  told: number
  /** First block of the filter's own range. */
  first: number
}

export const hex = (height: number): string => `0x${height.toString(16)}`
export const hashOf = (height: number, branch = 'a'): string =>
  `0x${branch.repeat(56)}${hex(height).slice(2).padStart(8, '0')}`
const topic = `0x${'7'.repeat(64)}`

/** A log, in every other block. */
export const logOf = (height: number, branch?: string) => ({
  address: `0x${'1'.repeat(40)}`,
  topics: [topic],
  data: '0x',
  blockNumber: hex(height),
  transactionHash: hashOf(height, 'b'),
  transactionIndex: '0x0',
  blockHash: hashOf(height, branch),
  logIndex: '0x0',
  removed: false,
})

const logsFrom = (from: number, to: number, branch: string) => {
  const found: ReturnType<typeof logOf>[] = []
  for (let height = from; height <= to; height += 1) if (height % 2 === 0) found.push(logOf(height, branch))
  return found
}

type Params = [string | { fromBlock?: string; toBlock?: string }]

function answerOf(node: FilterNode, filters: Map<string, Filter>, branch: string, method: string, params: Params) {
  const [first] = params
  const id = typeof first === 'string' ? first : ''
  const filter = filters.get(id)
  const missing = { error: { code: -32000, message: 'filter not found' } }
  switch (method) {
    case 'eth_blockNumber':
      return { result: hex(node.height) }
    case 'eth_newFilter':
    case 'eth_newBlockFilter':
    case 'eth_newPendingTransactionFilter': {
      const made = hex(Math.floor(Math.random() * 2 ** 48))
      const own = Number(typeof first === 'object' ? (first.fromBlock ?? 0) : 0)
      filters.set(made, { kind: method, told: node.height - node.lateEvents, first: own })
      return { result: made }
    }
    case 'eth_uninstallFilter':
      return { result: filters.delete(id) }
    case 'eth_getFilterChanges': {
      if (!filter) return missing
      const from = filter.told + 1
      filter.told = node.height
      if (filter.kind === 'eth_newFilter')
        return { result: logsFrom(Math.max(from, filter.first), node.height, branch) }
      if (filter.kind === 'eth_newPendingTransactionFilter') return { result: [] }
      return { result: Array.from({ length: node.height - from + 1 }, (_, at) => hashOf(from + at, branch)) }
    }
    case 'eth_getFilterLogs':
      return filter ? { result: logsFrom(0, node.height, branch) } : missing
    case 'eth_getLogs': {
      const { fromBlock, toBlock } = first as { fromBlock: string; toBlock: string }
      if (Number(toBlock) - Number(fromBlock) > 5_000) return { error: { code: -32000, message: 'too large' } }
      return {
        result: logsFrom(Math.max(Number(fromBlock), node.from), Math.min(Number(toBlock), node.height), branch),
      }
    }
    case 'eth_getBlockByHash': {
      const height = Number(`0x${id.slice(-8)}`)
      const has = height <= node.height && id === hashOf(height, branch)
      return { result: has ? { number: hex(height), hash: id } : null }
    }
    case 'eth_getBlockByNumber': {
      const height = id === 'latest' ? node.height : Number(id)
      const has = height <= node.height && height >= node.from
      return { result: has ? { number: hex(height), hash: hashOf(height, branch) } : null }
    }
  }
  return { result: null }
}

/** Nodes at these heights, behind a stage; everything ends with the test. @param branches whose blocks each has */
export async function startFilterNodes(
  heights: readonly number[],
  options: Partial<EvmStageOptions> & { branches?: readonly string[] } = {},
): Promise<{ stage: EvmStage; nodes: FilterNode[] }> {
  const nodes = await Promise.all(
    heights.map(async (height, index) => {
      const filters = new Map<string, Filter>()
      const node = {
        height,
        from: 0,
        lateEvents: 0,
        asked: [],
        after: new Map(),
        restart: () => filters.clear(),
      } as unknown as FilterNode
      node.server = await startFaultServer({
        handle: (_, body) => {
          const one = ({ id, method, params }: { id: number; method: string; params: Params }) => {
            node.asked.push(method)
            const said = answerOf(node, filters, options.branches?.[index] ?? 'a', method, params)
            const after = node.after.get(method)
            node.after.delete(method)
            after?.()
            return { jsonrpc: '2.0', id, ...said }
          }
          const asked = JSON.parse(body.toString())
          return { body: JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked)) }
        },
      })
      return node
    }),
  )
  return { stage: await startStageOver(nodes, options), nodes }
}
