import { memberOf, memberSpan } from '../../../json/spans.ts'

/** What a node pushes to a subscriber; spans are bytes of the message. */
export interface Notification {
  message: Buffer
  /** Id of the subscription at the node. */
  subscription: string
  /** Position of the id's text in the message, without quotes. */
  at: { from: number; to: number }
  result: Buffer
}

/** Undefined when the message is not a notification. */
export function readNotification(message: Buffer): Notification | undefined {
  const params = memberSpan(message, 'params')
  const id = params && memberSpan(message, 'subscription', params.from)
  const result = params && memberOf(message, 'result', params.from)
  if (!id || !result || message[id.from] !== 0x22) return undefined
  const at = { from: id.from + 1, to: id.to - 1 }
  return { message, subscription: message.toString('latin1', at.from, at.to), at, result }
}

/** The same bytes with the id that the client knows. */
export function withSubscription({ message, subscription, at }: Notification, id: string): Buffer {
  if (subscription === id) return message
  return Buffer.concat([message.subarray(0, at.from), Buffer.from(id, 'latin1'), message.subarray(at.to)])
}

/** A notification made here in a node's format; `result` is JSON. */
export const writeNotification = (namespace: string, id: string, result: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","method":"${namespace}_subscription","params":{"subscription":"${id}","result":`),
    result,
    Buffer.from('}}\n'),
  ])

const QUANTITY = /^0x[0-9a-fA-F]{1,16}$/

/** Text or hex quantity in a member of an object. */
export function textMember(object: Buffer, name: string): string | undefined {
  const value = memberOf(object, name)
  return value?.[0] === 0x22 ? value.toString('latin1', 1, value.length - 1) : value?.toString('latin1')
}

/** Height in a member of an object. */
export function heightMember(object: Buffer, name: string): bigint | undefined {
  const text = textMember(object, name)
  return text !== undefined && QUANTITY.test(text) ? BigInt(text) : undefined
}
