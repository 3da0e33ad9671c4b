import { BadAnswerError } from '../../../errors.ts'
import { keccak256Hex } from '../../../lib/bytes/keccak256.ts'
import { bare, quantity, type RpcBlock, type RpcReceipt } from '../rpc-block.ts'
import { expectDerived } from './derived-members.ts'
import { headerHash } from './header-hash.ts'
import { joinBlooms, lacksBits, logsBloom, saysLogs } from './logs-bloom.ts'
import { orderedRoot } from './ordered-root.ts'
import { receiptBytes } from './receipt-bytes.ts'
import { executesLater, receiptsDigest } from './settlement.ts'
import { endsWithStateSync } from './state-sync.ts'
import { transactionBytes } from './transaction-bytes.ts'
import { unsealedExtra } from './unsealed-extra.ts'

export interface BlockProof {
  /**
   * Checks that the block, with its transactions, matches its hash.
   * @throws BadAnswerError
   */
  expectBlock(block: RpcBlock): void
  /**
   * Checks that the receipts are complete, with all logs, for a block that passed `expectBlock`.
   * @throws BadAnswerError
   */
  expectReceipts(block: RpcBlock, receipts: readonly RpcReceipt[]): void
  /** False once a block was hashed in an unknown way; undefined before the first block. */
  readonly hashes: boolean | undefined
}

/**
 * For the blocks of one chain. On chains that hash in an unknown way the node is trusted; once a block of a chain has
 * matched its hash, all blocks above it have to. Blocks below may be older than the chain's current hashing: Gnosis
 * hashed differently until its merge.
 * @param known true if that is known before the first block
 */
export function createBlockProof(known?: boolean): BlockProof {
  let from = known ? 0n : undefined
  let unproven = false
  const proven = new WeakMap<RpcBlock, Roots>()
  const expectBelow = ({ number }: RpcBlock): void => {
    if (from !== undefined && quantity(number) >= from)
      throw new BadAnswerError(`block ${number} is not what its hash says`)
  }
  return {
    expectBlock(block) {
      if (isOfItsHash(block)) {
        proven.set(block, expectTransactions(block))
        const height = quantity(block.number)
        if (from === undefined || height < from) from = height
        return
      }
      expectBelow(block)
      unproven = true
    },
    expectReceipts(block, receipts) {
      if (receipts.some(({ blockHash }) => blockHash !== block.hash))
        throw new BadAnswerError(`receipts of another block were given for ${block.hash}`)
      const roots = proven.get(block)
      if (!roots) expectBelow(block)
      expectLogs(block, receipts)
      if (roots) expectProvenReceipts(block, receipts, roots)
    },
    get hashes() {
      return from === undefined && !unproven ? undefined : from !== undefined
    },
  }
}

function isOfItsHash(block: RpcBlock): boolean {
  const hash = bare(block.hash)
  if (headerHash(block) === hash) return true
  const extraData = unsealedExtra(block as object)
  return extraData !== undefined && headerHash({ ...block, extraData } as RpcBlock) === hash
}

/** How many of a block's transactions its roots cover; undefined if unknown. */
interface Roots {
  size: number | undefined
}

/** C-chain and L1s of Avalanche: all their formats are known, so that nothing passes as an unknown one. */
const isOwn = ({ extDataHash, blockGasCost }: RpcBlock): boolean => extDataHash != null || blockGasCost != null

function expectTransactions(block: RpcBlock): Roots {
  // A genesis block without transactions; Hardhat's nodes do not use the root of an empty list there.
  if (quantity(block.number) === 0n && block.transactions.length === 0) return { size: 0 }
  const all = block.transactions.map(transactionBytes)
  all.forEach((bytes, at) => {
    const { hash = '', type } = block.transactions[at] ?? {}
    if (bytes === undefined && isOwn(block)) throw new BadAnswerError(`transaction ${hash} is of unknown type ${type}`)
    if (bytes !== undefined && keccak256Hex(bytes) !== bare(hash))
      throw new BadAnswerError(`transaction ${hash} is not what its hash says`)
  })
  const unsigned = all.length > 0 && all.at(-1) === undefined
  const inRoot = unsigned && endsWithStateSync(block) ? all.slice(0, -1) : all
  const known = inRoot.filter((bytes) => bytes !== undefined)
  // Transactions that chains add themselves are in no root, or in a separate one.
  if (known.length < inRoot.length) return { size: undefined }
  if (`0x${orderedRoot(known)}` !== block.transactionsRoot?.toLowerCase())
    throw new BadAnswerError(`block ${block.number}: the transactions are not those of its root`)
  return { size: known.length }
}

function expectProvenReceipts(block: RpcBlock, receipts: readonly RpcReceipt[], { size }: Roots): void {
  const { transactions, receiptsRoot, number } = block
  const foreign = receipts.findIndex(({ transactionHash }, at) => transactionHash !== transactions[at]?.hash)
  if (receipts.length !== transactions.length || foreign >= 0)
    throw new BadAnswerError(`block ${number}: the receipts are not those of its transactions`)
  // The root and bloom filter in its header do not cover its own receipts; a later block settles those.
  if (executesLater(block)) {
    expectOwnBlooms(block, receipts)
    expectDerived(block, receipts, false)
    // Detects malformed receipts now, while other servers can still be asked.
    receiptsDigest({ block, receipts })
    return
  }
  const inRoot = receipts.slice(0, size)
  const all = inRoot.map((receipt, at) => receiptBytes(receipt, Number(transactions[at]?.type ?? 0)))
  const proven = `0x${orderedRoot(all)}` === receiptsRoot?.toLowerCase()
  if (!proven && size !== undefined) throw new BadAnswerError(`block ${number}: the receipts are not those of its root`)
  if (proven) expectDerived(block, inRoot, isOwn(block))
  else expectBlooms(block, receipts)
}

/**
 * If the root cannot be computed: each filter has to contain its logs, and the block's filter those of its receipts.
 */
function expectBlooms(block: RpcBlock, receipts: readonly RpcReceipt[]): void {
  if (lacksBits(joinBlooms(expectOwnBlooms(block, receipts)), block.logsBloom ?? '0x')) throw wrongFilter(block)
}

/** @returns the receipts' filters, computed from their logs */
function expectOwnBlooms(block: RpcBlock, receipts: readonly RpcReceipt[]): string[] {
  const blooms = receipts.map((receipt) => logsBloom(receipt.logs))
  const told = receipts.every(({ logsBloom: said }, at) => said === undefined || said.toLowerCase() === blooms[at])
  if (!told) throw wrongFilter(block)
  return blooms
}

const wrongFilter = ({ number }: RpcBlock): BadAnswerError =>
  new BadAnswerError(`block ${number}: the logs of its receipts are not those of its filter`)

/**
 * Logs must exist where a filter says so: nodes that have pruned old logs, or not fetched them yet, return receipts
 * without logs. Nothing more can be checked if headers are hashed in an unknown way.
 */
function expectLogs(block: RpcBlock, receipts: readonly RpcReceipt[]): void {
  const { hash } = block
  const all = executesLater(block) ? undefined : block.logsBloom
  const stripped = receipts.some((receipt) => receipt.logs.length === 0 && saysLogs(receipt.logsBloom))
  if (stripped || (receipts.every(({ logs }) => logs.length === 0) && saysLogs(all)))
    throw new BadAnswerError(`block ${hash}: receipts came without their logs`)
}
