import { describe, expect, it } from 'vitest'
import { evmCall, type Front, gorillaCall, nodeAt, type Reply, startFront } from './fake-nodes.ts'

const gorilla = (result: string, id = '1'): Reply => ({ body: `{"jsonrpc":"2.0","result":${result},"id":${id}}\n` })
const gorillaError = (message: string): Reply => ({
  body: `{"jsonrpc":"2.0","error":{"code":-32000,"message":"${message}","data":null},"id":1}\n`,
})
const evmError = (message: string, code = -32000): Reply => ({
  body: `{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":"${message}"}}\n`,
})

/** Whichever node is asked first, that is the one that says so: who is preferred is decided by how fast they were. */
function firstSays(front: Front, methods: readonly string[], reply: Reply): void {
  const first = new Map<string, number>()
  for (const [index, node] of front.nodes.entries())
    node.answer = ({ method = '' }) => {
      if (!methods.includes(method)) return undefined
      if (!first.has(method)) first.set(method, index)
      return first.get(method) === index ? reply : undefined
    }
}

describe('forwarding', () => {
  it('hands bytes on as they are, both ways', async () => {
    const front = await startFront(1)
    const answer = Buffer.from(
      ' {"result" : {"big":18446744073709551615,"z":1,"a":"\u00e9\\u003c"},\n"id":1, "jsonrpc":"2.0"} \n',
    )
    nodeAt(front, 0).answer = ({ method }) => (method === 'platform.odd' ? { body: answer } : undefined)
    const body = Buffer.concat([
      Buffer.from('\t{ "params" : {"n":123456789012345678901234567890, "x":"'),
      Buffer.from([0xff, 0xc3, 0x28]),
      Buffer.from('"} , "method":"platform.odd","jsonrpc":"2.0","id":1 } trailing'),
    ])
    const posted = await front.post('/ext/bc/P', body, { 'content-type': 'Application/JSON; a=b' })
    expect(nodeAt(front, 0).asked[0]?.body).toEqual(body)
    expect(posted.body).toEqual(answer)
    expect(posted.status).toBe(200)
    expect(posted.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(posted.headers.get('node-id')).toBe('NodeID-0')
  })

  it('passes status, type and text of a node that refuses', async () => {
    const front = await startFront(1)
    nodeAt(front, 0).answer = ({ method }) =>
      method === 'platform.odd' ? { status: 400, headers: { 'content-type': 'text/plain' }, body: 'no' } : undefined
    const posted = await front.post('/ext/bc/P', gorillaCall('platform.odd'))
    expect([posted.status, posted.headers.get('content-type'), posted.text]).toEqual([400, 'text/plain', 'no'])
  })

  it('tells a node nothing of the client', async () => {
    const front = await startFront(1)
    await front.post('/ext/bc/P?token=secret', gorillaCall('platform.x'), {
      authorization: 'Bearer secret',
      cookie: 'a=secret',
      origin: 'https://wallet.example',
      'x-forwarded-for': '1.2.3.4',
    })
    const [asked] = nodeAt(front, 0).asked
    expect(asked?.path).toBe('/ext/bc/P')
    expect(JSON.stringify(asked?.headers)).not.toMatch(/secret|wallet|1\.2\.3\.4/)
  })

  it('never passes the route header on', async () => {
    const front = await startFront(1)
    const posted = await front.post('/ext/bc/P', gorillaCall('platform.x'), { 'avalanche-api-route': 'x' })
    expect([posted.status, posted.text, nodeAt(front, 0).asked.length]).toEqual([404, '', 0])
  })

  it.each<[string, Reply]>([
    ['cut connections', 'cut'],
    ['an HTML page with 200', { body: '<html></html>', headers: { 'content-type': 'text/html' } }],
    ['an HTML page with 502', { status: 502, body: '<html></html>' }],
    ['half an answer', { body: '{"jsonrpc":"2.0","result":{"a":"b' }],
    ['half an answer that ends as a whole one', { body: '{"jsonrpc":"2.0","result":{"id":1}\n' }],
    ['a redirect', { status: 302, headers: { location: '/login' }, body: '' }],
    ['another status', { status: 403, body: 'invalid host specified\n' }],
    ['a limit', { status: 429, body: 'slow down' }],
    [
      'a limit in the body',
      { body: '{"jsonrpc":"2.0","error":{"code":-32005,"message":"rate limit exceeded"},"id":1}' },
    ],
    ['a limit by its code', { body: '{"jsonrpc":"2.0","error":{"code":-32029,"message":"slow down"},"id":1}' }],
    ['no such path', { status: 404, body: '404 page not found\n' }],
    ['bootstrapping', { status: 503, body: 'API call rejected because chain is not done bootstrapping\n' }],
    ['height', gorillaError("couldn't get block at height 500: not found")],
    ['index height', gorillaError('start index (500) \\u003e last accepted index (5)')],
    ['validators ahead', gorillaError('failed to fetch validator set at unfinalized height: current P-chain height')],
    ['a missing method', gorillaError('rpc: can\'t find method \\"platform.X\\"')],
  ])('asks another node instead of one with %s', async (_name, reply) => {
    const front = await startFront(2)
    firstSays(front, ['platform.x'], reply)
    const posted = await front.post('/ext/bc/P', gorillaCall('platform.x'))
    const [from] = /NodeID-[01]/.exec(posted.text) ?? []
    expect([posted.status, posted.text]).toEqual([200, `{"jsonrpc":"2.0","result":{"from":"${from}"},"id":1}\n`])
    expect(posted.headers.get('node-id')).toBe(from)
    expect(front.nodes.map(({ asked }) => asked.length)).toEqual([1, 1])
  })

  it.each([
    ['an unfinalized block', 'cannot query unfinalized data'],
    ['logs beyond the tip', 'requested to block 900 after last accepted block 646'],
    ['a pruned state', 'missing trie node 0123'],
    ['a block that it has not executed yet', 'failed to get logs for block #807 (0xfebacb..270bd2)'],
  ])('asks another EVM node for %s, and passes the words on when all say so', async (_name, message) => {
    const front = await startFront(2)
    const call = evmCall('eth_getBlockByNumber', '["0x384",false]')
    firstSays(front, ['eth_getBlockByNumber'], evmError(message))
    expect((await front.post('/ext/bc/C/rpc', call)).text).toContain('"result":"0x1"')
    for (const node of front.nodes)
      node.answer = ({ method }) => (method === 'eth_getBlockByNumber' ? evmError(message) : undefined)
    const posted = await front.post('/ext/bc/C/rpc', call)
    expect([posted.status, posted.text]).toEqual([
      200,
      evmError(message) && `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"${message}"}}\n`,
    ])
  })

  it.each([
    ['nothing', ''],
    ['an object of something else', '{"message":"no Route matched"}'],
    ['an empty object', '{}'],
    ['an array', '[{"jsonrpc":"2.0","id":1,"result":"0x2"}]'],
  ])('asks another node when one says %s, though with status 200', async (_what, body) => {
    const front = await startFront(2)
    const methods = ['platform.x', 'debug_x', 'eth_gasPrice', 'eth_newBlockFilter', 'eth_sendRawTransaction']
    firstSays(front, methods, { body })
    expect((await front.post('/ext/bc/P', gorillaCall('platform.x'))).text).toContain('"from":"NodeID-')
    for (const method of methods.slice(1)) {
      const params = method === 'eth_sendRawTransaction' ? '["0x02"]' : '[]'
      const { text } = await front.post('/ext/bc/C/rpc', evmCall(method, params))
      expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":"0x1"}\n')
    }
    // Notifications are answered with nothing.
    for (const node of front.nodes) node.answer = () => ({ body })
    if (body === '') {
      const silent = await front.post('/ext/bc/P', '{"jsonrpc":"2.0","method":"platform.x"}')
      expect([silent.status, silent.text]).toEqual([200, ''])
    }
  })

  it.each<[string, string, boolean]>([
    ['another id', '{"jsonrpc":"2.0","id":8,"result":"0x2"}', false],
    ['an id that begins like it', '{"jsonrpc":"2.0","id":70,"result":"0x2"}', false],
    ['another id at the end', '{"jsonrpc":"2.0","result":"0x2","id":8}\n', false],
    ['the id inside of its result only', '{"jsonrpc":"2.0","result":{"a":1,"id":7},"id":8}\n', false],
    ['no id', '{"jsonrpc":"2.0","result":"0x2"}', false],
    ['a text for a number', '{"jsonrpc":"2.0","id":"7","result":"0x2"}', false],
    ['null for an error and nothing else', '{"id":7,"error":null,"jsonrpc":"2.0"}', false],
    ['an error for another call', '{"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"x"}}', false],
    ['the id in other words', '{"result":"0x2","id":7.0,"jsonrpc":"2.0"}', true],
    ['an error without an id', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}', true],
  ])('an answer with %s', async (_what, body, taken) => {
    const front = await startFront(2)
    const methods = ['platform.x', 'debug_x', 'eth_gasPrice', 'eth_newBlockFilter', 'eth_sendRawTransaction']
    firstSays(front, methods, { body })
    for (const method of methods) {
      const params = method === 'eth_sendRawTransaction' ? '["0x02"]' : '[]'
      const path = method === 'platform.x' ? '/ext/bc/P' : '/ext/bc/C/rpc'
      const { text } = await front.post(path, evmCall(method, params, '7'))
      if (taken) expect([method, text]).toEqual([method, body])
      else expect([method, text]).toEqual([method, expect.stringMatching(/"result":("0x1"|{"from":"NodeID-[01]"})/)])
    }
  })

  it('takes answers whose members stand in another order', async () => {
    const front = await startFront(1)
    const body = '{"id":1,"result":{"jsonrpc":"x"},"jsonrpc":"2.0"}'
    nodeAt(front, 0).answer = ({ method }) => (method === 'platform.x' ? { body } : undefined)
    expect((await front.post('/ext/bc/P', gorillaCall('platform.x'))).text).toBe(body)
  })

  it('passes on what is true on every node, and asks only one', async () => {
    const front = await startFront(2)
    for (const node of front.nodes)
      node.answer = ({ method }) => (method === 'platform.x' ? gorillaError('no addresses provided') : undefined)
    const posted = await front.post('/ext/bc/P', gorillaCall('platform.x'))
    expect(posted.text).toContain('"message":"no addresses provided"')
    expect(front.nodes.flatMap(({ asked }) => asked)).toHaveLength(1)
  })

  it('closes the way to the node when the client leaves', async () => {
    const front = await startFront(1)
    nodeAt(front, 0).answer = ({ method }) => (method === 'platform.slow' ? 'hang' : undefined)
    const leave = new AbortController()
    const left = fetch(`${front.url}/ext/bc/P`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: gorillaCall('platform.slow'),
      signal: leave.signal,
    }).catch(() => 'left')
    await expect.poll(() => nodeAt(front, 0).asked.length).toBe(1)
    leave.abort()
    expect(await left).toBe('left')
    await expect.poll(() => nodeAt(front, 0).aborted).toBe(1)
  })
})

describe('when no node answers', () => {
  it('says so in the dialect of the endpoint, with a status that clients retry', async () => {
    const front = await startFront(1)
    nodeAt(front, 0).answer = () => 'cut'
    const info = await front.post('/ext/info', gorillaCall('info.getNetworkName', '{}', '"<7>"'))
    expect([info.status, info.headers.get('retry-after')]).toEqual([502, '1'])
    expect(info.text).toBe(
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no node answered","data":null},"id":"\\u003c7\\u003e"}\n',
    )
    const evm = await front.post('/ext/bc/C/rpc', evmCall('eth_gasPrice', '[]', '9'))
    expect(evm.status).toBe(502)
    expect(JSON.parse(evm.text)).toEqual({
      jsonrpc: '2.0',
      id: 9,
      error: { code: -32603, message: 'no node answered' },
    })
  })

  it('passes the words of nodes that are all bootstrapping, and 404 of a chain that none validates', async () => {
    const front = await startFront(2)
    const text = 'API call rejected because chain is not done bootstrapping\n'
    for (const node of front.nodes)
      node.answer = ({ method }) =>
        method === 'platform.x'
          ? { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text }
          : undefined
    const posted = await front.post('/ext/bc/P', gorillaCall('platform.x'))
    expect([posted.status, posted.text, posted.headers.get('content-type')]).toEqual([
      503,
      text,
      'text/plain; charset=utf-8',
    ])
  })
})

describe('what is asked one at a time', () => {
  it('goes on to another node when one has had too many requests, and tells the client nothing of its limits', async () => {
    const front = await startFront(2)
    const call = evmCall('warp_getMessageAggregateSignature', '["0x01"]')
    const limited: Reply = { status: 429, headers: { 'retry-after': '15' }, body: 'slow down' }
    nodeAt(front, 0).answer = ({ method }) => (method === 'warp_getMessageAggregateSignature' ? limited : undefined)
    for (let round = 0; round < 2; round += 1)
      expect((await front.post('/ext/bc/C/rpc', call)).text).toContain('"result":"0x1"')
    expect(front.nodes.map(({ asked }) => asked.length)).toEqual([1, 2])

    const busy = await startFront(2)
    for (const node of busy.nodes)
      node.answer = ({ method }) => (method === 'warp_getMessageAggregateSignature' ? limited : undefined)
    const refused = await busy.post('/ext/bc/C/rpc', call)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '15'])
  })
})

describe('answers that stay true', () => {
  it('are kept and given to others under their own ids', async () => {
    const front = await startFront(1)
    const call = (id: string) => front.post('/ext/bc/P', gorillaCall('platform.getBlockByHeight', '{"height":7}', id))
    const first = await call('1')
    expect((await call('"<x>"')).text).toBe(first.text.replace('"id":1}', '"id":"\\u003cx\\u003e"}'))
    expect((await call('1')).body).toEqual(first.body)
    const { headers } = await call('1')
    for (const name of ['node-id', 'content-type']) expect(headers.get(name)).toBe(first.headers.get(name))
    expect(nodeAt(front, 0).asked).toHaveLength(1)
    await front.post('/ext/bc/P', gorillaCall('platform.getBlockByHeight', '{"height":8}'))
    expect(nodeAt(front, 0).asked).toHaveLength(2)
  })

  it.each<[string, string, Reply]>([
    ['an error', 'platform.getTx', gorillaError('not found')],
    ['null', 'platform.getTx', gorilla('null')],
    ['refused with a result', 'platform.getTx', { status: 400, ...(gorilla('{"tx":"0x00"}') as object) } as Reply],
    ['a state that may change', 'platform.getTxStatus', gorilla('{"status":"Processing"}')],
  ])('are not kept when they are %s', async (_name, asked, reply) => {
    const front = await startFront(1)
    nodeAt(front, 0).answer = ({ method }) => (method === asked ? reply : undefined)
    for (let turn = 0; turn < 2; turn += 1) await front.post('/ext/bc/P', gorillaCall(asked, '{"txID":"a"}'))
    expect(nodeAt(front, 0).asked).toHaveLength(2)
  })

  it('are not given to calls that a node would refuse', async () => {
    const front = await startFront(1)
    const params = '{"height":7}'
    await front.post('/ext/bc/P', gorillaCall('platform.getBlockByHeight', params))
    const odd = [
      `{"jsonrpc":"1.0","id":1,"method":"platform.getBlockByHeight","params":${params}}`,
      `{"id":1,"method":"platform.getBlockByHeight","params":${params}}`,
      `{"jsonrpc":"2.0","id":1,"method":"platform.getBlockByHeight","params":${params},"x":tru}`,
      `{"jsonrpc":"2.0","id":1,"method":"platform.getBlockByHeight","params":${params}`,
      `{"jsonrpc":"2.0","method":"platform.getBlockByHeight","params":${params}}`,
    ]
    for (const body of odd) await front.post('/ext/bc/P', body)
    expect(nodeAt(front, 0).asked).toHaveLength(1 + odd.length)
  })

  it('about the tip are asked every time', async () => {
    const front = await startFront(1)
    for (let turn = 0; turn < 3; turn += 1)
      await front.post('/ext/bc/P', gorillaCall('platform.getBalance', '{"addresses":[]}'))
    expect(nodeAt(front, 0).asked).toHaveLength(3)
  })
})
