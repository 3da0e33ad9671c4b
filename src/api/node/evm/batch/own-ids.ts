import { withOwnId } from '../answers.ts'
import type { EvmMessage } from '../message.ts'

const START = Buffer.from('{"jsonrpc":"2.0","id":')
const PARAMS = Buffer.from(',"params":')
const END = Buffer.from('}')
const NULL = Buffer.from('null')

/** Servers may answer a batch in any order: answers with the same id could then not be told apart. */
export function shareIds(messages: readonly EvmMessage[]): boolean {
  const ids = messages.flatMap(({ kind, id = NULL }) => (kind === 'call' ? [id.toString('latin1')] : []))
  return new Set(ids).size < ids.length
}

/** The same calls in a new body, each with its number as id. */
export function numbered(body: Buffer, messages: readonly EvmMessage[]): Buffer {
  const parts = messages.flatMap((message, index) => [
    Buffer.from(index === 0 ? '[' : ','),
    ...(message.kind === 'call' ? numberedCall(message, index) : [body.subarray(message.span.from, message.span.to)]),
  ])
  return Buffer.concat([...parts, Buffer.from(']')])
}

const numberedCall = ({ method, params }: EvmMessage, index: number): Buffer[] => [
  START,
  Buffer.from(`${index},"method":${JSON.stringify(method)}`),
  ...(params ? [PARAMS, params] : []),
  END,
]

/** An answer with the id of the caller. */
export const underOwnId = ({ kind, id }: EvmMessage, entry: Buffer): Buffer =>
  kind === 'call' ? withOwnId(entry, id ?? NULL) : entry
