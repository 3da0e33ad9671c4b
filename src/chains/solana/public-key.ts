import { BadAnswerError, BadInputError } from '../../errors.ts'
import { decodeBase58 } from '../../lib/bytes/base58.ts'

const KEY_BYTES = 32
/** 32 bytes take 32 (all zero) to 44 digits. */
const KEY_FORM = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

const decode = (text: unknown): Uint8Array | undefined => {
  if (typeof text !== 'string' || !KEY_FORM.test(text)) return undefined
  const bytes = decodeBase58(text)
  return bytes.length === KEY_BYTES ? bytes : undefined
}

/** The 32 bytes of an account address in a request. Throws BadInputError when it is not an address. */
export const readAccountAddress = (id: string): Uint8Array => {
  const bytes = decode(id)
  if (!bytes) throw new BadInputError(`address ${id} is not 32 bytes in base58`)
  return bytes
}

/** An address in an answer. Only its form is checked, since it is compared, never decoded. Throws BadAnswerError. */
export const readAnsweredAddress = (text: unknown, what: string): string => {
  if (typeof text !== 'string' || !KEY_FORM.test(text)) throw new BadAnswerError(`${what} has no address`)
  return text
}
