import { Transaction } from 'ethers'
import type { EvmTransaction } from './evm-chain.ts'
import { EvmError } from './evm-rpc.ts'

/** What a pool needs to know about the chain to judge a transaction. */
export interface PoolView {
  chainId: number
  gasLimit: bigint
  minimumFee: bigint
  balance(account: string): bigint
  nonce(account: string): bigint
}

const FEE_CAP_WEI = 100n * 10n ** 18n
const MAX_BYTES = 131_072
const MAX_INIT_CODE = 49_152
const TRANSACTION_GAS = 21_000n
const CREATION_GAS = 32_000n

const refuse = (text: string): never => {
  throw new EvmError(-32000, text)
}

const TYPES = ['LegacyTx', 'AccessListTx', 'DynamicFeeTx']

/** Why bytes are no transaction, where it is seen at their beginning. */
function rlpProblem(raw: string, first: number): string {
  const isLegacy = first >= 0x80
  const list = Number.parseInt(raw.slice(isLegacy ? 2 : 4, isLegacy ? 4 : 6), 16)
  const type = `types.${TYPES[isLegacy ? 0 : first]}`
  if (list < 0xc0) return `rlp: expected input list for ${type}`
  return list === 0xc0 ? `rlp: too few elements for ${type}` : 'rlp: value size exceeds available input length'
}

function decode(raw: string): Transaction {
  const first = Number.parseInt(raw.slice(2, 4), 16)
  if (raw.length < 6 && !(first >= 0x80)) return refuse('typed transaction too short')
  if (first < 0x80 && first !== 1 && first !== 2) return refuse('transaction type not supported')
  try {
    return Transaction.from(raw)
  } catch {
    return refuse(rlpProblem(raw, first))
  }
}

/** Go prints the fee with two decimals of an ether. */
function ether(wei: bigint): string {
  const cents = (wei + 5n * 10n ** 15n) / 10n ** 16n
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

function intrinsicGas(transaction: Transaction): bigint {
  const bytes = Buffer.from(transaction.data.slice(2), 'hex')
  let gas = transaction.to === null ? TRANSACTION_GAS + CREATION_GAS : TRANSACTION_GAS
  for (const byte of bytes) gas += byte === 0 ? 4n : 16n
  if (transaction.to === null) gas += 2n * BigInt(Math.ceil(bytes.length / 32))
  for (const { storageKeys } of transaction.accessList ?? []) gas += 2400n + 1900n * BigInt(storageKeys.length)
  return gas
}

function checkForm(transaction: Transaction, raw: string, view: PoolView, cap: bigint): void {
  const size = (raw.length - 2) / 2
  const code = (transaction.data.length - 2) / 2
  if (cap * transaction.gasLimit > FEE_CAP_WEI) {
    refuse(`tx fee (${ether(cap * transaction.gasLimit)} ether) exceeds the configured cap (100.00 ether)`)
  }
  if (transaction.type === 0 && transaction.chainId === 0n) {
    refuse('only replay-protected (EIP-155) transactions allowed over RPC')
  }
  if (size > MAX_BYTES) refuse(`oversized data: transaction size ${size}, limit ${MAX_BYTES}`)
  if (transaction.to === null && code > MAX_INIT_CODE) {
    refuse(`max initcode size exceeded: code size ${code}, limit ${MAX_INIT_CODE}`)
  }
  if (transaction.gasLimit > view.gasLimit) refuse('exceeds block gas limit')
  const tip = transaction.maxPriorityFeePerGas ?? 0n
  if (tip > cap) refuse('max priority fee per gas higher than max fee per gas')
}

function checkFees(transaction: Transaction, view: PoolView, cap: bigint, sender: string): void {
  if (transaction.chainId !== BigInt(view.chainId)) refuse('invalid sender')
  if (cap < view.minimumFee) {
    refuse(
      `transaction underpriced: address ${sender} have gas fee cap (${cap}) < pool minimum fee cap (${view.minimumFee})`,
    )
  }
  const needed = intrinsicGas(transaction)
  if (transaction.gasLimit < needed) {
    refuse(`intrinsic gas too low: address ${sender} tx gas (${transaction.gasLimit}), minimum needed ${needed}`)
  }
}

/** Judges a raw transaction as a node's pool does, in its order and with its texts; returns its hash. */
export function checkRawTransaction(raw: string, view: PoolView): string {
  const transaction = decode(raw)
  const cap = transaction.maxFeePerGas ?? transaction.gasPrice ?? 0n
  checkForm(transaction, raw, view, cap)
  const sender = transaction.from ?? '0x'
  checkFees(transaction, view, cap, sender)
  const account = sender.toLowerCase()
  const next = view.nonce(account)
  if (BigInt(transaction.nonce) < next) refuse(`nonce too low: next nonce ${next}, tx nonce ${transaction.nonce}`)
  const balance = view.balance(account)
  const cost = cap * transaction.gasLimit + transaction.value
  if (balance < cost) {
    refuse(
      `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`,
    )
  }
  return transaction.hash ?? '0x'
}

/** The bytes of a transaction that a block shows, as `0x…`. */
export function rawTransaction(shown: EvmTransaction): string {
  const { type, nonce, gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas, to, value, input, v, r, s } = shown
  return Transaction.from({
    ...(maxFeePerGas === undefined
      ? { gasPrice }
      : { maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? '0x0' }),
    type: Number(type),
    chainId: shown.chainId ?? 0,
    nonce: Number(nonce),
    gasLimit: gas,
    to,
    value,
    data: input,
    accessList: shown.accessList ?? null,
    signature: { r: evenHex(r), s: evenHex(s), v },
  }).serialized
}

/** Blocks show numbers without leading zeros; a signature's parts have 32 bytes. */
const evenHex = (number: string): string => `0x${number.slice(2).padStart(64, '0')}`
