import { goJson } from '../../../lib/json/go-json.ts'
import { JSON_EVM, type NodeAnswer } from '../http/answer.ts'
import { memberOf, memberSpan } from '../json/spans.ts'

/** JSON-RPC error codes as geth uses them. */
export const EVM_CODES = { invalidRequest: -32600, server: -32000, tooLarge: -32003, internal: -32603 } as const

const START = Buffer.from('{"jsonrpc":"2.0","id":')
const RESULT = Buffer.from(',"result":')
const END = Buffer.from('}')
const NULL = Buffer.from('null')
const NEWLINE = 0x0a

/** One answer without a newline; `result` is JSON text, copied unchanged. */
export const resultEntry = (id: Buffer | undefined, result: string): Buffer =>
  Buffer.concat([START, id ?? NULL, RESULT, Buffer.from(result), END])

/** One error without a newline. */
export const errorEntry = (id: Buffer | undefined, code: number, message: string): Buffer =>
  Buffer.concat([START, id ?? NULL, Buffer.from(`,"error":{"code":${code},"message":${goJson(message)}}}`)])

/** The error where no node answered: clients ask again for an internal one, and give up for an error of a node's own. */
export const unansweredEntry = (id: Buffer | undefined, message = 'no node answered'): Buffer =>
  errorEntry(id, EVM_CODES.internal, message)

/** A whole body that ends with a newline, as Go's encoder writes it. */
export const bodyOf = (entry: Buffer): NodeAnswer => ({
  status: 200,
  contentType: JSON_EVM,
  body: Buffer.concat([entry, Buffer.from('\n')]),
})

/** Refusals before anything is executed: no newline, and the length comes first. */
export const refusedBody = (entry: Buffer): NodeAnswer => ({
  status: 200,
  contentType: JSON_EVM,
  body: entry,
  framing: 'length-first',
})

/** For notifications, and for responses that nobody asked for. */
export const silence = (): NodeAnswer => ({ status: 200, contentType: JSON_EVM, body: Buffer.alloc(0) })

/** The body without its final newline. */
export const trimmed = (body: Buffer): Buffer =>
  body[body.length - 1] === NEWLINE ? body.subarray(0, body.length - 1) : body

/** The bytes of `result`; undefined when the entry is an error or not a valid answer. */
export const resultOf = (entry: Buffer): Buffer | undefined => memberOf(entry, 'result')

/** The id in the answer. */
export const idOf = (entry: Buffer): Buffer | undefined => memberOf(entry, 'id')

/** The same answer with another id, wherever the id stands; unchanged when there is none. */
export function withOwnId(entry: Buffer, id: Buffer): Buffer {
  const span = memberSpan(entry, 'id')
  return span ? Buffer.concat([entry.subarray(0, span.from), id, entry.subarray(span.to)]) : entry
}

/** The same answer for a caller with another id; undefined when it is not in the form that nodes write. */
export function withId(entry: Buffer, from: Buffer, to: Buffer): Buffer | undefined {
  if (from.equals(to)) return entry
  const at = START.length
  const end = at + from.length
  if (!entry.subarray(0, at).equals(START) || !entry.subarray(at, end).equals(from) || entry[end] !== 0x2c)
    return undefined
  return Buffer.concat([START, to, entry.subarray(end)])
}
