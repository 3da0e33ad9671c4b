import { createHash } from 'node:crypto'

/** Answers of a node for one generated block, as their JSON. */
export interface GeneratedEvmBlock {
  block: string
  receipts: string
}

/** keccak256('Transfer(address,address,uint256)'). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const BLOOM = `0x${'00'.repeat(256)}`
const OWNERS = 5_000
const TOKENS = 20

const digest = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`
const quantity = (value: number | bigint): string => `0x${value.toString(16)}`
const address = (name: string): string => digest(name).slice(0, 42)
const word = (hex: string): string => `0x${hex.slice(2).padStart(64, '0')}`

/**
 * A chain from height 0 whose every second transaction moves native value and every other one an ERC-20 token. Hashes
 * are only names: of an EVM chain the parents are checked, as the node gives them.
 */
export function generateEvmBlocks(size: { blocks: number; transactions: number }): GeneratedEvmBlock[] {
  const owners = Array.from({ length: OWNERS }, (_, i) => address(`owner ${i}`))
  const tokens = Array.from({ length: TOKENS }, (_, i) => address(`token ${i}`))
  return Array.from({ length: size.blocks }, (_, height) => {
    const place = { blockHash: digest(`block ${height}`), blockNumber: quantity(height) }
    const made = Array.from({ length: size.transactions }, (_, index) => {
      const number = height * size.transactions + index
      const [from = '', to = ''] = [owners[(number * 7) % OWNERS], owners[(number * 11 + 3) % OWNERS]]
      return transaction({ place, number, index, from, to, token: number % 2 ? tokens[number % TOKENS] : undefined })
    })
    return {
      block: JSON.stringify({ ...header(height, place), transactions: made.map(({ transaction }) => transaction) }),
      receipts: JSON.stringify(made.map(({ receipt }) => receipt)),
    }
  })
}

interface Place {
  blockHash: string
  blockNumber: string
}

function header(height: number, { blockHash, blockNumber }: Place) {
  return {
    number: blockNumber,
    hash: blockHash,
    parentHash: digest(`block ${height - 1}`),
    timestamp: quantity(1_700_000_000 + 2 * height),
    baseFeePerGas: quantity(25_000_000_000),
    gasUsed: quantity(42_000),
    gasLimit: quantity(15_000_000),
    logsBloom: BLOOM,
    miner: address('miner'),
    stateRoot: digest(`state ${height}`),
    transactionsRoot: digest(`transactions ${height}`),
    receiptsRoot: digest(`receipts ${height}`),
    difficulty: '0x1',
    extraData: '0x',
    uncles: [],
  }
}

interface Transfer {
  place: Place
  number: number
  index: number
  from: string
  to: string
  /** Left out: native value. */
  token: string | undefined
}

function transaction({ place, number, index, from, to, token }: Transfer) {
  const hash = digest(`transaction ${number}`)
  const amount = quantity(BigInt(number) * 10n ** 15n + 1n)
  const input = token === undefined ? '0x' : `0xa9059cbb${word(to).slice(2)}${word(amount).slice(2)}`
  const where = { ...place, transactionIndex: quantity(index) }
  const gasPrice = quantity(26_000_000_000)
  const value = token === undefined ? amount : '0x0'
  const signature = { v: '0x1', r: digest(`r ${number}`), s: digest(`s ${number}`) }
  const transfer = {
    topics: [TRANSFER, word(from), word(to)],
    data: word(amount),
    removed: false,
    logIndex: quantity(index),
  }
  const logs = token === undefined ? [] : [{ ...where, transactionHash: hash, address: token, ...transfer }]
  const parties = { from, to: token ?? to }
  return {
    transaction: {
      ...where,
      ...parties,
      hash,
      value,
      type: '0x2',
      gas: '0x15f90',
      gasPrice,
      nonce: quantity(number),
      input,
      ...signature,
    },
    receipt: {
      ...where,
      ...parties,
      transactionHash: hash,
      status: '0x1',
      gasUsed: quantity(21_000),
      cumulativeGasUsed: quantity(21_000 * (index + 1)),
      effectiveGasPrice: gasPrice,
      contractAddress: null,
      logsBloom: BLOOM,
      type: '0x2',
      logs,
    },
  }
}
