import { BadAnswerError } from '../../../errors.ts'
import { keccak256 } from '../../../lib/keccak256.ts'
import { hasOutcome, quantity, type RpcBlock, type RpcReceipt, type RpcTransaction } from '../rpc-block.ts'
import { createRlpWriter } from './rlp-writer.ts'
import { isSigned } from './transaction-bytes.ts'

const writer = createRlpWriter()
/** The last type whose prices are known. */
const LAST_TYPE = 4n
/** Deposits of OP chains: receipts name the nonce that they used, since it has been counted (Regolith). */
const DEPOSIT = 0x7en

/**
 * Nodes work out some members of receipts, which are in no root: they have to follow from those that are.
 * @param exactPrice false where a chain may take less than what was offered
 * @throws BadAnswerError
 */
export function expectDerived(block: RpcBlock, receipts: readonly RpcReceipt[], exactPrice: boolean): void {
  let gas = 0n
  let logs = 0n
  receipts.forEach((receipt, at) => {
    const transaction = block.transactions[at]
    if (!transaction) return
    const wrong = (what: string) => new BadAnswerError(`receipt of ${transaction.hash}: ${what} is not its own`)
    const total = quantity(receipt.cumulativeGasUsed ?? 0n)
    if (total - gas !== quantity(receipt.gasUsed)) throw wrong('gasUsed')
    gas = total
    for (const { logIndex } of receipt.logs) if (quantity(logIndex) !== logs++) throw wrong('logIndex')
    if (isElsewhere(receipt, transaction)) throw wrong('contractAddress')
    const offered = offeredPrice(block, transaction)
    const price = quantity(receipt.effectiveGasPrice ?? transaction.gasPrice ?? 0n)
    if (offered !== undefined && (price > offered || (exactPrice && price < offered))) throw wrong('effectiveGasPrice')
  })
}

/**
 * Whether a contract is said to be where the transaction does not put it. Receipts of before Byzantium do not tell whether
 * it was made. Transactions that chains make themselves have numbers of their own: where theirs go is the node's word.
 */
function isElsewhere(receipt: RpcReceipt, transaction: RpcTransaction): boolean {
  if (transaction.to != null) return false
  const deposited = quantity(transaction.type ?? 0n) === DEPOSIT ? receipt.depositNonce : undefined
  const nonce = isSigned(transaction) ? transaction.nonce : deposited
  if (nonce == null) return false
  const named = receipt.contractAddress?.toLowerCase()
  if (named == null || /^0x0*$/.test(named)) return hasOutcome(receipt) && quantity(receipt.status ?? 0n) === 1n
  return named !== createdAddress(transaction.from, nonce)
}

/** Where a transaction without recipient puts its contract, 0x hex. */
function createdAddress(from: string, nonce: string): string {
  writer.clear()
  writer.quantity(nonce)
  writer.bytes(from)
  writer.list(0)
  return `0x${keccak256(writer.view()).toString('hex', 12)}`
}

/** What a unit of gas costs at most, wei; undefined where that is not known of a type. */
function offeredPrice({ baseFeePerGas }: RpcBlock, transaction: RpcTransaction): bigint | undefined {
  const type = quantity(transaction.type ?? 0n)
  if (type <= 1n) return quantity(transaction.gasPrice ?? 0n)
  if (type > LAST_TYPE) return undefined
  const most = quantity(transaction.maxFeePerGas ?? 0n)
  const tipped = quantity(baseFeePerGas ?? 0n) + quantity(transaction.maxPriorityFeePerGas ?? 0n)
  // biome-ignore lint/complexity/useMathMinMax: prices are bigints
  return tipped < most ? tipped : most
}
