import { memberName, shortText } from '../json/member-names.ts'
import { eachMember, type Span } from '../json/spans.ts'
import { compactJson } from '../json/write.ts'

/** One entry of a body as geth's JSON-RPC reads it. Spans and bytes point into the body. */
export interface EvmMessage {
  span: Span
  /** Empty when absent, unreadable or not a string. */
  method: string
  /** As echoed; undefined when absent. */
  id: Buffer | undefined
  /** Unparsed; undefined when absent. */
  params: Buffer | undefined
  /** `call` gets an answer with its id; `silent` (notifications, responses) none; `invalid` an error of its own. */
  kind: 'call' | 'silent' | 'invalid'
}

const QUOTE = 0x22
const NULL_START = 0x6e
const NAMES = ['id', 'method', 'params', 'jsonrpc', 'result', 'error']

/**
 * The message in `span`: the last duplicate of a member wins, names are case-insensitive; a version or method that is
 * not text does not replace an earlier one. The members' values are not checked; a body is validated before it is used
 * for anything but forwarding.
 */
export function readMessage(body: Buffer, span: Span): EvmMessage {
  let version = ''
  let method = ''
  let id: Span | undefined
  let params: Span | undefined
  let hasResult = false
  let hasError = false
  eachMember(body, span.from, (keyFrom, keyTo, from, to) => {
    const name = memberName(body, keyFrom, keyTo, NAMES)
    if ((name === 'jsonrpc' || name === 'method') && body[from] !== QUOTE) return
    if (name === 'jsonrpc') version = shortText(body, from, to) ?? ''
    else if (name === 'method') method = shortText(body, from, to) ?? ''
    else if (name === 'id') id = { from, to }
    else if (name === 'params') params = { from, to }
    else if (name === 'result') hasResult = true
    else if (name === 'error') hasError = body[from] !== NULL_START
  })
  const response = hasResult || hasError
  const first = id && body[id.from]
  const validId = first !== undefined && first !== 0x7b && first !== 0x5b
  const kind = kindOf(version === '2.0', method !== '', id !== undefined, validId, response && params === undefined)
  return {
    span,
    method,
    id: id && compactJson(body.subarray(id.from, id.to)),
    params: params && body.subarray(params.from, params.to),
    kind,
  }
}

function kindOf(
  version: boolean,
  method: boolean,
  hasId: boolean,
  validId: boolean,
  response: boolean,
): EvmMessage['kind'] {
  if (!version) return 'invalid'
  if (method && !hasId) return 'silent'
  if (method && validId) return 'call'
  return validId && response ? 'silent' : 'invalid'
}
