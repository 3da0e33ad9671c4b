import { connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../support/programs/free-port.ts'
import { type EvmStage, startEvmStage } from '../evm/stage.ts'

/** More than the system takes from here while nobody reads. */
const BYTES = 9_000_000
const ANSWER = '{"jsonrpc":"2.0","result":{},"id":1}\n'

const bodyOf = (letter: string): string => {
  const text = '{"jsonrpc":"2.0","id":1,"method":"info.peers","params":[""]}'
  return text.replace('""', `"${letter.repeat(BYTES - text.length)}"`)
}

/** A node that answers as soon as it sees a request, keeps the connection, and reads the rest when it is told to. */
async function startEarlyNode() {
  const parts: Buffer[] = []
  let reader: Socket | undefined
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy())
    reader ??= socket
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      parts.push(part)
      if (parts.length > 1) return
      socket.pause()
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${ANSWER.length}\r\n\r\n${ANSWER}`)
    })
  })
  onTestFinished(() => void server.close())
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  /** All that comes of the request, until it is whole or cut. */
  const readOn = (): Promise<Buffer> =>
    new Promise((resolve) => {
      const done = (): void => resolve(Buffer.concat(parts))
      reader?.once('close', done)
      reader?.on('data', () => {
        if (parts.reduce((sum, { length }) => sum + length, 0) > BYTES) done()
      })
      reader?.resume()
    })
  return { url: `http://127.0.0.1:${port}`, readOn }
}

/** Sends all of a body but its end, which is so read into memory and goes to no node. */
async function sendMost({ port, url }: EvmStage, body: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const head = `POST /ext/info HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  await new Promise((resolve) => socket.write(head + body.slice(0, -1), resolve))
  // What the system has of it is read by 64 KiB in each turn of the event loop, and each of these takes a turn.
  for (let turn = 0; turn < 50; turn++) await (await fetch(`${url}/ext/nothing`)).text()
}

it('a node that answers before it has read all of a large body is sent nothing of what the next client sends', async () => {
  const node = await startEarlyNode()
  const stage = await startEvmStage({ nodes: [node.url] })
  onTestFinished(() => stage.close())
  expect((await stage.post(bodyOf('a'), '/ext/info')).text).toBe(ANSWER)
  await sendMost(stage, bodyOf('z'))
  const sent = await node.readOn()
  expect(sent.toString('latin1', 0, 1_000)).toMatch(/a{100}$/)
  expect(sent.indexOf('zzz')).toBe(-1)
})
