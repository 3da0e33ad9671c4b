import { eachMember } from '../json/spans.ts'
import { skipSpace } from '../json/validate.ts'

/** What a body is to the call it was received for: its answer, the answer to another call, or no answer. */
export type Answered = 'this' | 'other' | 'nothing'

/** Nodes begin every answer to a single call like this; other servers order the members differently. */
const START = Buffer.from('{"jsonrpc":"2.0",')
const ID = Buffer.from('"id":')
const COMMA = 0x2c
const NULL_START = 0x6e
const END = Buffer.from('}\n')

/** Whether these bytes stand there, whole. */
export const hasAt = (body: Buffer, at: number, part: Buffer): boolean =>
  at >= 0 && at + part.length <= body.length && body.compare(part, 0, part.length, at, at + part.length) === 0

/** Fast path for the two forms of nodes: the id right after the version (EVM), or at the end (gorilla). */
function inNodeForm(body: Buffer, id: Buffer): boolean {
  if (!hasAt(body, 0, START)) return false
  const behind = START.length + ID.length
  if (hasAt(body, START.length, ID) && hasAt(body, behind, id)) return body[behind + id.length] === COMMA
  const at = body.length - END.length - id.length
  return (
    hasAt(body, at + id.length, END) &&
    hasAt(body, at, id) &&
    hasAt(body, at - ID.length, ID) &&
    body[at - ID.length - 1] === COMMA
  )
}

/** Ids are short; longer ones are slow to parse, and callers choose them. Bytes. */
const LONGEST_ID = 4_096

/** The same value in any notation: servers other than nodes may parse an id and serialise it again. */
function sameValue(given: Buffer, sent: Buffer): boolean {
  if (given.equals(sent)) return true
  if (given.length > LONGEST_ID || sent.length > LONGEST_ID) return false
  try {
    const [a, b]: unknown[] = [JSON.parse(given.toString('utf8')), JSON.parse(sent.toString('utf8'))]
    return a === b
  } catch {
    return false
  }
}

/**
 * Whether a body is the answer to the call with this id: a result or an error with that id. An error may have id null,
 * as a server sends it that could not parse the call.
 */
export function answeredCall(body: Buffer, id: Buffer): Answered {
  if (inNodeForm(body, id)) return 'this'
  let said: 'result' | 'error' | undefined
  let own: Buffer | undefined
  eachMember(body, skipSpace(body, 0), (keyFrom, keyTo, from, to) => {
    if (keyTo - keyFrom > 8) return
    const name = body.toString('latin1', keyFrom + 1, keyTo - 1)
    if (name === 'id') own = body.subarray(from, to)
    else if (name === 'error' && body[from] === NULL_START) return
    else if (name === 'result' || name === 'error') said = said === 'error' ? said : name
  })
  if (said === undefined) return 'nothing'
  if (own && sameValue(own, id)) return 'this'
  const nameless = own === undefined || own[0] === NULL_START
  return nameless && said === 'error' ? 'this' : 'other'
}
