import { BadAnswerError, JsonRpcError } from '../../errors.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import { createContractNames } from './contract-names.ts'
import { createBlockProof } from './proof/index.ts'
import { bare, type EvmFacts, quantity, type RpcBlock, type RpcReceipt } from './rpc-block.ts'

/** `id`: its hash where the caller knows it, hex without 0x. */
export interface WantedBlock {
  height: bigint
  id?: string
}

export interface EvmReader {
  /** Height and hash of the last block. */
  tip(signal: AbortSignal): Promise<{ height: bigint; id: string }>
  /** Blocks of these heights with everything about them, as far as possible checked against their hashes. */
  read(blocks: readonly WantedBlock[], signal: AbortSignal): Promise<EvmFacts[]>
  /** To be called when the store may lack what was read: contracts are described again. */
  restart(): void
  /** For status and health: that the chain's blocks and receipts cannot be held against its hashes. */
  notes(): string[]
  /** Undefined where there is no block of that height. */
  hashAt(height: bigint, signal: AbortSignal): Promise<string | undefined>
}

/** A page of blocks is large: it gets more time than a wallet's read. Milliseconds. */
const READ_MS = 60_000

/**
 * Reads blocks and receipts in as few exchanges as the pool's batches allow; all of one page is asked at once. Servers
 * whose answers are not what the blocks' hashes say are passed over for others.
 * @param hashes true for a chain whose way of hashing is known, whatever its blocks look like
 */
export function createEvmBlockReader(pool: UpstreamPool, path: string, hashes?: boolean): EvmReader {
  const names = createContractNames(pool, path)
  let wholeBlocks = true
  const proof = createBlockProof(hashes)
  const call = (signal: AbortSignal): CallOptions => ({ signal, deadline: Date.now() + READ_MS })

  const lookUp = (height: bigint, full: boolean, options: CallOptions): Promise<RpcBlock | null> =>
    pool.rpc(path, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, full], options)

  const block = async ({ height, id }: WantedBlock, signal: AbortSignal): Promise<RpcBlock> => {
    const check = (answer: unknown) => {
      if (answer) expectWanted(answer as RpcBlock, height, id)
      if (answer) proof.expectBlock(answer as RpcBlock)
    }
    const answer = await lookUp(height, true, { ...call(signal), check })
    if (!answer) throw new BadAnswerError(`block ${height} is not there yet`)
    return answer
  }

  const single = (hash: string, signal: AbortSignal) =>
    pool.rpc<RpcReceipt | null>(path, 'eth_getTransactionReceipt', [hash], call(signal))

  async function receiptsOf(found: RpcBlock, signal: AbortSignal): Promise<RpcReceipt[]> {
    const { hash, number, transactions } = found
    if (transactions.length === 0) return []
    if (wholeBlocks) {
      const check = (answer: unknown) => {
        if (answer) proof.expectReceipts(found, answer as RpcReceipt[])
      }
      try {
        const options = { ...call(signal), check }
        const all = await pool.rpc<RpcReceipt[] | null>(path, 'eth_getBlockReceipts', [number], options)
        if (all) return all
      } catch (error) {
        // Not every node has the method: then one call per transaction, batched.
        if (!(error instanceof JsonRpcError) || (error.rpcCode !== -32601 && error.rpcCode !== -32602)) throw error
        wholeBlocks = false
      }
    }
    const receipts = await Promise.all(transactions.map((transaction) => single(transaction.hash, signal)))
    const all = receipts.filter((receipt) => receipt !== null)
    if (all.length < receipts.length) throw new BadAnswerError(`block ${hash}: a receipt is missing`)
    proof.expectReceipts(found, all)
    return all
  }

  return {
    async tip(signal) {
      const latest = await pool.rpc<RpcBlock | null>(path, 'eth_getBlockByNumber', ['latest', false], call(signal))
      if (!latest) throw new BadAnswerError('there is no latest block')
      return { height: quantity(latest.number), id: bare(latest.hash) }
    },
    restart: names.forget,
    notes: () => (proof.hashes === false ? ['receipts not checked: hashes are made in an unknown way'] : []),
    async hashAt(height, signal) {
      const found = await lookUp(height, false, call(signal))
      return found ? bare(found.hash) : undefined
    },
    async read(wanted, signal) {
      const blocks = await Promise.all(wanted.map((one) => block(one, signal)))
      const receipts = await Promise.all(blocks.map((found) => receiptsOf(found, signal)))
      const known = await names.learn(receipts.flat(), signal)
      return blocks.map((found, at) => ({ block: found, receipts: receipts[at] ?? [], names: known }))
    },
  }
}

function expectWanted(found: RpcBlock, height: bigint, id: string | undefined): void {
  if (quantity(found.number) !== height) throw new BadAnswerError(`block ${found.number} where ${height} belongs`)
  if (id !== undefined && bare(found.hash) !== id)
    throw new BadAnswerError(`block ${found.number} has the hash ${found.hash}, expected 0x${id}`)
}
