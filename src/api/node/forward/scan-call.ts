import { GoJsonError } from '../json/go-json-error.ts'
import { eachMember, kindOf, type Span } from '../json/spans.ts'
import { decodeString, foldName } from '../json/strings.ts'
import { skipSpace, validateValue } from '../json/validate.ts'

/** What routing needs to know of a call. Nothing is checked: a malformed body gives something or nothing. */
export interface ScannedCall {
  /** It says that it is version 2.0; a node refuses all else. */
  isVersion2: boolean
  /** Undefined when absent, no string, or unreadable. */
  method: string | undefined
  /** A method or version is there that is no text: a node may refuse the call for it. */
  isOdd: boolean
  id: Span | undefined
  params: Span | undefined
}

/** Names longer than this are none of ours. */
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

/** The usual spellings, without making a string for them. */
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
 * The call in the object at `at`: the last duplicate of a member wins, as at a node. Undefined when it is no object. What
 * is no text leaves a method as it was: null does so at a node, which then executes what stood before it.
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
 * True when the answer to this call depends on nothing but its method and params: what a node would refuse for another
 * reason (version, id, malformed parts that a scan passes over) must not be answered from a cache.
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
