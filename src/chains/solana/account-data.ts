import { BadAnswerError } from '../../errors.ts'
import { recordOf } from '../../lib/json/json-record.ts'

/** The parts of an account that are used here. */
export interface AccountData {
  /** Program that owns the account, base58. */
  program: string
  /** As many bytes as were requested. */
  bytes: Buffer
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Reads an account in base64 encoding from an answer. Throws BadAnswerError for any other form. */
export const readAccountData = (value: unknown, what: string): AccountData => {
  const { owner, data } = recordOf(value, what)
  const [text, encoding] = Array.isArray(data) ? data : []
  if (typeof owner !== 'string') throw new BadAnswerError(`${what} has no owner`)
  if (typeof text !== 'string' || encoding !== 'base64' || !BASE64.test(text)) {
    throw new BadAnswerError(`${what} is not in base64`)
  }
  return { program: owner, bytes: Buffer.from(text, 'base64') }
}
