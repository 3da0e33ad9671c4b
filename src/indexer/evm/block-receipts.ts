import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import { AnswerTooLargeError, BadAnswerError, JsonRpcError } from '../../errors.ts'
import { roomFor } from '../../lib/room-for.ts'
import { speaksOfSize } from '../../upstream/json-rpc/error-texts.ts'
import { lacksMethod } from '../../upstream/json-rpc/lacking-method.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import { type BlockProof, chooseSettled, receiptsDigest, type SettlingBlock } from './proof/index.ts'
import type { RpcBlock, RpcReceipt } from './rpc-block.ts'

export interface BlockReceipts {
  /**
   * The receipts of a block's transactions, checked against its hash as far as possible.
   * @throws FirnError when no server has them all
   */
  of(block: RpcBlock, signal: AbortSignal): Promise<RpcReceipt[]>
  /** See `EvmReader.correct`. */
  correct(blocks: readonly SettlingBlock[], root: string, signal: AbortSignal): Promise<void>
}

/**
 * Servers without receipts of whole blocks are asked for them again after this: another one, which has them, may have
 * been away. Milliseconds.
 */
const SINGLY_MS = 600_000
/** Blocks that a server reported wrong receipts for: far more than can be unsettled. */
const CORRECTED = 4_096
/** A page of blocks is large, so it gets more time than a wallet's read. Milliseconds. */
const READ_MS = 60_000

/** What every read of a page is called with. */
export const readCall = (signal: AbortSignal): CallOptions => ({ signal, deadline: Date.now() + READ_MS })

const receiptsCall = (signal: AbortSignal): CallOptions => ({ ...readCall(signal), anyLength: true })

/**
 * A state-synced server lacks older blocks and the receipts of the last blocks before its sync (`receipts length
 * mismatch`), and a lagging server lacks the newest: another server may have them.
 */
export const mayBeElsewhere = (said: unknown): boolean => said === null || said instanceof JsonRpcError

/** The node has the method but rejects these parameters. zkSync's says so of a block that it lacks, which passes. */
const isRefusedForm = (error: unknown): boolean =>
  error instanceof JsonRpcError && error.rpcCode === -32602 && !error.retryable

/** The receipts of a block are more than one answer may hold, here or by a limit of the servers. */
const isTooLong = (error: unknown): boolean =>
  error instanceof AnswerTooLargeError || (error instanceof JsonRpcError && speaksOfSize(error.message))

/** Whether the list has a receipt of each transaction: some servers leave out, without a word, what they have pruned. */
function hasAll({ transactions }: RpcBlock, said: unknown): said is RpcReceipt[] {
  if (!Array.isArray(said)) return false
  const told = new Set(said.map((receipt: Partial<RpcReceipt> | null) => receipt?.transactionHash))
  return transactions.every(({ hash }) => told.has(hash))
}

/** Reads receipts by block, or one by one where no server has those of a block. */
export function createBlockReceipts(
  pool: UpstreamPool,
  path: string,
  { proof, now }: { proof: BlockProof; now: () => number },
): BlockReceipts {
  /** Until then receipts are asked one by one. */
  let singlyUntil = 0
  const hasWhole = (): boolean => now() >= singlyUntil
  /** Digests of the right receipts for blocks that wrong ones were reported for, by block hash. */
  const corrected = new LRUCache<string, string>(roomFor(CORRECTED))

  const expectAll = (found: RpcBlock, receipts: readonly RpcReceipt[]): void => {
    proof.expectReceipts(found, receipts)
    const digest = corrected.get(found.hash)
    if (digest !== undefined && receiptsDigest({ block: found, receipts }) !== digest)
      throw new BadAnswerError(`block ${found.hash}: the receipts are not those that are settled`)
  }

  /** Undefined if no server has the receipts of whole blocks, or not of this one, or they are too long for one answer. */
  async function whole(found: RpcBlock, signal: AbortSignal): Promise<RpcReceipt[] | undefined> {
    if (!hasWhole()) return undefined
    const check = (answer: unknown) => {
      if (answer) expectAll(found, answer as RpcReceipt[])
    }
    const doubts = (said: unknown) => mayBeElsewhere(said) || !hasAll(found, said)
    try {
      const options = { ...receiptsCall(signal), check, doubts }
      const all = await pool.rpc<unknown>(path, 'eth_getBlockReceipts', [found.number], options)
      return hasAll(found, all) ? all : undefined
    } catch (error) {
      // A log takes as many characters as gas: anybody can fill a block with more of them than one answer may have.
      if (isTooLong(error)) return undefined
      // Some nodes lack or block the method: then one call per transaction, batched.
      if (!lacksMethod(error) && !isRefusedForm(error)) throw error
      singlyUntil = now() + SINGLY_MS
      return undefined
    }
  }

  /** @param wrong what servers said that cannot be right: other answers are preferred, if there are any */
  async function singly(found: RpcBlock, signal: AbortSignal, wrong?: readonly RpcReceipt[]): Promise<RpcReceipt[]> {
    const told = found.transactions.map(({ hash }, at) => {
      const doubts = (said: unknown) =>
        mayBeElsewhere(said) || (wrong !== undefined && isDeepStrictEqual(said, wrong[at]))
      const options = { ...receiptsCall(signal), doubts }
      return pool.rpc<RpcReceipt | null>(path, 'eth_getTransactionReceipt', [hash], options)
    })
    const all = (await Promise.all(told)).filter((receipt) => receipt !== null)
    if (all.length < told.length) throw new BadAnswerError(`block ${found.hash}: a receipt is missing`)
    return all
  }

  /** Another server's receipts of a block if they differ, else the same: those of one that has none say nothing. */
  async function others(told: SettlingBlock, signal: AbortSignal): Promise<SettlingBlock> {
    const { block: found } = told
    if (found.transactions.length === 0 || !hasWhole()) return told
    const check = (answer: unknown) => {
      if (answer) proof.expectReceipts(found, answer as RpcReceipt[])
    }
    const digest = receiptsDigest(told)
    const doubts = (said: unknown) =>
      !Array.isArray(said) || receiptsDigest({ block: found, receipts: said }) === digest
    const options = { ...receiptsCall(signal), check, doubts }
    const other = pool.rpc<RpcReceipt[] | null>(path, 'eth_getBlockReceipts', [found.number], options)
    return { block: found, receipts: (await other.catch(() => undefined)) ?? told.receipts }
  }

  return {
    async of(found, signal) {
      if (found.transactions.length === 0) return []
      const all = await whole(found, signal)
      if (all) return all
      const told = await singly(found, signal)
      try {
        expectAll(found, told)
        return told
      } catch {
        // Only all of them together show it, when every server has answered and none was asked further.
        const better = await singly(found, signal, told)
        expectAll(found, better)
        return better
      }
    },
    async correct(blocks, root, signal) {
      const other = await Promise.all(blocks.map((told) => others(told, signal)))
      const right = chooseSettled(blocks, other, root) ?? []
      for (const one of right) corrected.set(one.block.hash, receiptsDigest(one))
    },
  }
}
