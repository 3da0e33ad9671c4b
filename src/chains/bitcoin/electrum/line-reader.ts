import { BadAnswerError } from '../../../errors.ts'

const LINE_FEED = 0x0a

/**
 * Splits a byte stream into lines and passes each on as text. Throws BadAnswerError as soon as a line grows beyond
 * `maxBytes`, before its end arrives.
 */
export const createLineReader = (maxBytes: number, onLine: (line: string) => void) => {
  let parts: Buffer[] = []
  let held = 0

  const take = (part: Buffer): void => {
    held += part.length
    if (held > maxBytes) throw new BadAnswerError(`line of more than ${maxBytes} bytes`)
    parts.push(part)
  }

  return (chunk: Buffer): void => {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      take(chunk.subarray(start, end))
      const line = Buffer.concat(parts, held).toString('utf8').trim()
      parts = []
      held = 0
      start = end + 1
      if (line !== '') onLine(line)
    }
    if (start < chunk.length) take(chunk.subarray(start))
  }
}
