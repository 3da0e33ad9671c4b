import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'

/*
 * What a pooler does that gives a session of the server to whichever client has a statement, as PgBouncer in transaction
 * mode: here all clients have the same one. Statements outside transactions only.
 */

const SSL_REQUEST = 80_877_103
const LETTER = { query: 0x51, sync: 0x53, ready: 0x5a }
/** The client is let in without a question, and may begin. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, LETTER.ready, 0, 0, 0, 5, 0x49])

export interface SessionSharingPooler {
  url: string
  stop(): Promise<void>
}

export async function startSessionSharingPooler(databaseUrl: string): Promise<SessionSharingPooler> {
  const session = new pg.Client({ connectionString: databaseUrl })
  session.on('error', () => undefined)
  await session.connect()
  const { stream } = (session as unknown as { connection: { stream: Socket } }).connection
  stream.removeAllListeners('data')
  let turn: Promise<unknown> = Promise.resolve()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    let sent = Buffer.alloc(0)
    let isIn = false
    socket.on('data', (bytes) => {
      sent = Buffer.concat([sent, bytes])
      if (!isIn) {
        const asksForSsl = sent.readUInt32BE(4) === SSL_REQUEST
        isIn = !asksForSsl
        sent = Buffer.alloc(0)
        return void socket.write(asksForSsl ? 'N' : WELCOME)
      }
      if (!endsWith(sent, [LETTER.query, LETTER.sync])) return
      const statement = sent
      sent = Buffer.alloc(0)
      turn = turn.then(() => answerTo(stream, statement)).then((answer) => socket.write(answer))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      stream.destroy()
    },
  }
}

async function answerTo(stream: Socket, statement: Buffer): Promise<Buffer> {
  stream.write(statement)
  let answer = Buffer.alloc(0)
  while (!endsWith(answer, [LETTER.ready])) {
    const [bytes] = await once(stream, 'data')
    answer = Buffer.concat([answer, bytes])
  }
  return answer
}

/** Whether these are whole messages, and the last one is of this kind. */
function endsWith(bytes: Buffer, letters: readonly number[]): boolean {
  let at = 0
  let last = 0
  while (at + 5 <= bytes.length) {
    last = bytes.readUInt8(at)
    at += 1 + bytes.readUInt32BE(at + 1)
  }
  return at === bytes.length && letters.includes(last)
}
