import { afterEach, describe, expect, it } from 'vitest'
import { sendRaw } from '../../support/server/raw-http.ts'
import { createStage } from '../../support/server/stage.ts'

const stage = createStage()
afterEach(() => stage.clear())

describe('a target that cannot be decoded', () => {
  it.each([
    ['/v1/%', { message: 'the path cannot be decoded', error: 'Bad Request', statusCode: 400 }],
    ['//v1/chains/%zz', { message: 'the path cannot be decoded', error: 'Bad Request', statusCode: 400 }],
    ['http://host/v1/%4?x=1', { message: 'the path cannot be decoded', error: 'Bad Request', statusCode: 400 }],
    ['/proxy/glacier/v1/%zz', { message: 'the path cannot be decoded', error: 'Bad Request', statusCode: 400 }],
    ['/v1/balance/%', { message: 'BAD_REQUEST' }],
    ['/v1/stake/%', { message: 'BAD_REQUEST' }],
    // Escapes that are no UTF-8.
    ['/v1/%ff', { message: 'the path cannot be decoded', error: 'Bad Request', statusCode: 400 }],
    ['/v1/balance/%ff', { message: 'BAD_REQUEST' }],
  ])('%s is refused in the form of its API', async (target, expected) => {
    const { url } = await stage.serve()
    const reply = await sendRaw(Number(new URL(url).port), {
      method: 'POST',
      target,
      headers: [
        ['Host', 'here'],
        ['Content-Length', '2'],
      ],
      body: Buffer.from('{}'),
    })
    const headers = Object.fromEntries(reply.headers)
    expect(reply.status).toBe(400)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(JSON.parse(reply.body.toString())).toEqual(expected)
  })

  it.each(['/%', '/ext/%', '/v1x/%', '/ext/v1/%', '//ext/bc/v1/%', '/%?/v1/'])(
    '%s is refused as a node does',
    async (target) => {
      const { url } = await stage.serve()
      const request = { method: 'GET', target, headers: [['Host', 'here']] as const, body: Buffer.alloc(0) }
      const reply = await sendRaw(Number(new URL(url).port), request)
      expect(reply.status).toBe(400)
      expect(reply.body.toString()).toBe('400 Bad Request')
    },
  )
})
