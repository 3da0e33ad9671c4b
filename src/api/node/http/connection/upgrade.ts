import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { headerPairs, httpDate, type NodeAnswer } from '../answer.ts'
import { endWith } from './last-answer.ts'

/** Without common headers, as a node's guard answers before those are added. */
const barePairs = ({ contentType, body }: NodeAnswer): string[] => [
  ...(contentType === undefined ? [] : ['Content-Type', contentType]),
  ...['Date', httpDate()],
  ...['Content-Length', String(body.length)],
]

/**
 * Refuses an upgrade with an ordinary answer; the connection ends after it. `common` = what all answers carry: CORS
 * headers and the node's id; left out for an answer of the guard.
 */
export function writeRefusal(
  request: IncomingMessage,
  socket: Duplex,
  answer: NodeAnswer,
  common?: { allow: readonly string[]; nodeId: string | undefined },
): void {
  const isHead = request.method === 'HEAD'
  const pairs = common ? headerPairs(answer, common.allow, common.nodeId, isHead) : barePairs(answer)
  let head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n`
  for (let at = 0; at < pairs.length; at += 2) head += `${pairs[at]}: ${pairs[at + 1]}\r\n`
  const bytes = Buffer.from(`${head}Connection: close\r\n\r\n`)
  endWith(socket, isHead ? bytes : Buffer.concat([bytes, answer.body]))
}
