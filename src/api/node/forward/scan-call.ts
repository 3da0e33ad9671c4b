import { GoJsonError } from '../json/go-json-error.ts'
import { isPlain, memberName, shortText } from '../json/member-names.ts'
import { eachMember, kindOf, type Span } from '../json/spans.ts'
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

const NAMES = ['id', 'method', 'params', 'jsonrpc']
const QUOTE = 0x22

/**
 * The call that a body begins with: the last duplicate of a member wins, as at a node. Undefined when it is not an
 * object. A value that is not text does not replace an earlier method: a node ignores null this way and executes the
 * earlier one.
 */
export function scanCall(body: Buffer): ScannedCall | undefined {
  const call: ScannedCall = { isVersion2: false, isOdd: false, method: undefined, id: undefined, params: undefined }
  const end = eachMember(body, bodyStart(body), (keyFrom, keyTo, from, to) => {
    const name = memberName(body, keyFrom, keyTo, NAMES)
    if ((name === 'method' || name === 'jsonrpc') && body[from] !== QUOTE) call.isOdd = true
    else if (name === 'method') call.method = shortText(body, from, to)
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
const bodyStart = (body: Buffer): number => skipSpace(body, 0)
