import { BadAnswerError } from '../../../errors.ts'

/** Bytes that violate the format: reports the byte offset in the buffer and the type being read. */
export class CodecError extends BadAnswerError {
  /** Byte offset from the start of the decoded buffer. */
  readonly offset: number
  /** The type being read, as this codec names it. */
  readonly type: string

  constructor(reason: string, offset: number, type: string) {
    super(`${type}: ${reason} at byte ${offset}`)
    this.offset = offset
    this.type = type
  }
}
