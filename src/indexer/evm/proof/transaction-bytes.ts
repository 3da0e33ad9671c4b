import type { RpcTransaction } from '../rpc-block.ts'
import { createRlpWriter, type RlpWriter } from './rlp-writer.ts'

type Members = Record<string, unknown>
type Write = (to: RlpWriter, value: unknown) => void

const quantity: Write = (to, value) => to.quantity(value)
const bytes: Write = (to, value) => to.bytes(value)
/** No address is nothing: a contract is made. */
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

const fields =
  (names: readonly (readonly [string, Write])[]): Write =>
  (to, value) => {
    const mark = to.mark()
    for (const [name, write] of names.toReversed()) write(to, (value as Members)[name])
    to.list(mark)
  }

const access = fields([
  ['address', bytes],
  ['storageKeys', listOf(bytes)],
])
const authorization = fields([
  ['chainId', quantity],
  ['address', bytes],
  ['nonce', quantity],
  ['yParity', quantity],
  ['r', quantity],
  ['s', quantity],
])

const call = [
  ['gas', quantity],
  ['to', recipient],
  ['value', quantity],
  ['input', bytes],
] as const
const signature = [
  ['v', quantity],
  ['r', quantity],
  ['s', quantity],
] as const
const begin = [
  ['chainId', quantity],
  ['nonce', quantity],
] as const
const fees = [
  ['maxPriorityFeePerGas', quantity],
  ['maxFeePerGas', quantity],
] as const
const accesses = [['accessList', listOf(access)]] as const
const blobs = [
  ['maxFeePerBlobGas', quantity],
  ['blobVersionedHashes', listOf(bytes)],
] as const
const authorizations = [['authorizationList', listOf(authorization)]] as const

/** What stands in the list of each type. */
const TYPES: Record<string, Write> = {
  '0x0': fields([['nonce', quantity], ['gasPrice', quantity], ...call, ...signature]),
  '0x1': fields([...begin, ['gasPrice', quantity], ...call, ...accesses, ...signature]),
  '0x2': fields([...begin, ...fees, ...call, ...accesses, ...signature]),
  '0x3': fields([...begin, ...fees, ...call, ...accesses, ...blobs, ...signature]),
  '0x4': fields([...begin, ...fees, ...call, ...accesses, ...authorizations, ...signature]),
}

const writer = createRlpWriter()
const isNothing = (value: unknown): boolean => value == null || /^0x0*$/.test(String(value))

/**
 * A transaction as it stands in its block, from what a node says of it: what it is hashed over. Undefined where the form
 * is not known: other types, and transactions that chains make themselves without a signature.
 */
export function transactionBytes(transaction: RpcTransaction): Uint8Array | undefined {
  const members = transaction as unknown as Members
  const type = transaction.type ?? '0x0'
  const write = TYPES[type]
  if (!write || (isNothing(members['r']) && isNothing(members['s']))) return undefined
  writer.clear()
  // Newer nodes call the parity of typed ones yParity, and some leave the older name out.
  write(writer, members['v'] == null ? { ...members, v: members['yParity'] } : members)
  if (type !== '0x0') writer.byte(Number(type))
  return Buffer.from(writer.view())
}
