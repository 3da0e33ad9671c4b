import { hasOutcome, type RpcReceipt } from '../rpc-block.ts'
import { logsBloom } from './logs-bloom.ts'
import { createRlpWriter } from './rlp-writer.ts'

/** Deposits of OP chains: since Canyon their receipts contain the nonce. */
const DEPOSIT = 0x7e
const NO_LOGS = logsBloom([])
const NO_BITS = Buffer.from(NO_LOGS.slice(2), 'hex')

const writer = createRlpWriter()

/** A receipt as encoded in the receipt tree. @param type of its transaction */
export function receiptBytes(receipt: RpcReceipt, type: number): Uint8Array {
  writer.clear()
  if (type === DEPOSIT && receipt.depositReceiptVersion != null) {
    writer.quantity(receipt.depositReceiptVersion)
    writer.quantity(receipt.depositNonce)
  }
  writeLogs(receipt)
  // A few nodes leave the filter out; it follows from the logs. An empty filter, a third of such a receipt's text, is
  // not parsed.
  const bloom = receipt.logsBloom ?? logsBloom(receipt.logs)
  if (bloom === NO_LOGS) writer.string(NO_BITS)
  else writer.bytes(bloom)
  writer.quantity(receipt.cumulativeGasUsed)
  if (hasOutcome(receipt)) writer.quantity(receipt.status)
  else writer.bytes(receipt.root)
  writer.list(0)
  if (type !== 0) writer.byte(type)
  return Buffer.from(writer.view())
}

function writeLogs({ logs }: RpcReceipt): void {
  const all = writer.mark()
  for (let at = logs.length - 1; at >= 0; at--) {
    const log = logs[at]
    if (!log) continue
    const one = writer.mark()
    writer.bytes(log.data)
    const topics = writer.mark()
    for (let topic = log.topics.length - 1; topic >= 0; topic--) writer.bytes(log.topics[topic])
    writer.list(topics)
    writer.bytes(log.address)
    writer.list(one)
  }
  writer.list(all)
}
