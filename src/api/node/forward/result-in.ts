import { eachMember } from '../json/spans.ts'
import { skipSpace } from '../json/validate.ts'

const NONE: Buffer = Buffer.alloc(0)
const RESULT = '"result"'

/** The node's own result, without what it echoes: an id may be an object with any content. Empty if there is none. */
export function resultIn(body: Buffer): Buffer {
  let found = NONE
  eachMember(body, skipSpace(body, 0), (keyFrom, keyTo, from, to) => {
    if (keyTo - keyFrom === RESULT.length && body.toString('latin1', keyFrom, keyTo) === RESULT)
      found = body.subarray(from, to)
  })
  return found
}
