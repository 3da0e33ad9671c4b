import { eachElement } from '../../json/spans.ts'
import { type EvmMessage, readMessage } from '../message.ts'

/** A node accepts this many calls in a batch. */
export const MAX_BATCH = 1_000

/** The entries of the array at `at`, at most one more than a node accepts. */
export function splitBatch(body: Buffer, at: number): EvmMessage[] {
  const messages: EvmMessage[] = []
  eachElement(body, at, (from, to) => {
    messages.push(readMessage(body, { from, to }))
    return messages.length <= MAX_BATCH
  })
  return messages
}

/** The same entries in a new body, each unchanged. */
export function joinEntries(body: Buffer, messages: readonly EvmMessage[]): Buffer {
  const parts: Buffer[] = []
  for (const { span } of messages) {
    parts.push(parts.length === 0 ? OPEN : COMMA, body.subarray(span.from, span.to))
  }
  return Buffer.concat([...parts, CLOSE])
}

const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')
