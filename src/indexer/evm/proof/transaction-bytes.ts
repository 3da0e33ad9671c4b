import { quantity, type RpcTransaction } from '../rpc-block.ts'
import { createRlpWriter, type RlpWriter } from './rlp-writer.ts'

type Members = Record<string, unknown>
type Write = (to: RlpWriter, value: unknown) => void

const number: Write = (to, value) => to.quantity(value)
const bytes: Write = (to, value) => to.bytes(value)
/** No address: the transaction creates a contract. */
const recipient: Write = (to, value) => to.bytes(value ?? '0x')

/** Writes a list whose items are written by `each`. */
const listOf =
  (each: Write): Write =>
  (to, value) => {
    const mark = to.mark()
    const items = Array.isArray(value) ? value : []
    for (const item of items.toReversed()) each(to, item)
    to.list(mark)
  }

const fields = (names: readonly (readonly [string, Write])[]): Write => {
  const backwards = names.toReversed()
  return (to, value) => {
    const mark = to.mark()
    for (const [name, write] of backwards) write(to, (value as Members)[name])
    to.list(mark)
  }
}

const access = fields([
  ['address', bytes],
  ['storageKeys', listOf(bytes)],
])
const authorization = fields([
  ['chainId', number],
  ['address', bytes],
  ['nonce', number],
  ['yParity', number],
  ['r', number],
  ['s', number],
])

const call = [
  ['gas', number],
  ['to', recipient],
  ['value', number],
  ['input', bytes],
] as const
const signature = [
  ['v', number],
  ['r', number],
  ['s', number],
] as const
const begin = [
  ['chainId', number],
  ['nonce', number],
] as const
const fees = [
  ['maxPriorityFeePerGas', number],
  ['maxFeePerGas', number],
] as const
const accesses = [['accessList', listOf(access)]] as const
const blobs = [
  ['maxFeePerBlobGas', number],
  ['blobVersionedHashes', listOf(bytes)],
] as const
const authorizations = [['authorizationList', listOf(authorization)]] as const

/** List members of each type. */
const TYPES: Record<string, Write> = {
  '0x0': fields([['nonce', number], ['gasPrice', number], ...call, ...signature]),
  '0x1': fields([...begin, ['gasPrice', number], ...call, ...accesses, ...signature]),
  '0x2': fields([...begin, ...fees, ...call, ...accesses, ...signature]),
  '0x3': fields([...begin, ...fees, ...call, ...accesses, ...blobs, ...signature]),
  '0x4': fields([...begin, ...fees, ...call, ...accesses, ...authorizations, ...signature]),
}

const writer = createRlpWriter()
/** Newer nodes call it yParity; some omit the older name or fill it as in untyped transactions. */
const isParity = (v: unknown): boolean => v === '0x0' || v === '0x1'
const isNothing = (value: unknown): boolean => value == null || /^0x0*$/.test(String(value))

/** Whether it is signed, not made by the chain itself. */
export function isSigned(transaction: RpcTransaction): boolean {
  const { r, s } = transaction as unknown as Members
  return Object.hasOwn(TYPES, typeOf(transaction)) && !(isNothing(r) && isNothing(s))
}

function typeOf(transaction: RpcTransaction): string {
  const type = transaction.type ?? '0x0'
  return Object.hasOwn(TYPES, type) ? type : `0x${quantity(type).toString(16)}`
}

/**
 * A transaction as encoded in its block, which its hash covers, built from a node's answer. Undefined for unknown
 * formats: other types, and transactions that chains make themselves without a signature.
 */
export function transactionBytes(transaction: RpcTransaction): Uint8Array | undefined {
  const members = transaction as unknown as Members
  const type = typeOf(transaction)
  const write = TYPES[type]
  if (!write || !isSigned(transaction)) return undefined
  writer.clear()
  write(writer, type === '0x0' || isParity(members['v']) ? members : { ...members, v: members['yParity'] })
  if (type !== '0x0') writer.byte(Number(type))
  return Buffer.from(writer.view())
}
