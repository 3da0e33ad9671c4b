import { BadAnswerError } from '../../../errors.ts'
import { keccak256 } from '../../../lib/keccak256.ts'
import { quantity, type RpcBlock, type RpcReceipt, type RpcTransaction } from '../rpc-block.ts'
import { createRlpWriter } from './rlp-writer.ts'

const writer = createRlpWriter()

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
    if (isMade(receipt, transaction) && receipt.contractAddress?.toLowerCase() !== createdAddress(transaction))
      throw wrong('contractAddress')
    const offered = offeredPrice(block, transaction)
    const price = quantity(receipt.effectiveGasPrice ?? transaction.gasPrice ?? 0n)
    if (offered !== undefined && (price > offered || (exactPrice && price < offered))) throw wrong('effectiveGasPrice')
  })
}

/** Whether a contract was made; receipts of before Byzantium do not tell. */
const isMade = ({ status }: RpcReceipt, { to }: RpcTransaction): boolean =>
  to === null && status != null && quantity(status) === 1n

/** Where a transaction without recipient puts its contract, 0x hex. */
function createdAddress({ from, nonce }: RpcTransaction): string {
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
  if (type > 4n) return undefined
  const most = quantity(transaction.maxFeePerGas ?? 0n)
  const tipped = quantity(baseFeePerGas ?? 0n) + quantity(transaction.maxPriorityFeePerGas ?? 0n)
  // biome-ignore lint/complexity/useMathMinMax: prices are bigints
  return tipped < most ? tipped : most
}
