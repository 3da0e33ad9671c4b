/**
 * How an answer depends on the chain. `hash`: names what it asks for, so that an answer which is not empty is final;
 * `number`: the block in this parameter decides; `fixed`: depends on its parameters only; `settled`: on the node's
 * configuration; `tip`: on the newest block.
 */
export type Dependence =
  | { on: 'hash'; finalWhen?: string }
  | { on: 'number'; parameter: number; height?: boolean }
  | { on: 'range' }
  | { on: 'fixed' }
  | { on: 'settled' }
  | { on: 'tip'; height?: boolean }

/** What is special about one read. */
export interface EvmRead {
  depends: Dependence
  /**
   * A node that is behind, or was synced by state and has no old blocks, answers null for what others have: another is
   * asked before null is believed.
   */
  mayBeMissing?: true
  /** One node alone may know it, as it took it: every one is asked before null is believed. */
  mayBePending?: true
  /** What stands in the result instead of null. */
  missing?: string
}

/** Transactions, receipts and logs that are in an accepted block; a pending transaction has `null` here. */
export const IN_BLOCK = '"blockHash":"0x'

const byHash: EvmRead = { depends: { on: 'hash' }, mayBeMissing: true }
const inBlock: EvmRead = { depends: { on: 'hash', finalWhen: IN_BLOCK }, mayBeMissing: true }
const byNumber: EvmRead = { depends: { on: 'number', parameter: 0 }, mayBeMissing: true }
const withHeight: EvmRead = { depends: { on: 'number', parameter: 0, height: true }, mayBeMissing: true }
const rawByHash: EvmRead = { ...byHash, missing: '"0x"' }
const rawByNumber: EvmRead = { ...byNumber, missing: '"0x"' }
const stateAt = (parameter: number): EvmRead => ({ depends: { on: 'number', parameter } })
const tip: EvmRead = { depends: { on: 'tip' } }
const settled: EvmRead = { depends: { on: 'settled' } }

/**
 * Reads that may be shared and kept. Everything else (txpool, pending, traces with their size, what a node says about
 * itself) is asked anew each time. Chains under /ext accept blocks for good: there are no reorganisations to wait out.
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

  eth_getBlockByHash: byHash,
  eth_getHeaderByHash: byHash,
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
  // Empty where a node has not all blocks of the range.
  eth_feeHistory: { ...stateAt(1), mayBeMissing: true, missing: '"gasUsedRatio":null' },
  eth_feeConfig: stateAt(0),
  eth_getLogs: { depends: { on: 'range' } },
}

/** What makes a filter at one node, and what goes back to that node. */
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

/** Things done to a node or with its keys: to one node, never again. Nodes have them switched off unless told otherwise. */
export const NEVER_REPEATED = /^(personal|admin|miner|dev)_|^debug_set|^eth_(resend|sign|signTransaction)$/

export const readOf = (method: string): EvmRead | undefined =>
  Object.hasOwn(EVM_READS, method) ? EVM_READS[method] : undefined
