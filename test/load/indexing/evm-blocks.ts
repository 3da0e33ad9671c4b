import { createHash } from 'node:crypto'
import { headerHash } from '../../../src/indexer/evm/proof/header-hash.ts'
import { joinBlooms, logsBloom } from '../../../src/indexer/evm/proof/logs-bloom.ts'
import { orderedRoot } from '../../../src/indexer/evm/proof/ordered-root.ts'
import { receiptBytes } from '../../../src/indexer/evm/proof/receipt-bytes.ts'
import { transactionBytes } from '../../../src/indexer/evm/proof/transaction-bytes.ts'
import type { RpcBlock } from '../../../src/indexer/evm/rpc-block.ts'
import { keccak256Hex } from '../../../src/lib/bytes/keccak256.ts'

/** Answers of a node for one generated block, as their JSON. */
export interface GeneratedEvmBlock {
  block: string
  receipts: string
}

/** keccak256('Transfer(address,address,uint256)'). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const OWNERS = 5_000
const TOKENS = 20

const digest = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`
const quantity = (value: number | bigint): string => `0x${value.toString(16)}`
const address = (name: string): string => digest(name).slice(0, 42)
const word = (hex: string): string => `0x${hex.slice(2).padStart(64, '0')}`

/**
 * A chain from height 0 whose every second transaction moves native value and every other one an ERC-20 token. Its hashes
 * and roots are true, its signatures are not: nobody looks at them.
 */
export function generateEvmBlocks(size: { blocks: number; transactions: number }): GeneratedEvmBlock[] {
  const owners = Array.from({ length: OWNERS }, (_, i) => address(`owner ${i}`))
  const tokens = Array.from({ length: TOKENS }, (_, i) => address(`token ${i}`))
  let parentHash = digest('nothing')
  return Array.from({ length: size.blocks }, (_, height) => {
    const made = Array.from({ length: size.transactions }, (_, index) => {
      const number = height * size.transactions + index
      const [from = '', to = ''] = [owners[(number * 7) % OWNERS], owners[(number * 11 + 3) % OWNERS]]
      return transaction({ number, index, from, to, token: number % 2 ? tokens[number % TOKENS] : undefined })
    })
    const block = header(height, parentHash, made)
    parentHash = `0x${headerHash(block)}`
    const place = { blockHash: parentHash, blockNumber: block.number }
    const transactions = made.map(({ transaction }) => ({ ...place, ...transaction }))
    const receipts = made.map(({ receipt: { logs, ...rest } }) => ({
      ...rest,
      ...place,
      logs: logs.map((log) => ({ ...place, ...log })),
    }))
    return { block: JSON.stringify({ ...block, hash: parentHash, transactions }), receipts: JSON.stringify(receipts) }
  })
}

type Made = ReturnType<typeof transaction>

function header(height: number, parentHash: string, made: readonly Made[]): RpcBlock & Record<string, unknown> {
  const bytes = made.map(({ transaction }) => transactionBytes(transaction) ?? new Uint8Array())
  return {
    number: quantity(height),
    hash: '',
    parentHash,
    timestamp: quantity(1_700_000_000 + 2 * height),
    baseFeePerGas: quantity(25_000_000_000),
    gasUsed: quantity(21_000 * made.length),
    gasLimit: quantity(15_000_000),
    logsBloom: joinBlooms(made.map(({ receipt }) => receipt.logsBloom)),
    miner: address('miner'),
    stateRoot: digest(`state ${height}`),
    transactionsRoot: `0x${orderedRoot(bytes)}`,
    receiptsRoot: `0x${orderedRoot(made.map(({ receipt }) => receiptBytes(receipt, 2)))}`,
    sha3Uncles: digest('no uncles'),
    mixHash: digest('no work'),
    nonce: '0x0000000000000000',
    difficulty: '0x1',
    extraData: '0x',
    uncles: [],
    transactions: [],
  }
}

interface Transfer {
  number: number
  index: number
  from: string
  to: string
  /** Left out: native value. */
  token: string | undefined
}

function transaction({ number, index, from, to, token }: Transfer) {
  const amount = quantity(BigInt(number) * 10n ** 15n + 1n)
  const input = token === undefined ? '0x' : `0xa9059cbb${word(to).slice(2)}${word(amount).slice(2)}`
  const price = quantity(26_000_000_000)
  const signed = {
    transactionIndex: quantity(index),
    from,
    to: token ?? to,
    value: token === undefined ? amount : '0x0',
    type: '0x2',
    gas: '0x15f90',
    gasPrice: price,
    maxFeePerGas: price,
    maxPriorityFeePerGas: price,
    accessList: [],
    chainId: '0xabdf',
    nonce: quantity(number),
    input,
    v: '0x1',
    r: digest(`r ${number}`),
    s: digest(`s ${number}`),
  }
  const transaction = { ...signed, hash: '' }
  transaction.hash = `0x${keccak256Hex(transactionBytes(transaction) ?? new Uint8Array())}`
  return { transaction, receipt: receiptOf(transaction, index, amount, { from, to, token }) }
}

function receiptOf(
  { hash, gasPrice, transactionIndex }: { hash: string; gasPrice: string; transactionIndex: string },
  index: number,
  amount: string,
  { from, to, token }: Pick<Transfer, 'from' | 'to' | 'token'>,
) {
  const where = { transactionHash: hash, transactionIndex }
  const transfer = { topics: [TRANSFER, word(from), word(to)], data: word(amount), removed: false }
  // Every other transaction has one.
  const logs = token === undefined ? [] : [{ ...where, address: token, ...transfer, logIndex: quantity(index >> 1) }]
  return {
    ...where,
    blockHash: '',
    from,
    to: token ?? to,
    status: '0x1',
    gasUsed: quantity(21_000),
    cumulativeGasUsed: quantity(21_000 * (index + 1)),
    effectiveGasPrice: gasPrice,
    contractAddress: null,
    logsBloom: logsBloom(logs),
    type: '0x2',
    logs,
  }
}
