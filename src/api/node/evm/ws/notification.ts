import { eachMember } from '../../json/spans.ts'

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
  let found: Notification | undefined
  eachMember(message, 0, (keyFrom, keyTo, from) => {
    if (message.toString('latin1', keyFrom, keyTo) !== '"params"') return
    let at: Notification['at'] | undefined
    let result: Buffer | undefined
    eachMember(message, from, (nameFrom, nameTo, valueFrom, valueTo) => {
      const name = message.toString('latin1', nameFrom, nameTo)
      if (name === '"subscription"' && message[valueFrom] === 0x22) at = { from: valueFrom + 1, to: valueTo - 1 }
      if (name === '"result"') result = message.subarray(valueFrom, valueTo)
    })
    if (at && result) found = { message, subscription: message.toString('latin1', at.from, at.to), at, result }
  })
  return found
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
  let found: string | undefined
  if (object[0] !== 0x7b) return undefined
  eachMember(object, 0, (keyFrom, keyTo, from, to) => {
    if (keyTo - keyFrom === name.length + 2 && object.toString('latin1', keyFrom + 1, keyTo - 1) === name)
      found = object[from] === 0x22 ? object.toString('latin1', from + 1, to - 1) : object.toString('latin1', from, to)
  })
  return found
}

/** Height in a member of an object. */
export function heightMember(object: Buffer, name: string): bigint | undefined {
  const text = textMember(object, name)
  return text !== undefined && QUANTITY.test(text) ? BigInt(text) : undefined
}
