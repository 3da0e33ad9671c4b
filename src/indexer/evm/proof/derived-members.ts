import { BadAnswerError } from '../../../errors.ts'
import { keccak256 } from '../../../lib/bytes/keccak256.ts'
import { hasOutcome, quantity, type RpcBlock, type RpcReceipt, type RpcTransaction } from '../rpc-block.ts'
import { createRlpWriter } from './rlp-writer.ts'
import { isSigned } from './transaction-bytes.ts'

const writer = createRlpWriter()
/** The last transaction type with known price rules. */
const LAST_TYPE = 4n
/** Deposits of OP chains: since Regolith receipts contain the nonce that they used. */
const DEPOSIT = 0x7en

/**
 * Some receipt members are computed by nodes and are in no root; they have to follow from members that are.
 * @param exactPrice false if a chain may charge less than offered
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
    const said = receipt.effectiveGasPrice ?? transaction.gasPrice
    if (offered === undefined) return
    // A price that is left out would be stored, and shown, as 0.
    if (said == null || quantity(said) > offered || (exactPrice && quantity(said) < offered))
      throw wrong('effectiveGasPrice')
  })
}

/**
 * Whether the receipt puts the contract at another address than the transaction does. Receipts from before Byzantium do
 * not show whether it was created. Transactions that chains make themselves have their own nonces: their contract
 * address cannot be checked.
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

/** Address of the contract that a transaction without recipient creates, 0x hex. */
function createdAddress(from: string, nonce: string): string {
  writer.clear()
  writer.quantity(nonce)
  writer.bytes(from)
  writer.list(0)
  return `0x${keccak256(writer.view()).toString('hex', 12)}`
}

/** Highest price of a unit of gas, wei; undefined if unknown for a type. */
function offeredPrice({ baseFeePerGas }: RpcBlock, transaction: RpcTransaction): bigint | undefined {
  const type = quantity(transaction.type ?? 0n)
  if (type <= 1n) return quantity(transaction.gasPrice ?? 0n)
  if (type > LAST_TYPE) return undefined
  const most = quantity(transaction.maxFeePerGas ?? 0n)
  const tipped = quantity(baseFeePerGas ?? 0n) + quantity(transaction.maxPriorityFeePerGas ?? 0n)
  // biome-ignore lint/complexity/useMathMinMax: prices are bigints
  return tipped < most ? tipped : most
}
