import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { evmCall, gorillaCall, nodeAt, OTHER_CHAIN, type Reply, startFront } from '../fake-nodes.ts'

/** Whichever node is asked first, that is the one that says so. */
async function twoNodes(name: string, first: Reply, second: Reply) {
  const front = await startFront(2)
  let asked = 0
  const next = () => {
    asked += 1
    return asked === 1 ? first : second
  }
  for (const node of front.nodes) node.answer = ({ method }) => (method === name ? next() : undefined)
  return front
}

describe('what a node says of itself', () => {
  it.each<[string, string | undefined, number, string]>([
    ['503', '7', 503, '7'],
    ['503', undefined, 502, '1'],
    // Nobody is left alone for longer than five minutes.
    ['429', '86400', 503, '300'],
  ])('with status %s and Retry-After %s is a wait for the client', async (status, retryAfter, seen, wait) => {
    const front = await startFront(1)
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
    nodeAt(front, 0).answer = ({ method }) =>
      method === 'platform.x' ? { status: Number(status), headers, body: 'busy' } : undefined
    const posted = await front.post('/ext/bc/P', gorillaCall('platform.x'))
    expect([posted.status, posted.headers.get('retry-after')]).toEqual([seen, wait])
  })

  it('as a page of something before it that nothing is there is the one text of nodes', async () => {
    const front = await startFront(2)
    for (const node of front.nodes)
      node.answer = ({ method }) =>
        method === 'platform.x' ? { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>' } : undefined
    const posted = await front.post('/ext/bc/P', gorillaCall('platform.x'))
    expect([posted.status, posted.text, posted.headers.get('content-type')]).toEqual([
      404,
      '404 page not found\n',
      'text/plain; charset=utf-8',
    ])
  })
})

describe('what a node says of the call', () => {
  it.each<[string, string, number, string]>([
    ['a contract that limits its callers', 'execution reverted: rate limit exceeded', 3, ''],
    ['gas', 'gas limit exceeded by this call', -32000, ''],
    ['the blocks of one question', 'Block range limit exceeded. See more details at https://docs.example', -32000, ''],
    ['transactions of one sender that wait', 'account limit exceeded: pooled 16 txs', -32000, ''],
    ['the blocks that fees are told of', 'request beyond historical limit: requested 1, head 30000', -32000, ''],
    ['a contract in the words of a node', 'execution reverted: header not found', 3, ''],
    ['a contract behind Nethermind', 'VM execution error: quota', -32015, ''],
    ['a contract behind Hardhat', "VM Exception: reverted with reason string 'rate limit'", -32603, ''],
    ['a long text in which anything may stand', 'reverted', -32000, ' header not found'.repeat(300)],
  ])('is the answer, and nobody else is asked: %s', async (_what, message, code, more) => {
    const front = await startFront(2)
    const answered = `{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":"${message}${more}"}}\n`
    for (const node of front.nodes)
      node.answer = ({ method }) => (method === 'eth_call' ? { body: answered } : undefined)
    const { status, text } = await front.post('/ext/bc/C/rpc', evmCall('eth_call', '[{"to":"0x01"},"latest"]'))
    expect([status, text]).toEqual([200, answered])
    expect(front.nodes.flatMap(({ asked }) => asked.filter(({ method }) => method === 'eth_call'))).toHaveLength(1)
  })
})

// AvalancheGo answers for some milliseconds with its database closed.
describe('what a node says while it shuts down is asked of another', () => {
  const error = (message: string) =>
    `{"jsonrpc":"2.0","error":{"code":-32000,"message":"${message}","data":null},"id":1}`
  it.each([
    ['platform.getTxStatus', 'closed'],
    ['platform.getUTXOs', "problem retrieving UTXOs: couldn't get UTXO 2x: closed"],
    ['platform.issueTx', "couldn't issue tx: failed verification: closed"],
  ])('%s: %s', async (method, message) => {
    const whole = '{"jsonrpc":"2.0","result":{},"id":1}\n'
    const front = await twoNodes(method, { body: error(message) }, { body: whole })
    const posted = await front.post('/ext/bc/P', gorillaCall(method, '{"tx":"0x00"}'))
    expect([posted.status, posted.text]).toEqual([200, whole])
  })

  it('and is never passed on, unless the client said it first', async () => {
    const front = await startFront(1)
    const alias = error('there is no ID with alias: closed')
    nodeAt(front, 0).answer = ({ method }) => ({ body: method === 'platform.x' ? error('closed') : alias })
    expect((await front.post('/ext/bc/P', gorillaCall('platform.x'))).status).toBe(502)
    const named = await front.post('/ext/bc/P', gorillaCall('platform.validatedBy', '{"blockchainID":"closed"}'))
    expect([named.status, named.text]).toEqual([200, alias])
  })
})

// Words of QuickNode, 1RPC, Ankr, PublicNode; a bill (402) and a key (401) with JSON-RPC in the body.
describe('what a provider says of us is asked of another', () => {
  it.each<[number, number, string]>([
    [200, -32007, '50/second request limit reached - reduce calls per second or upgrade your plan'],
    [200, -32001, "You've reached the usage limit for your current plan."],
    [200, -32000, 'Unauthorized: You must authenticate your request with an API key.'],
    [200, -32602, 'Archive requests require a personal token.'],
    [402, -32000, 'Payment Required'],
    [401, -32600, 'Must be authenticated!'],
  ])('status %d, %d %s', async (status, code, message) => {
    const refused = { status, body: `{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":"${message}"}}` }
    const front = await twoNodes('eth_call', refused, { body: '{"jsonrpc":"2.0","id":1,"result":"0x2a"}\n' })
    const posted = await front.post('/ext/bc/C/rpc', evmCall('eth_call', '[{"to":"0x01"},"latest"]'))
    expect([posted.status, posted.text]).toEqual([200, '{"jsonrpc":"2.0","id":1,"result":"0x2a"}\n'])
  })

  it('in one entry of a batch, too', async () => {
    const entry = (id: number, rest: string) => `{"jsonrpc":"2.0","id":${id},${rest}}`
    const limited = '"error":{"code":-32029,"message":"Too Many Requests, Please apply an OnFinality API key"}'
    const whole = `[${entry(1, '"result":"0x1"')},${entry(2, '"result":"0x2"')}]`
    const first = { body: `[${entry(1, '"result":"0x1"')},${entry(2, limited)}]` }
    const front = await twoNodes('debug_x', first, { body: whole })
    const posted = await front.post('/ext/bc/C/rpc', `[${evmCall('debug_x')},${evmCall('debug_y', '[]', '2')}]`)
    expect(posted.text).toBe(whole)
  })
})

it.each([
  [500, '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such params"}}', false],
  [500, '{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such params"}}', true],
  [500, 'Internal Server Error', true],
  [502, '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such params"}}', true],
])('whoever makes a node say it closes it to nobody where it has answered: %i %s', async (status, body, isAway) => {
  const front = await startFront(1)
  nodeAt(front, 0).answer = ({ method }) => (method === 'debug_poison' ? { status, body } : undefined)
  // Often enough to pass over a node that is down.
  for (let time = 0; time < 6; time += 1)
    expect((await front.post('/ext/bc/C/rpc', evmCall('debug_poison'))).status).toBe(502)
  const metrics = await (await fetch(`${front.url}/metrics`)).text()
  expect(/firn_upstream_breaker\{pool="node C\/rpc".*\} [12]/.test(metrics)).toBe(isAway)
})

describe('calls without an id of their own', () => {
  it('are not answered with the page of something before a node', async () => {
    const front = await twoNodes('platform.x', { body: '<html>' }, { body: '' })
    const posted = await front.post('/ext/bc/P', '{"jsonrpc":"2.0","method":"platform.x"}')
    expect([posted.status, posted.text]).toEqual([200, ''])
  })

  it.each(['1e400', '"\\ud800"', 'true', '123456789012345678901'])(
    'under another id than this odd one are none, and nobody is blamed for them: %s',
    async (id) => {
      const front = await startFront(1)
      nodeAt(front, 0).answer = ({ method }) =>
        method === 'eth_odd' ? { body: '{"jsonrpc":"2.0","id":null,"result":"0x2"}' } : undefined
      // Often enough to pass over a node that is down.
      for (let time = 0; time < 6; time += 1)
        expect((await front.post('/ext/bc/C/rpc', evmCall('eth_odd', '[]', id))).status).toBe(502)
      const metrics = await (await fetch(`${front.url}/metrics`)).text()
      expect(metrics).not.toMatch(/firn_upstream_breaker\{pool="node C\/rpc".*\} 2/)
      expect(metrics).toMatch(/firn_upstream_requests_total\{pool="node C\/rpc",.*outcome="rpc"\} 6/)
    },
  )

  it('as batches are not answered by a node that is behind in any of them', async () => {
    const member = (id: number, rest: string) => `{"jsonrpc":"2.0","id":${id},${rest}}`
    const behind = member(2, '"error":{"code":-32000,"message":"header for hash not found"}')
    const whole = `[${member(1, '"result":"0x1"')},${member(2, '"result":"0x2"')}]`
    const front = await twoNodes('debug_x', { body: `[${member(1, '"result":"0x1"')},${behind}]` }, { body: whole })
    const posted = await front.post('/ext/bc/C/rpc', `[${evmCall('debug_x')},${evmCall('debug_y', '[]', '2')}]`)
    expect(posted.text).toBe(whole)
  })
})

describe('a node is told', () => {
  it('nothing of services that are answered here, whatever the method', async () => {
    const front = await startFront(1, { node: { api: { admin: { enabled: true } } } as never })
    for (const service of ['health', 'admin']) {
      const { text } = await front.post(`/ext/${service}`, gorillaCall(`${service}.unheardOf`))
      expect(text).toContain(`can't find method \\"${service}.UnheardOf\\"`)
    }
    expect(nodeAt(front, 0).asked).toEqual([])
  })

  it('not how a body is said to be packed, of which a node takes no notice', async () => {
    const front = await startFront(1)
    const call = gorillaCall('platform.getBlockByHeight', '{"height":7}')
    for (const body of [gzipSync(call), call]) await front.post('/ext/bc/P', body, { 'content-encoding': 'gzip' })
    expect(nodeAt(front, 0).asked.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, undefined])
  })

  it('nothing that is kept from the public, packed or not', async () => {
    const front = await startFront(1, { node: { publicDeployment: true } })
    // What stands before this node unpacks what it is told to.
    nodeAt(front, 0).answer = ({ headers, body }) => {
      const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body).toString() : body.toString('latin1')
      return {
        body: text.includes('info.getNodeIP') ? '{"jsonrpc":"2.0","result":{"ip":"192.0.2.1:9651"},"id":1}' : '',
      }
    }
    const packed = gzipSync(gorillaCall('info.getNodeIP'))
    const { text } = await front.post('/ext/info', packed, { 'content-encoding': 'gzip' })
    expect(text).not.toContain('192.0.2.1')
  })

  it('by which verb and query a virtual machine is asked, and what it says of its answer is passed on', async () => {
    const front = await startFront(1)
    const path = `/ext/bc/${OTHER_CHAIN}/orders?market=a%20b&all`
    const headers = { 'content-encoding': 'gzip', 'retry-after': '9' }
    nodeAt(front, 0).answer = (asked) => (asked.path === path ? { headers, body: gzipSync('taken') } : undefined)
    const posted = await front.post(path, '{}')
    expect([posted.text, posted.headers.get('retry-after')]).toEqual(['taken', '9'])
    await fetch(front.url + path)
    const seen = nodeAt(front, 0).asked.map((one) => `${one.verb} ${one.path}`)
    expect(seen).toEqual([`POST ${path}`, `GET ${path}`])
    // What only reads is asked again when it was cut.
    let times = 0
    nodeAt(front, 0).answer = (asked) => {
      if (asked.path !== path) return undefined
      times += 1
      return times === 1 ? 'cut' : { body: 'read' }
    }
    expect(await (await fetch(front.url + path)).text()).toBe('read')
  })
})

describe('questions that must not run at once', () => {
  const call = evmCall('warp_getMessageAggregateSignature', '["0x01"]')

  it('do not wait for a node that has had too many while another one works', async () => {
    const front = await startFront(2)
    const limited: Reply = { status: 429, headers: { 'retry-after': '15' }, body: 'slow down' }
    nodeAt(front, 0).answer = ({ method }) => (method?.startsWith('warp') ? limited : undefined)
    nodeAt(front, 1).answer = async ({ method }) => {
      if (method?.startsWith('warp')) await new Promise((resolve) => setTimeout(resolve, 100))
      return undefined
    }
    await front.post('/ext/bc/C/rpc', call)
    nodeAt(front, 0).answer = () => undefined
    const posted = await Promise.all(Array.from({ length: 4 }, () => front.post('/ext/bc/C/rpc', call)))
    expect(posted.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(front.nodes.map(({ asked }) => asked.length)).toEqual([1, 5])
  })

  it('are refused when 32 are there already', async () => {
    const front = await startFront(1)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    nodeAt(front, 0).answer = async ({ method }) => void (method?.startsWith('warp') ? await released : undefined)
    let refused = 0
    const posted = Array.from({ length: 35 }, async () => {
      const { status } = await front.post('/ext/bc/C/rpc', call)
      if (status !== 200) refused += 1
      return status
    })
    await expect.poll(() => refused).toBe(3)
    release()
    const statuses = await Promise.all(posted)
    expect(statuses.filter((status) => status === 200)).toHaveLength(32)
    expect(statuses.filter((status) => status === 502)).toHaveLength(3)
  })
})
