import { GoJsonError } from '../json/go-json-error.ts'
import { eachMember, kindOf, type Span } from '../json/spans.ts'
import { decodeString, foldName } from '../json/strings.ts'
import { skipSpace, validateValue } from '../json/validate.ts'

/** What routing needs to know about a call. Nothing is validated: a malformed body may yield partial results. */
export interface ScannedCall {
  /** The version is 2.0; a node refuses anything else. */
  isVersion2: boolean
  /** Undefined when absent, unreadable or not a string. */
  method: string | undefined
  /** The method or version is not text: a node may refuse the call because of it. */
  isOdd: boolean
  id: Span | undefined
  params: Span | undefined
}

/** No known name is longer. */
const MAX_NAME = 256
const QUOTE = 0x22

const text = (body: Buffer, from: number, to: number): string | undefined => {
  if (body[from] !== QUOTE || to - from > MAX_NAME) return undefined
  try {
    return decodeString(body, from, to)
  } catch {
    return undefined
  }
}

/** Compares the usual spellings without creating a string. */
const isPlain = (body: Buffer, from: number, to: number, name: string): boolean => {
  if (to - from !== name.length + 2) return false
  for (let index = 0; index < name.length; index += 1)
    if (body[from + 1 + index] !== name.charCodeAt(index)) return false
  return true
}

const nameOf = (body: Buffer, from: number, to: number): string | undefined => {
  for (const name of ['id', 'method', 'params', 'jsonrpc']) if (isPlain(body, from, to, name)) return name
  const decoded = text(body, from, to)
  return decoded === undefined ? undefined : foldName(decoded)
}

/**
 * The call in the object at `at`: the last duplicate of a member wins, as at a node. Undefined when it is not an
 * object. A value that is not text does not replace an earlier method: a node ignores null this way and executes the
 * earlier one.
 */
export function scanCall(body: Buffer, at: number): ScannedCall | undefined {
  const call: ScannedCall = { isVersion2: false, isOdd: false, method: undefined, id: undefined, params: undefined }
  const end = eachMember(body, at, (keyFrom, keyTo, from, to) => {
    const name = nameOf(body, keyFrom, keyTo)
    if ((name === 'method' || name === 'jsonrpc') && body[from] !== QUOTE) call.isOdd = true
    else if (name === 'method') call.method = text(body, from, to)
    else if (name === 'jsonrpc') call.isVersion2 = isPlain(body, from, to, '2.0')
    else if (name === 'id') call.id = { from, to }
    else if (name === 'params') call.params = { from, to }
  })
  return end < 0 ? undefined : call
}

/**
 * True when the answer depends on nothing but method and params: a call that a node would refuse for another reason
 * (version, id, malformed parts that a scan skips) must not be answered from a cache.
 */
export function isCleanCall(body: Buffer, call: ScannedCall): boolean {
  if (!call.isVersion2 || call.isOdd || call.method === undefined || call.id === undefined) return false
  if (kindOf(body, call.id.from) === 'null') return false
  try {
    validateValue(body, bodyStart(body))
    return true
  } catch (error) {
    if (error instanceof GoJsonError) return false
    throw error
  }
}

/** Where the first value of a body begins. */
export const bodyStart = (body: Buffer): number => skipSpace(body, 0)
