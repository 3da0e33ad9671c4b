/**
 * How an answer depends on the chain. `hash`: on what a hash names (a block, or what is in one), so that a non-empty
 * answer is final; `number`: on the block in this parameter; `fixed`: on its parameters only; `settled`: on the node's
 * configuration; `tip`: on the newest block.
 */
export type Dependence =
  | { on: 'hash'; finalWhen?: string; isBlock?: true }
  | { on: 'number'; parameter: number; height?: boolean }
  | { on: 'range' }
  | { on: 'fixed' }
  | { on: 'settled' }
  | { on: 'tip'; height?: boolean }

/** Properties of one read. */
export interface EvmRead {
  depends: Dependence
  /**
   * A node that lags, or was state-synced and has no old blocks, answers null for what others have: another node is
   * asked before null is accepted.
   */
  mayBeMissing?: true
  /** A single node may know it, namely the one that accepted it: all nodes are asked before null is accepted. */
  mayBePending?: true
  /** Appears in the result in place of null. */
  missing?: string
}

/** Transactions, receipts and logs that are in an accepted block; a pending transaction has `null` here. */
export const IN_BLOCK = '"blockHash":"0x'

const byHash: EvmRead = { depends: { on: 'hash' }, mayBeMissing: true }
const blockByHash: EvmRead = { depends: { on: 'hash', isBlock: true }, mayBeMissing: true }
const inBlock: EvmRead = { depends: { on: 'hash', finalWhen: IN_BLOCK }, mayBeMissing: true }
const byNumber: EvmRead = { depends: { on: 'number', parameter: 0 }, mayBeMissing: true }
const withHeight: EvmRead = { depends: { on: 'number', parameter: 0, height: true }, mayBeMissing: true }
const rawByHash: EvmRead = { ...byHash, missing: '"0x"' }
const rawByNumber: EvmRead = { ...byNumber, missing: '"0x"' }
const stateAt = (parameter: number): EvmRead => ({ depends: { on: 'number', parameter } })
const tip: EvmRead = { depends: { on: 'tip' } }
const settled: EvmRead = { depends: { on: 'settled' } }

/**
 * Reads that may be shared and cached. Everything else (txpool, pending, traces because of their size, what a node says
 * about itself) is asked each time. Chains under /ext accept blocks for good, so there are no reorganisations to wait
 * for.
 */
const EVM_READS: Readonly<Record<string, EvmRead>> = {
  eth_chainId: settled,
  net_version: settled,
  web3_sha3: { depends: { on: 'fixed' } },

  eth_blockNumber: { depends: { on: 'tip', height: true } },
  eth_gasPrice: tip,
  eth_baseFee: tip,
  eth_maxPriorityFeePerGas: tip,
  eth_suggestPriceOptions: tip,
  eth_getChainConfig: tip,
  eth_getActiveRulesAt: tip,
  eth_getActivePrecompilesAt: tip,

  eth_getBlockByHash: blockByHash,
  eth_getHeaderByHash: blockByHash,
  eth_getBlockTransactionCountByHash: byHash,
  eth_getUncleCountByBlockHash: byHash,
  eth_getTransactionByBlockHashAndIndex: byHash,
  eth_getRawTransactionByBlockHashAndIndex: rawByHash,
  eth_getRawTransactionByHash: { ...rawByHash, mayBePending: true },
  eth_getTransactionByHash: { ...inBlock, mayBePending: true },
  eth_getTransactionReceipt: inBlock,

  eth_getBlockByNumber: withHeight,
  eth_getHeaderByNumber: withHeight,
  eth_getBlockReceipts: byNumber,
  eth_getBlockTransactionCountByNumber: byNumber,
  eth_getUncleCountByBlockNumber: byNumber,
  eth_getTransactionByBlockNumberAndIndex: byNumber,
  eth_getRawTransactionByBlockNumberAndIndex: rawByNumber,

  eth_getBalance: stateAt(1),
  eth_getCode: stateAt(1),
  eth_getTransactionCount: stateAt(1),
  eth_getStorageAt: stateAt(2),
  eth_getProof: stateAt(2),
  eth_call: stateAt(1),
  eth_callDetailed: stateAt(1),
  eth_estimateGas: stateAt(1),
  eth_createAccessList: stateAt(1),
  // Empty when a node does not have all blocks of the range.
  eth_feeHistory: { ...stateAt(1), mayBeMissing: true, missing: '"gasUsedRatio":null' },
  eth_feeConfig: stateAt(0),
  eth_getLogs: { depends: { on: 'range' } },
}

/** Methods that create a filter at one node, and methods that go back to that node. */
export const FILTER_MAKERS: ReadonlySet<string> = new Set([
  'eth_newFilter',
  'eth_newBlockFilter',
  'eth_newPendingTransactionFilter',
])
export const FILTER_USERS: ReadonlySet<string> = new Set([
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_uninstallFilter',
])

/** Calls that act on a node or with its keys: sent to one node, never repeated. Nodes disable them by default. */
export const NEVER_REPEATED = /^(personal|admin|miner|dev)_|^debug_set|^eth_(resend|sign|signTransaction)$/

export const readOf = (method: string): EvmRead | undefined =>
  Object.hasOwn(EVM_READS, method) ? EVM_READS[method] : undefined
