import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { visitStream } from './load/stream-visit.ts'

const item = (id: string): string =>
  JSON.stringify({ caip2Id: 'eip155:1', id, balances: { nativeTokenBalance: { balance: '0' } }, error: null })
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

it('who leaves after the first item has left, also where the rest had come with it', async () => {
  const ids = ['a', 'b']
  const events = ids.map((id) => chunk(`data: ${item(id)}\n\n`)).join('')
  const answer = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${events}${chunk('')}`
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(answer))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const known = { body: { text: '{}', items: 2 }, items: new Map(ids.map((id) => [`eip155:1 ${id}`, item(id)])) }
  expect(await visitStream(base, known, 'leaves after the first item')).toMatchObject({ outcome: 'left' })
  expect(await visitStream(base, known, 'reads')).toMatchObject({ outcome: 'right' })
})
