import { BadAnswerError, JsonRpcError } from '../../errors.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import { createContractNames } from './contract-names.ts'
import { bare, type EvmFacts, quantity, type RpcBlock, type RpcReceipt } from './rpc-block.ts'

export interface EvmReader {
  /** Height and hash of the last block. */
  tip(signal: AbortSignal): Promise<{ height: bigint; id: string }>
  /** Blocks of these heights with everything about them; hashes are checked where the caller knows them. */
  read(blocks: readonly { height: bigint; id?: string }[], signal: AbortSignal): Promise<EvmFacts[]>
  /** To be called when the store may lack what was read: contracts are described again. */
  restart(): void
  /** Undefined where there is no block of that height. */
  hashAt(height: bigint, signal: AbortSignal): Promise<string | undefined>
}

/** A page of blocks is large: it gets more time than a wallet's read. Milliseconds. */
const READ_MS = 60_000

/** Reads blocks and receipts in as few exchanges as the pool's batches allow; all of one page is asked at once. */
export function createEvmBlockReader(pool: UpstreamPool, path: string): EvmReader {
  const names = createContractNames(pool, path)
  let wholeBlocks = true
  const call = (signal: AbortSignal): CallOptions => ({ signal, deadline: Date.now() + READ_MS })

  const lookUp = (height: bigint, full: boolean, signal: AbortSignal): Promise<RpcBlock | null> =>
    pool.rpc(path, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, full], call(signal))

  const block = async (height: bigint, signal: AbortSignal): Promise<RpcBlock> => {
    const answer = await lookUp(height, true, signal)
    if (!answer) throw new BadAnswerError(`block ${height} is not there yet`)
    return answer
  }

  const single = (hash: string, signal: AbortSignal) =>
    pool.rpc<RpcReceipt | null>(path, 'eth_getTransactionReceipt', [hash], call(signal))

  async function receiptsOf({ hash, number, transactions }: RpcBlock, signal: AbortSignal): Promise<RpcReceipt[]> {
    if (transactions.length === 0) return []
    if (wholeBlocks) {
      try {
        const all = await pool.rpc<RpcReceipt[] | null>(path, 'eth_getBlockReceipts', [number], call(signal))
        if (all) return all
      } catch (error) {
        // Not every node has the method: then one call per transaction, batched.
        if (!(error instanceof JsonRpcError) || (error.rpcCode !== -32601 && error.rpcCode !== -32602)) throw error
        wholeBlocks = false
      }
    }
    const receipts = await Promise.all(transactions.map((transaction) => single(transaction.hash, signal)))
    return receipts.map((receipt) => {
      if (!receipt) throw new BadAnswerError(`block ${hash}: a receipt is missing`)
      return receipt
    })
  }

  return {
    async tip(signal) {
      const latest = await pool.rpc<RpcBlock | null>(path, 'eth_getBlockByNumber', ['latest', false], call(signal))
      if (!latest) throw new BadAnswerError('there is no latest block')
      return { height: quantity(latest.number), id: bare(latest.hash) }
    },
    restart: names.forget,
    async hashAt(height, signal) {
      const found = await lookUp(height, false, signal)
      return found ? bare(found.hash) : undefined
    },
    async read(wanted, signal) {
      const blocks = await Promise.all(wanted.map(({ height }) => block(height, signal)))
      blocks.forEach((found, at) => {
        const { height, id } = wanted[at] ?? {}
        if (quantity(found.number) !== height) {
          throw new BadAnswerError(`block ${found.number} where ${height} belongs`)
        }
        if (id !== undefined && bare(found.hash) !== id) {
          throw new BadAnswerError(`block ${found.number} has the hash ${found.hash}, expected 0x${id}`)
        }
      })
      const receipts = await Promise.all(blocks.map((found) => receiptsOf(found, signal)))
      for (const [at, found] of blocks.entries()) expectReceipts(found, receipts[at] ?? [])
      const known = await names.learn(receipts.flat(), signal)
      return blocks.map((found, at) => ({ block: found, receipts: receipts[at] ?? [], names: known }))
    },
  }
}

/** Whether a bloom filter says that there are logs. Nodes that have none of them may leave it out or empty. */
const saysLogs = (bloom: string | undefined): boolean => bloom !== undefined && /[1-9a-f]/i.test(bloom.slice(2))

/**
 * Receipts are of this block, and logs are there where a filter says so: nodes that have thrown old logs away, or not
 * fetched them yet, answer with receipts that are empty of them.
 * @throws BadAnswerError
 */
function expectReceipts({ hash, logsBloom }: RpcBlock, receipts: readonly RpcReceipt[]): void {
  if (receipts.some(({ blockHash }) => blockHash !== hash))
    throw new BadAnswerError(`receipts of another block were given for ${hash}`)
  const stripped = receipts.some((receipt) => receipt.logs.length === 0 && saysLogs(receipt.logsBloom))
  if (stripped || (receipts.every(({ logs }) => logs.length === 0) && saysLogs(logsBloom)))
    throw new BadAnswerError(`block ${hash}: receipts came without their logs`)
}
