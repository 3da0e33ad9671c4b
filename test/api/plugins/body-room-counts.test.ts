import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { createBodyRoom } from '../../../src/api/plugins/body-room.ts'
import { createPageOrigins } from '../../../src/api/plugins/page-origins.ts'

const LENGTH = { 'content-length': '200000' }

/** Room for 250,000 bytes, and bodies that arrive in it when the test says so. */
function startRoom() {
  const refused: string[] = []
  const room = createBodyRoom(250_000, () => undefined, createPageOrigins(['*']))
  return {
    refused,
    come(name: string, isNodes: boolean, headers: Record<string, string> = LENGTH) {
      const request = Object.assign(new Readable({ read: () => undefined }), { headers })
      const answered = {
        headersSent: false,
        setHeader: () => undefined,
        writeHead: () => undefined,
        end: () => undefined,
      }
      const response = Object.assign(new EventEmitter(), answered)
      request.on('error', () => refused.push(name))
      room.enter(request as unknown as IncomingMessage, response as unknown as ServerResponse, isNodes)
      return { request, response, arrive: (bytes: number) => void request.push(Buffer.alloc(bytes)) }
    },
  }
}

it.each([true, false])('a body that is whole is not dropped for another (of a node: %s)', (isNodes) => {
  const { refused, come } = startRoom()
  const first = come('first', isNodes)
  first.arrive(200_000)
  first.request.push(null)
  come('second', isNodes).arrive(200_000)
  expect(refused).toEqual(['second'])
})

it('a body takes room until it is read, for a node until it is answered', () => {
  const { refused, come } = startRoom()
  for (const isNodes of [false, true]) {
    const { arrive, request, response } = come(`of a node: ${isNodes}`, isNodes)
    arrive(200_000)
    request.push(null)
    if (isNodes) response.emit('close')
    else request.emit('close')
  }
  come('third', true).arrive(200_000)
  expect(refused).toEqual([])
})

it('what comes of a body after the answer takes no room', () => {
  const { refused, come } = startRoom()
  const first = come('first', true)
  first.arrive(100_000)
  first.response.emit('close')
  first.arrive(200_000)
  come('second', true).arrive(200_000)
  expect(refused).toEqual([])
})

it('a body without a length counts, too, and one whose answer is under way is not refused any more', () => {
  const { refused, come } = startRoom()
  const first = come('first', true, { 'transfer-encoding': 'chunked' })
  first.arrive(200_000)
  const second = come('second', true)
  second.arrive(200_000)
  expect(refused).toEqual(['first'])
  second.response.headersSent = true
  come('third', true).arrive(200_000)
  expect(refused).toEqual(['first', 'third'])
})
