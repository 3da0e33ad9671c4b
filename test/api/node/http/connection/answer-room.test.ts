import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createAnswerRoom } from '../../../../../src/api/node/http/connection/answer-room.ts'
import { createStage } from '../../../../support/server/stage.ts'
import { eventually } from '../../../../support/waiting/eventually.ts'

const stage = createStage()
afterEach(() => stage.clear())

/** More than the system takes for a client that reads nothing. */
const LARGE = 16_000_000
const CALL = '{"jsonrpc":"2.0","id":1,"method":"info.peers","params":{}}'
const ASK = `POST /ext/info HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${CALL.length}\r\n\r\n${CALL}`

it('answers that nobody reads take no more than the room: who is behind for longest is cut, whoever reads is answered', async () => {
  let answered = 0
  const node = await stage.upstream({
    handle: (_, body) => {
      if (!body.includes('info.peers')) return undefined
      answered += 1
      const result = 'x'.repeat(LARGE)
      return { headers: { 'content-type': 'application/json' }, body: `{"jsonrpc":"2.0","id":1,"result":"${result}"}` }
    },
  })
  const { url, app } = await stage.serve({
    http: { answerRoomBytes: 2.5 * LARGE },
    node: { network: 'mainnet' },
    chains: { avalanche: { mainnet: { name: 'Own', upstreams: [{ url: node.url }] } } },
  })
  const alive = new Set<number>()
  /** A client that asks and reads nothing, once its answer waits for it. */
  const asked = async (name: number): Promise<Socket> => {
    const taken = once(app.http.server, 'connection') as Promise<[Socket]>
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write(ASK)
    const [own] = await taken
    alive.add(name)
    own.once('close', () => alive.delete(name))
    onTestFinished(() => void socket.destroy())
    await eventually(() => expect(own.destroyed || own.writableLength > 1_000_000).toBe(true))
    return socket
  }
  const sockets: Socket[] = []
  for (const name of [1, 2, 3, 4, 5]) sockets.push(await asked(name))
  await eventually(() => expect([...alive]).toEqual([4, 5]))
  expect(answered).toBe(5)

  const whole = await fetch(`${url}/ext/info`, {
    method: 'POST',
    body: CALL,
    headers: { 'content-type': 'application/json' },
  })
  expect((await whole.text()).length).toBeGreaterThan(LARGE)
  // What was cut takes no room any more, nor does what was read.
  let read = 0
  sockets[4]?.on('data', (chunk: Buffer) => {
    read += chunk.length
  })
  sockets[4]?.resume()
  await eventually(() => expect(read).toBeGreaterThan(LARGE))
})

it('an answer larger than the room is there for who reads it, and small ones are never cut', () => {
  const cut: string[] = []
  const reader = (name: string, bytes: number) => ({ waiting: () => bytes, cut: () => void cut.push(name) })
  const room = createAnswerRoom(1_000_000)
  for (let small = 0; small < 100; small += 1) room.look(reader('small', 65_536))
  room.look(reader('large', 5_000_000))
  expect(cut).toEqual([])
  room.look(reader('another', 70_000))
  expect(cut).toEqual(['large'])
})

it('who has read on meanwhile is not cut for what waited before', () => {
  const cut: string[] = []
  const room = createAnswerRoom(1_000_000)
  let waiting = 900_000
  const reading = { waiting: () => waiting, cut: () => void cut.push('reading') }
  room.look(reading)
  waiting = 100_000
  const late = { waiting: () => 800_000, cut: () => void cut.push('late') }
  room.look(late)
  expect(cut).toEqual([])
  room.leave(late)
  room.look({ waiting: () => 900_000, cut: () => void cut.push('other') })
  expect(cut).toEqual([])
})
