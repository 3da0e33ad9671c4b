import { memberOf } from '../json/spans.ts'
import { skipSpace } from '../json/validate.ts'

const NONE: Buffer = Buffer.alloc(0)

/** The node's own result, without what it echoes: an id may be an object with any content. Empty if there is none. */
export const resultIn = (body: Buffer): Buffer => memberOf(body, 'result', skipSpace(body, 0)) ?? NONE
