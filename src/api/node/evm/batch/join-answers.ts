import type { EvmMessage } from '../message.ts'
import { createResultRoom, MAX_BATCH_RESULTS, tooLarge } from './result-room.ts'

const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']\n')
const CUT = Buffer.from(']')

/**
 * One body of the answers, in the order of the calls; a call without an answer is left out. The result that crosses the
 * limit is included, and later calls get an error, as at a node. Empty when there is no answer at all.
 */
export function joinAnswers(
  messages: readonly EvmMessage[],
  answerTo: (message: EvmMessage) => Buffer | undefined,
  limit: number = MAX_BATCH_RESULTS,
): Buffer {
  const room = createResultRoom(limit)
  const parts: Buffer[] = []
  for (const message of messages) {
    const given = answerTo(message)
    if (!given) continue
    const answer = room.isFull() ? tooLarge(message.id) : given
    parts.push(parts.length === 0 ? OPEN : COMMA, answer)
    room.add(answer)
  }
  if (parts.length === 0) return Buffer.alloc(0)
  // A batch that a node cuts short ends without a newline.
  return Buffer.concat([...parts, room.isFull() ? CUT : CLOSE])
}
