import { type BlockNumber, blockNumber, blockReference, decodeParams, flag, hash, quantity } from './evm-arguments.ts'
import type { EvmChain } from './evm-chain.ts'
import { EvmError, type EvmMethod, type EvmMethods } from './evm-rpc.ts'
import { rawTransaction } from './raw-transaction.ts'

const HEADER_LACKS = new Set(['blockExtraData', 'size', 'transactions', 'uncles'])

function hex(value: number | bigint): string {
  return `"0x${value.toString(16)}"`
}

function blockText(chain: EvmChain, height: number | undefined, full: boolean | undefined): string {
  if (height === undefined) return 'null'
  const { block } = chain.at(height)
  if (full === true) return JSON.stringify(block)
  return JSON.stringify({ ...block, transactions: block.transactions.map((transaction) => transaction.hash) })
}

function headerText(chain: EvmChain, height: number | undefined): string {
  if (height === undefined) return 'null'
  const members = Object.entries(chain.at(height).block).filter(([name]) => !HEADER_LACKS.has(name))
  return JSON.stringify(Object.fromEntries(members))
}

/** Beyond the tip some methods answer null where others answer an error. */
function heightOrNull(chain: EvmChain, number: BlockNumber | undefined): number | undefined {
  try {
    return chain.height(number ?? 'latest')
  } catch (error) {
    if (error instanceof EvmError) return undefined
    throw error
  }
}

/** No bytes where nothing is. */
function rawAt(chain: EvmChain, height: number | undefined, index: bigint): string {
  const transaction = height === undefined ? undefined : chain.at(height).block.transactions[Number(index)]
  return JSON.stringify(transaction === undefined ? '0x' : rawTransaction(transaction))
}

function transactionAt(chain: EvmChain, height: number | undefined, index: bigint): string {
  const transaction = height === undefined ? undefined : chain.at(height).block.transactions[Number(index)]
  return transaction === undefined ? 'null' : JSON.stringify(transaction)
}

/** Only some chains have `debug_`, hence under a name of the caller's. */
export function rawTransactionMethod(chain: EvmChain): EvmMethod {
  return (params) => {
    const [id] = decodeParams(params, [hash], 1)
    const found = chain.transaction(id ?? '')
    return rawAt(chain, found?.height, BigInt(found?.index ?? 0))
  }
}

function rawTransactionMethods(chain: EvmChain): EvmMethods {
  return {
    eth_getRawTransactionByHash: rawTransactionMethod(chain),
    eth_getRawTransactionByBlockNumberAndIndex(params) {
      const [number, index] = decodeParams(params, [blockNumber, quantity], 2)
      return rawAt(chain, heightOrNull(chain, number), index ?? 0n)
    },
    eth_getRawTransactionByBlockHashAndIndex(params) {
      const [id, index] = decodeParams(params, [hash, quantity], 2)
      return rawAt(chain, chain.heightOf(id ?? ''), index ?? 0n)
    },
  }
}

function transactionMethods(chain: EvmChain): EvmMethods {
  return {
    eth_getTransactionByHash(params) {
      const [id] = decodeParams(params, [hash], 1)
      const found = chain.transaction(id ?? '')
      return transactionAt(chain, found?.height, BigInt(found?.index ?? 0))
    },
    eth_getTransactionByBlockNumberAndIndex(params) {
      const [number, index] = decodeParams(params, [blockNumber, quantity], 2)
      return transactionAt(chain, heightOrNull(chain, number), index ?? 0n)
    },
    eth_getTransactionByBlockHashAndIndex(params) {
      const [id, index] = decodeParams(params, [hash, quantity], 2)
      return transactionAt(chain, chain.heightOf(id ?? ''), index ?? 0n)
    },
    eth_getTransactionReceipt(params) {
      const [id] = decodeParams(params, [hash], 1)
      const found = chain.transaction(id ?? '')
      return found === undefined ? 'null' : JSON.stringify(chain.at(found.height).receipts[found.index] ?? null)
    },
    eth_getUncleByBlockNumberAndIndex(params) {
      const [number] = decodeParams(params, [blockNumber, quantity], 2)
      chain.height(number ?? 'latest')
      return 'null'
    },
    eth_getUncleByBlockHashAndIndex(params) {
      decodeParams(params, [hash, quantity], 2)
      return 'null'
    },
    eth_getBlockReceipts(params) {
      const [reference] = decodeParams(params, [blockReference], 1)
      if (reference === undefined) return 'null'
      const height = 'number' in reference ? heightOrNull(chain, reference.number) : chain.resolve(reference)
      return height === undefined ? 'null' : JSON.stringify(chain.at(height).receipts)
    },
  }
}

function counts(chain: EvmChain, count: (height: number) => number): { byNumber: EvmMethod; byHash: EvmMethod } {
  const text = (height: number | undefined): string => (height === undefined ? 'null' : hex(count(height)))
  return {
    byNumber: (params) => text(heightOrNull(chain, decodeParams(params, [blockNumber], 1)[0])),
    byHash: (params) => text(chain.heightOf(decodeParams(params, [hash], 1)[0] ?? '')),
  }
}

/** Everything about blocks, transactions and receipts. */
export function evmBlockMethods(chain: EvmChain): EvmMethods {
  const transactions = counts(chain, (height) => chain.at(height).block.transactions.length)
  const uncles = counts(chain, () => 0)
  return {
    ...transactionMethods(chain),
    ...rawTransactionMethods(chain),
    eth_blockNumber(params) {
      decodeParams(params, [], 0)
      return hex(chain.tip())
    },
    eth_getBlockByNumber(params) {
      const [number, full] = decodeParams(params, [blockNumber, flag], 2)
      return blockText(chain, chain.height(number ?? 'latest'), full)
    },
    eth_getBlockByHash(params) {
      const [id, full] = decodeParams(params, [hash, flag], 2)
      return blockText(chain, chain.heightOf(id ?? ''), full)
    },
    eth_getHeaderByNumber: (params) =>
      headerText(chain, chain.height(decodeParams(params, [blockNumber], 1)[0] ?? 'latest')),
    eth_getHeaderByHash: (params) => headerText(chain, chain.heightOf(decodeParams(params, [hash], 1)[0] ?? '')),
    eth_getBlockTransactionCountByNumber: transactions.byNumber,
    eth_getBlockTransactionCountByHash: transactions.byHash,
    eth_getUncleCountByBlockNumber: uncles.byNumber,
    eth_getUncleCountByBlockHash: uncles.byHash,
  }
}
