import { goJson } from '../../../lib/json/go-json.ts'
import { GoJsonError } from '../json/go-json-error.ts'
import { eachMember, kindOf } from '../json/spans.ts'
import { decodeString, foldName } from '../json/strings.ts'
import { skipSpace, validateValue } from '../json/validate.ts'
import { compactJson } from '../json/write.ts'

/** One call in the dialect of the node's non-EVM endpoints, as far as it could be decoded. */
export interface GorillaRequest {
  jsonrpc: string
  method: string
  /** Unparsed JSON; undefined when absent or null. */
  params: Buffer | undefined
  /** As echoed: compacted and escaped. Undefined when absent or null: a notification. */
  id: Buffer | undefined
}

export type ParsedRequest =
  | { kind: 'call'; request: GorillaRequest }
  /** Answered with -32700 and the members that were decoded. */
  | { kind: 'unreadable'; message: string; request: GorillaRequest }

const emptyRequest = (): GorillaRequest => ({ jsonrpc: '', method: '', params: undefined, id: undefined })

/** Sets one member; returns the decoder's error when its type is wrong (decoding continues after it). */
function assign(request: GorillaRequest, name: string, body: Buffer, from: number, to: number): string | undefined {
  const kind = kindOf(body, from)
  if (name === 'id') request.id = kind === 'null' ? undefined : compactJson(body.subarray(from, to))
  else if (name === 'params') request.params = kind === 'null' ? undefined : body.subarray(from, to)
  else if (kind === 'string') {
    const text = decodeString(body, from, to)
    if (name === 'method') request.method = text
    else request.jsonrpc = text
  } else if (kind !== 'null')
    return `json: cannot unmarshal ${kind} into Go struct field serverRequest.${name} of type string`
  return undefined
}

const MEMBERS = new Set(['jsonrpc', 'method', 'params', 'id'])

/**
 * Parses a body as the node's library does: the first JSON value counts and the rest is ignored, member names are
 * case-insensitive, the last duplicate wins, null leaves a member out.
 */
export function parseRequest(body: Buffer): ParsedRequest {
  const request = emptyRequest()
  const start = skipSpace(body, 0)
  if (start >= body.length) return { kind: 'unreadable', message: 'EOF', request }
  try {
    validateValue(body, start)
  } catch (error) {
    if (error instanceof GoJsonError) return { kind: 'unreadable', message: error.message, request }
    throw error
  }
  const kind = kindOf(body, start)
  if (kind === 'null') return { kind: 'call', request }
  if (kind !== 'object')
    return {
      kind: 'unreadable',
      message: `json: cannot unmarshal ${kind} into Go value of type json2.serverRequest`,
      request,
    }
  let complaint: string | undefined
  eachMember(body, start, (keyFrom, keyTo, from, to) => {
    // An escape has at most six bytes per character: longer names cannot be ours.
    if (keyTo - keyFrom > 64) return
    const name = foldName(decodeString(body, keyFrom, keyTo))
    if (!MEMBERS.has(name)) return
    const wrong = assign(request, name, body, from, to)
    complaint ??= wrong
  })
  return complaint === undefined ? { kind: 'call', request } : { kind: 'unreadable', message: complaint, request }
}

/** The request as shown in error data: always all four members, in this order. */
export function requestData(request: GorillaRequest): Buffer {
  const head = `{"jsonrpc":${goJson(request.jsonrpc)},"method":${goJson(request.method)},"params":`
  return Buffer.concat([
    Buffer.from(head),
    request.params === undefined ? NULL : compactJson(request.params),
    Buffer.from(',"id":'),
    request.id ?? NULL,
    Buffer.from('}'),
  ])
}

const NULL = Buffer.from('null')
