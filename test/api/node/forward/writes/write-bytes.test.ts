import { expect, it } from 'vitest'
import type { NodeGroup } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { forwardWrite } from '../../../../../src/api/node/forward/writes/writes.ts'
import { PRIMARY } from '../../../../../src/api/node/routes/endpoint.ts'
import type { RawRequest, RawResponse } from '../../../../../src/upstream/index.ts'
import { NONE_LATE } from '../../fake-nodes.ts'

const endpoint = PRIMARY.C.get('rpc') as NonNullable<ReturnType<typeof PRIMARY.C.get>>

it('nodes that are still sent a write when the first has taken it get its bytes: their memory is the next client’s then', async () => {
  const text = '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x02f8"]}'
  const body = Buffer.from(text)
  const sent: (RawRequest['body'] | undefined)[] = []
  const member = (answer: Promise<RawResponse>) => ({
    path: () => '/ext/bc/C/rpc',
    pausedUntil: () => 0,
    pool: {
      exchange: (request: RawRequest) => {
        sent.push(request.body)
        return answer
      },
    },
  })
  const taken = { status: 200, headers: {}, body: Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}'), host: 'a' }
  const members = [member(new Promise(() => undefined)), member(Promise.resolve(taken))]
  const call = {
    endpoint,
    rule: { target: 'write' } as const,
    method: 'eth_sendRawTransaction',
    params: body.subarray(text.indexOf('['), text.length - 1),
    id: body.subarray(text.indexOf('1,'), text.indexOf('1,') + 1),
    http: { method: 'POST', contentType: 'application/json', contentEncoding: undefined, query: '', body } as const,
    signal: new AbortController().signal,
  }
  expect(await forwardWrite(call, { members: () => members } as unknown as NodeGroup, 'all', NONE_LATE)).toBe(taken)
  body.fill('x')
  expect(sent.map(String)).toEqual([text, text])
})
