import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { NodeAnswer } from './answer.ts'
import { endWith } from './last-answer.ts'

/** Refuses an upgrade with an ordinary answer; the connection ends after it. `bare` = without common headers. */
export function writeRefusal(socket: Duplex, answer: NodeAnswer, nodeId: string | undefined, bare = false): void {
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
    ...(answer.contentType === undefined ? [] : [`Content-Type: ${answer.contentType}`]),
    ...(nodeId === undefined ? [] : [`Node-Id: ${nodeId}`]),
    ...Object.entries(answer.extra ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(bare ? [] : ['Vary: Origin']),
    ...(answer.nosniff ? ['X-Content-Type-Options: nosniff'] : []),
    `Date: ${new Date().toUTCString()}`,
    `Content-Length: ${answer.body.length}`,
    'Connection: close',
  ]
  endWith(socket, Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), answer.body]))
}
