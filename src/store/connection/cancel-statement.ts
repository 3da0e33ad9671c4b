import { connect } from 'node:net'
import type pg from 'pg'

/** Code of a cancel request in place of a protocol version: 1234, 5678. */
const CANCEL = 80_877_102
const LENGTH = 16

interface Session {
  host: string
  port: number
  processID: number | null
  secretKey: number | null
}

/**
 * Asks the server to cancel a session's current statement, over a separate connection as the protocol requires; a
 * pooler in between passes it on. There is no confirmation: a statement that is not cancelled runs to its end or
 * timeout.
 */
export function cancelStatement(client: pg.ClientBase): void {
  const { host, port, processID, secretKey } = client as unknown as Session
  if (processID === null || secretKey === null) return
  const message = Buffer.alloc(LENGTH)
  for (const [place, word] of [LENGTH, CANCEL, processID, secretKey].entries()) message.writeInt32BE(word, place * 4)
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.on('error', () => socket.destroy())
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy())
  socket.end(message)
  socket.resume()
}

const TIMEOUT_MS = 5_000
