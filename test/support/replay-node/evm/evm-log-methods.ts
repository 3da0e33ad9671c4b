import { type BlockNumber, decodeParams, type LogFilter, logFilter, rpcId } from './evm-arguments.ts'
import type { EvmChain, EvmLog } from './evm-chain.ts'
import { none } from './evm-network-methods.ts'
import { EvmError, type EvmMethods } from './evm-rpc.ts'

const MAX_TOPICS = 4

function matches(log: EvmLog, filter: LogFilter): boolean {
  if (filter.addresses.length > 0 && !filter.addresses.includes(log.address)) return false
  if (filter.topics.length > log.topics.length) return false
  return filter.topics.every((accepted, index) => accepted.length === 0 || accepted.includes(log.topics[index] ?? ''))
}

function logsOf(chain: EvmChain, height: number, filter: LogFilter): EvmLog[] {
  return chain.at(height).receipts.flatMap((receipt) => receipt.logs.filter((log) => matches(log, filter)))
}

/** Undefined = only logs that are pending, of which there are none. */
function range(chain: EvmChain, filter: LogFilter): { from: number; to: number } | undefined {
  const tip = BigInt(chain.tip())
  const { from = 'latest', to = 'latest' } = filter
  if (typeof from === 'bigint' && typeof to === 'bigint' && from > 0n && to > 0n && from > to) {
    throw new EvmError(-32000, 'invalid block range params')
  }
  for (const [side, asked] of Object.entries({ from, to })) {
    if (typeof asked === 'bigint' && asked > tip) {
      throw new EvmError(-32000, `requested ${side} block ${asked} after last accepted block ${tip}`)
    }
  }
  if (from === 'pending' && to === 'pending') return undefined
  if (from === 'pending') throw new EvmError(-32000, 'invalid block range params')
  const resolve = (number: BlockNumber): bigint => (typeof number === 'bigint' ? number : tip)
  if (typeof to === 'bigint' && to < resolve(from)) {
    throw new EvmError(-32000, `begin block ${resolve(from)} is greater than end block ${to}`)
  }
  return { from: Number(resolve(from)), to: Number(resolve(to)) }
}

/** Logs that match a filter, oldest first. Throws the node's texts. */
export function findLogs(chain: EvmChain, filter: LogFilter): EvmLog[] {
  if (filter.topics.length > MAX_TOPICS) throw new EvmError(-32000, 'exceed max topics')
  if (filter.blockHash !== undefined) {
    const height = chain.heightOf(filter.blockHash)
    if (height === undefined) throw new EvmError(-32000, 'unknown block')
    return logsOf(chain, height, filter)
  }
  const heights = range(chain, filter)
  const logs: EvmLog[] = []
  for (let height = heights?.from ?? 0; height <= (heights?.to ?? -1); height++)
    for (const log of logsOf(chain, height, filter)) logs.push(log)
  return logs
}

interface Filter {
  /** First height whose changes were not handed out yet. */
  next: number
  criteria: LogFilter | undefined
}

/** eth_getLogs and the filters a client polls. */
export function evmLogMethods(chain: EvmChain): EvmMethods {
  const filters = new Map<string, Filter>()
  const create = (criteria: LogFilter | undefined): string => {
    const id = `0x${(filters.size + 1).toString(16).padStart(32, '1')}`
    filters.set(id, { next: chain.tip() + 1, criteria })
    return JSON.stringify(id)
  }
  const find = (params: readonly string[]): Filter => {
    const filter = filters.get(decodeParams(params, [rpcId], 1)[0] ?? '')
    if (filter === undefined) throw new EvmError(-32000, 'filter not found')
    return filter
  }
  const changes = (filter: Filter): unknown[] => {
    const found: unknown[] = []
    for (; filter.next <= chain.tip(); filter.next++) {
      if (filter.criteria === undefined) found.push(chain.at(filter.next).block.hash)
      else found.push(...logsOf(chain, filter.next, filter.criteria))
    }
    return found
  }
  return {
    eth_getLogs(params) {
      const [filter] = decodeParams(params, [logFilter], 1)
      return filter === undefined ? '[]' : JSON.stringify(findLogs(chain, filter))
    },
    eth_newFilter: (params) => create(decodeParams(params, [logFilter], 1)[0]),
    eth_newBlockFilter: none(() => create(undefined)),
    eth_newPendingTransactionFilter: () => create(undefined),
    eth_getFilterChanges: (params) => JSON.stringify(changes(find(params))),
    eth_getFilterLogs(params) {
      const { criteria } = find(params)
      if (criteria === undefined) throw new EvmError(-32000, 'filter not found')
      return JSON.stringify(findLogs(chain, criteria))
    },
    eth_uninstallFilter: (params) => String(filters.delete(decodeParams(params, [rpcId], 1)[0] ?? '')),
    eth_unsubscribe(params) {
      decodeParams(params, [rpcId], 1)
      throw new EvmError(-32000, 'subscription not found')
    },
    eth_subscribe() {
      throw new EvmError(-32601, 'notifications not supported')
    },
  }
}
