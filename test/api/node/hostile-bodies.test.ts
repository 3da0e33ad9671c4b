import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RawReply, sendRaw } from '../../support/server/raw-http.ts'
import { type RecordedStage, startStage } from './recorded-node.ts'

let stage: RecordedStage
beforeAll(async () => {
  stage = await startStage([])
})
afterAll(() => stage.close())

const HEADERS = [
  ['Host', '127.0.0.1'],
  ['Content-Type', 'application/json'],
] as const

const post = (port: number, path: string, body: Buffer): Promise<RawReply> =>
  sendRaw(port, {
    method: 'POST',
    target: path,
    headers: [...HEADERS, ['Content-Length', String(body.length)]],
    body,
  })

const shown = ({ status, headers, body }: RawReply) => ({
  status,
  headers: headers.filter(([name]) => name !== 'Date'),
  body: body.toString('latin1'),
})

/** Whatever a client sends, Firn answers what the node behind it answers. */
async function same(path: string, body: Buffer): Promise<void> {
  const node = await post(stage.node.port, path, body)
  const firn = await post(stage.port, path, body)
  expect(shown(firn)).toEqual(shown(node))
}

const GOOD: Readonly<Record<string, string>> = {
  '/ext/info': '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID","params":{}}',
  '/ext/bc/P': '{"jsonrpc":"2.0","id":1,"method":"platform.getBlockByHeight","params":{"height":5,"encoding":"hex"}}',
  '/ext/bc/C/rpc': '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
}
const paths = Object.keys(GOOD)

const damaged = (text: string) =>
  fc
    .tuple(fc.nat(text.length), fc.nat(6), fc.uint8Array({ maxLength: 4 }))
    .map(([at, cut, insert]) =>
      Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from(insert), Buffer.from(text.slice(at + cut))]),
    )

const member = fc.constantFrom('"jsonrpc"', '"id"', '"method"', '"params"', '"METHOD"', '"\\u0069d"', '"x"')
const value = fc.oneof(
  fc.constantFrom('"2.0"', '2.0', 'null', 'true', '1', '-1.5e3', '""', '{}', '[]', '[{}]', '"info.getNetworkID"'),
  fc.constantFrom('"eth_chainId"', '123456789012345678901234567890', '"<&>"', '{"a":[1,{"b":null}]}', '"\\ud800"'),
  fc.json({ maxDepth: 2 }),
)
const members = fc.array(fc.tuple(member, value), { maxLength: 7 }).map((pairs) => {
  return Buffer.from(`{${pairs.map(([name, one]) => `${name} : ${one}`).join(' , ')}}`)
})

describe.each(paths)('bodies sent to %s', (path) => {
  const good = GOOD[path] ?? ''

  it('damaged anywhere are answered as the node answers them', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(good), (body) => same(path, body)),
      { numRuns: 120 },
    )
  })

  it('of odd, doubled and missing members are answered as the node answers them', async () => {
    await fc.assert(
      fc.asyncProperty(members, (body) => same(path, body)),
      { numRuns: 120 },
    )
  })

  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['spaces', Buffer.from(' \n\t')],
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(good)])],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${good}`, 'utf16le')],
    ['UTF-16', Buffer.from(good, 'utf16le')],
    ['NUL bytes', Buffer.alloc(100)],
    ['deep arrays', Buffer.from('['.repeat(100_000))],
    ['deep objects', Buffer.from('{"a":'.repeat(50_000))],
    [
      'nesting at the limit',
      Buffer.from(good.replace(/"params":.*\}$/, `"params":${'['.repeat(9_999)}${']'.repeat(9_999)}}`)),
    ],
    [
      'nesting beyond',
      Buffer.from(good.replace(/"params":.*\}$/, `"params":${'['.repeat(10_001)}${']'.repeat(10_001)}}`)),
    ],
    ['a huge id', Buffer.from(good.replace('"id":1', `"id":"${'i'.repeat(200_000)}"`))],
    ['a huge number', Buffer.from(good.replace('"id":1', `"id":${'9'.repeat(100_000)}`))],
    ['a huge method', Buffer.from(good.replace('"method":"', `"method":"${'m'.repeat(100_000)}`))],
    ['many members', Buffer.from(`{${'"x":1,'.repeat(50_000)}${good.slice(1)}`)],
    ['two values', Buffer.from(good + good)],
    ['two ids around what cannot be read', Buffer.from('{"id":"a","jsonrpc":[],"id":"b"}')],
  ])('%s', async (_name, body) => same(path, body))
})

describe('very large bodies', () => {
  it('are answered by the limit, without being read to the end', async () => {
    const body = Buffer.alloc(27_000_000, 0x20)
    const reply = await post(stage.port, '/ext/info', body)
    expect([reply.status, reply.body.toString()]).toEqual([413, 'content length too large (27000000>26214400)\n'])
  })

  it('within the limit reach the node whole', async () => {
    const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"x":"${'\\"'.repeat(9_000_000)}","method":"info.getNetworkName"}`)
    const reply = await post(stage.port, '/ext/info', body)
    expect(reply.body.toString()).toBe('{"jsonrpc":"2.0","result":{"networkName":"fuji"},"id":1}\n')
  })

  it.each([
    ['/ext/info', '"a":1,', 2_000_000],
    ['/ext/bc/P', '"\\u0061":1,', 1_000_000],
    ['/ext/bc/C/rpc', '"a":1,', 500_000],
  ])('of millions of members are refused before they are read: %s', async (path, member, count) => {
    const good = GOOD[path] ?? ''
    const members = member.repeat(count)
    const bodies = [good.replace('{', `{${members}`), good.replace(/"params":.*$/, `"params":[{${members}"b":1}]}`)]
    for (const body of bodies) {
      const { status, body: text } = await post(stage.port, path, Buffer.from(body))
      expect([status, text.toString()]).toEqual([413, 'too many members in JSON (more than 65536)\n'])
    }
  })

  it('of as many members as any call needs reach the node', async () => {
    const slots = Array.from({ length: 30_000 }, (_, at) => `"0x${at.toString(16).padStart(64, '0')}":"0x1"`)
    const call = `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{},"latest",{"0x1":{"stateDiff":{${slots.join()}}}}]}`
    expect((await post(stage.port, '/ext/bc/C/rpc', Buffer.from(call))).status).toBe(200)
  })

  it('in chunks are cut at the limit', async () => {
    const reply = await sendRaw(stage.port, {
      method: 'POST',
      target: '/ext/bc/C/rpc',
      headers: [...HEADERS, ['Transfer-Encoding', 'chunked']],
      body: Buffer.alloc(6_000_000, 0x20),
      chunks: 100_000,
    })
    expect([reply.status, reply.body.toString()]).toEqual([
      200,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
    ])
  })
})
