import { EVM_CODES, errorEntry, resultOf } from '../answers.ts'
import type { EvmMessage } from '../message.ts'

/** A node stops executing a batch once its results have more bytes than this. */
export const MAX_BATCH_RESULTS = 25_000_000

const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']\n')
const CUT = Buffer.from(']')

/**
 * One body of the answers, in the order of the questions; a question without an answer is left out. The result that
 * crosses the limit is still in it, what comes behind gets an error, as at a node. Empty when nobody is answered.
 */
export function joinAnswers(
  messages: readonly EvmMessage[],
  answerTo: (message: EvmMessage) => Buffer | undefined,
  limit: number = MAX_BATCH_RESULTS,
): Buffer {
  const answers = messages.map(answerTo)
  const total = answers.reduce((sum, answer) => sum + (answer?.length ?? 0), 0)
  const parts: Buffer[] = []
  let bytes = 0
  messages.forEach((message, index) => {
    const given = answers[index]
    if (!given) return
    const over = bytes > limit
    const answer = over ? errorEntry(message.id, EVM_CODES.tooLarge, 'response too large') : given
    parts.push(parts.length === 0 ? OPEN : COMMA, answer)
    // Where a result ends need not be looked for as long as everything together is small enough.
    if (total > limit && !over) bytes += resultOf(given)?.length ?? 0
  })
  if (parts.length === 0) return Buffer.alloc(0)
  // What a node cuts short ends without a newline.
  return Buffer.concat([...parts, bytes > limit ? CUT : CLOSE])
}
