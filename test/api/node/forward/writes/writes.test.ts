import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { encodeCb58 } from '../../../../../src/lib/bytes/cb58.ts'
import { encodeNodeHex } from '../../../../../src/lib/bytes/node-hex.ts'
import { sha256 } from '../../../../../src/lib/bytes/sha256.ts'
import { evmCall, gorillaCall, nodeAt, OTHER_CHAIN, type Reply, startFront } from '../../fake-nodes.ts'

const gorilla = (result: string, id = '1'): Reply => ({ body: `{"jsonrpc":"2.0","result":${result},"id":${id}}\n` })
const gorillaError = (message: string): Reply => ({
  body: `{"jsonrpc":"2.0","error":{"code":-32000,"message":"${message}","data":null},"id":1}\n`,
})
const evmError = (message: string, code = -32000): Reply => ({
  body: `{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":"${message}"}}\n`,
})

/** Nodes that are asked for slow reads twice, soon. */
const HEDGED = { upstream: { hedgeMinMs: 50 } as never }

describe('writes', () => {
  const raw = '0x02f8aabbccdd'
  const hash = `0x${Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`
  const send = evmCall('eth_sendRawTransaction', `["${raw}"]`)
  const counts = (front: { nodes: { asked: { method: string | undefined }[] }[] }, method: string) =>
    front.nodes.map(({ asked }) => asked.filter((one) => one.method === method).length)

  it('go to one node once', async () => {
    const front = await startFront(3, HEDGED)
    for (const node of front.nodes)
      node.answer = async ({ method }) => {
        if (method !== 'eth_sendRawTransaction') return undefined
        // Slow enough for a read to be hedged.
        await new Promise((resolve) => setTimeout(resolve, 500))
        return { body: `{"jsonrpc":"2.0","id":1,"result":"${hash}"}\n` }
      }
    expect((await front.post('/ext/bc/C/rpc', send)).text).toContain(hash)
    expect(counts(front, 'eth_sendRawTransaction').reduce((a, b) => a + b)).toBe(1)
  })

  it('refused by the node are not tried elsewhere', async () => {
    const front = await startFront(2)
    for (const node of front.nodes)
      node.answer = ({ method }) =>
        method === 'eth_sendRawTransaction' ? evmError('nonce too low: next nonce 5, tx nonce 4') : undefined
    expect((await front.post('/ext/bc/C/rpc', send)).text).toContain('nonce too low')
    expect(counts(front, 'eth_sendRawTransaction').reduce((a, b) => a + b)).toBe(1)
  })

  it.each<[string, Reply, string?, ('one' | 'all')?]>([
    ['was lost', 'cut'],
    ['is the page of a proxy', { body: '<html>' }],
    ['is the page of a proxy, of all nodes asked,', { body: '<html>' }, '', 'all'],
    ['is the status of a proxy', { status: 502, body: 'Bad Gateway' }],
    ['was lost, of all nodes asked,', 'cut', '', 'all'],
    ['was lost', 'cut', ', told at length'.repeat(300)],
  ])(
    'whose answer %s are a success when another node knows the transaction',
    async (_, reply, more = '', writePolicy = 'one') => {
      const front = await startFront(2, { node: { writePolicy } })
      nodeAt(front, 0).answer = ({ method }) => (method === 'eth_sendRawTransaction' ? reply : undefined)
      nodeAt(front, 1).answer = ({ method }) => {
        if (method === 'eth_sendRawTransaction')
          return { body: `{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"already known${more}"}}\n` }
        return method === 'eth_getTransactionByHash'
          ? { body: `{"jsonrpc":"2.0","id":1,"result":{"hash":"${hash}"}}\n` }
          : undefined
      }
      const posted = await front.post('/ext/bc/C/rpc', evmCall('eth_sendRawTransaction', `["${raw}"]`, '"a"'))
      expect(posted.text).toBe(`{"jsonrpc":"2.0","id":"a","result":"${hash}"}\n`)
    },
  )

  it('whose answer was lost stay refused when no node knows the transaction', async () => {
    const front = await startFront(2)
    nodeAt(front, 0).answer = ({ method }) => (method === 'eth_sendRawTransaction' ? { body: '<html>' } : undefined)
    nodeAt(front, 1).answer = ({ method }) => {
      if (method === 'eth_sendRawTransaction') return evmError('nonce too low')
      return method === 'eth_getTransactionByHash' ? { body: '{"jsonrpc":"2.0","id":1,"result":null}\n' } : undefined
    }
    expect((await front.post('/ext/bc/C/rpc', send)).text).toContain('nonce too low')
  })

  it.each(['hex', 'hexnc'])('on P are known by their id: %s', async (encoding) => {
    const front = await startFront(2)
    const bytes = Buffer.from('000000000022000000', 'hex')
    const txID = encodeCb58(sha256(bytes))
    nodeAt(front, 0).answer = ({ method }) => (method === 'platform.issueTx' ? 'cut' : undefined)
    nodeAt(front, 1).answer = ({ method, body }) => {
      if (method === 'platform.issueTx') return gorillaError("couldn't issue tx: consumed")
      if (method !== 'platform.getTxStatus') return undefined
      return gorilla(`{"status":"${body.includes(txID) ? 'Processing' : 'Unknown'}"}`)
    }
    const text = encoding === 'hex' ? encodeNodeHex(bytes) : `0x${bytes.toString('hex')}`
    const params = `{"tx":"${text}","encoding":"${encoding}"}`
    const posted = await front.post('/ext/bc/P', gorillaCall('platform.issueTx', params))
    expect(posted.text).toBe(`{"jsonrpc":"2.0","result":{"txID":"${txID}"},"id":1}\n`)
  })

  it.each([
    ['wants a key of this server', { status: 401, body: '{"error":{"code":-32600,"message":"no token"}}' }, 502, null],
    ['has had too many requests', { status: 429, headers: { 'retry-after': '3' }, body: '{"error":"slow"}' }, 503, '3'],
    [
      'says so in an error',
      { body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"rate limit"}}' },
      503,
      '1',
    ],
    ['answers with a page', { body: '<html>' }, 502, '1'],
  ] as const)('that no node takes because each %s are not refused in its words', async (_why, reply, status, after) => {
    const front = await startFront(2)
    for (const node of front.nodes)
      node.answer = ({ method }) => (method === 'eth_sendRawTransaction' ? { ...reply } : undefined)
    const posted = await front.post('/ext/bc/C/rpc', send)
    expect([posted.status, posted.text]).toEqual([
      status,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no node answered"}}\n',
    ])
    if (after !== null) expect(posted.headers.get('retry-after')).toBe(after)
  })

  it.each(
    ['one', 'all'].flatMap((writePolicy) => [
      ['are bootstrapping', 'API call rejected because chain is not done bootstrapping\n', writePolicy] as const,
      ['say what is wrong', '{"jsonrpc":"2.0","error":{"code":-1,"message":"x"},"id":1}', writePolicy] as const,
    ]),
  )('pass the words of nodes that all %s: %s (%s)', async (_what, body, writePolicy) => {
    const front = await startFront(2, { node: { writePolicy: writePolicy as 'one' | 'all' } })
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    for (const node of front.nodes)
      node.answer = ({ method }) => (method === 'platform.issueTx' ? { status: 503, headers, body } : undefined)
    const posted = await front.post('/ext/bc/P', gorillaCall('platform.issueTx', '{"tx":"0x00"}'))
    expect([posted.status, posted.text]).toEqual([503, body])
  })

  const limited: Reply = { status: 429, headers: { 'retry-after': '15' }, body: 'slow down' }

  it.each(['one', 'all'] as const)('do not wait for a node that has had too many (%s)', async (writePolicy) => {
    const front = await startFront(2, { node: { writePolicy } })
    nodeAt(front, 0).answer = ({ method }) => (method === 'eth_sendRawTransaction' ? limited : undefined)
    for (const words of ['nonce too low', 'already known']) {
      nodeAt(front, 1).answer = ({ method }) =>
        method === 'eth_sendRawTransaction'
          ? evmError(words)
          : method === 'eth_getTransactionByHash'
            ? 'cut'
            : undefined
      expect((await front.post('/ext/bc/C/rpc', send)).text).toContain(words)
    }
    expect(counts(front, 'eth_sendRawTransaction')).toEqual([1, 2])
  })

  it('that every node has turned away may come back as soon as the first of them takes any', async () => {
    const front = await startFront(3)
    const waits = ['60', '40', '90']
    front.nodes.forEach((node, index) => {
      node.answer = ({ method }) =>
        method === 'eth_sendRawTransaction'
          ? { status: 429, headers: { 'retry-after': waits[index] ?? '' }, body: 'slow down' }
          : undefined
    })
    for (let round = 0; round < 2; round += 1) {
      const refused = await front.post('/ext/bc/C/rpc', send)
      expect(refused.status).toBe(503)
      const wait = Number(refused.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(5)
      expect(wait).toBeLessThanOrEqual(40)
    }
    expect(counts(front, 'eth_sendRawTransaction')).toEqual([1, 1, 1])

    // One that is only out of reach names no time.
    const half = await startFront(2)
    const busy: Reply = { status: 429, headers: { 'retry-after': '40' }, body: 'slow down' }
    for (const [index, node] of half.nodes.entries())
      node.answer = ({ method }) => (method === 'eth_sendRawTransaction' ? (index === 0 ? 'cut' : busy) : undefined)
    const refused = await half.post('/ext/bc/C/rpc', send)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(5)
  })

  it.each(['one', 'all'] as const)('turned away unread are not ours if known (%s)', async (writePolicy) => {
    const front = await startFront(2, { node: { writePolicy } })
    nodeAt(front, 0).answer = ({ method }) => (method === 'eth_sendRawTransaction' ? limited : undefined)
    nodeAt(front, 1).answer = ({ method }) =>
      method === 'eth_sendRawTransaction'
        ? evmError('already known')
        : { body: `{"jsonrpc":"2.0","id":1,"result":{"hash":"${hash}"}}\n` }
    expect((await front.post('/ext/bc/C/rpc', send)).text).toContain('"message":"already known"')
  })

  it('that are no signed transactions go on only from a node that has turned them away', async () => {
    const front = await startFront(2)
    const path = '/ext/bc/X/wallet'
    let busyOne: number | undefined
    for (const [index, node] of front.nodes.entries())
      node.answer = ({ method }) => {
        if (method !== 'wallet.sendNFT') return undefined
        busyOne ??= index
        return busyOne === index ? limited : undefined
      }
    for (let round = 0; round < 2; round += 1) {
      const { text } = await front.post(path, gorillaCall('wallet.sendNFT'))
      expect(text).toContain(`"from":"NodeID-${busyOne === 0 ? 1 : 0}"`)
    }
    expect(counts(front, 'wallet.sendNFT')).toEqual(busyOne === 0 ? [1, 2] : [2, 1])

    const busy = await startFront(2)
    // In seconds or as a date, as the one and the other server has it.
    const waits = ['60', new Date(Date.now() + 60_000).toUTCString()]
    for (const [index, node] of busy.nodes.entries()) {
      const headers = { 'retry-after': waits[index] ?? '' }
      node.answer = ({ method }) =>
        method === 'wallet.sendNFT' ? { status: 429, headers, body: 'slow down' } : undefined
    }
    const refused = await busy.post(path, gorillaCall('wallet.sendNFT'))
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toMatch(/^([3-5]\d|60)$/)
    expect(counts(busy, 'wallet.sendNFT')).toEqual([1, 1])

    const lost = await startFront(2)
    for (const node of lost.nodes)
      node.answer = ({ method }) =>
        method === 'wallet.sendNFT'
          ? { status: 503, headers: { 'retry-after': '1' }, body: 'lost its backend' }
          : undefined
    await lost.post(path, gorillaCall('wallet.sendNFT'))
    expect(counts(lost, 'wallet.sendNFT').reduce((a, b) => a + b)).toBe(1)
  })

  it.each(['sendNFT', '\u017fendNFT'])('that are no signed transactions are never repeated: %s', async (sent) => {
    const told = Buffer.from(`wallet.${sent}`).toString('latin1')
    const front = await startFront(2)
    for (const node of front.nodes) node.answer = ({ method }) => (method === told ? 'cut' : undefined)
    const posted = await front.post('/ext/bc/X/wallet', gorillaCall(`wallet.${sent}`, '{"groupID":1}'))
    expect(posted.status).toBe(502)
    expect(counts(front, told).reduce((a, b) => a + b)).toBe(1)
  })

  it('that cannot be read go to one node once, which says what is wrong with them', async () => {
    for (const params of ['{"tx":"nothing in hex"}', '{"tx":"0x00","encoding":"json"}', '{"tx":7}']) {
      const front = await startFront(2)
      for (const node of front.nodes) node.answer = ({ method }) => (method === 'platform.issueTx' ? 'cut' : undefined)
      expect((await front.post('/ext/bc/P', gorillaCall('platform.issueTx', params))).status).toBe(502)
      expect(counts(front, 'platform.issueTx').reduce((a, b) => a + b)).toBe(1)
      for (const node of front.nodes)
        node.answer = ({ method }) => (method === 'platform.issueTx' ? gorillaError("couldn't decode tx") : undefined)
      expect((await front.post('/ext/bc/P', gorillaCall('platform.issueTx', params))).text).toContain("couldn't decode")
    }
  })

  it.each(['one', 'all'] as const)('ask four nodes at most (%s)', async (writePolicy) => {
    const front = await startFront(6, { node: { writePolicy } })
    for (const node of front.nodes)
      node.answer = ({ method }) => (method === 'eth_sendRawTransaction' ? 'cut' : undefined)
    expect((await front.post('/ext/bc/C/rpc', send)).status).toBe(502)
    expect(counts(front, 'eth_sendRawTransaction').reduce((a, b) => a + b)).toBe(4)
  })

  it('to virtual machines that are not known here are done once; who does not run the chain did nothing', async () => {
    const path = `/ext/bc/${OTHER_CHAIN}/orders`
    const asked = (front: { nodes: { asked: { path: string }[] }[] }) =>
      front.nodes.reduce((sum, { asked }) => sum + asked.filter((one) => one.path === path).length, 0)
    const slow = await startFront(2, HEDGED)
    for (const node of slow.nodes)
      node.answer = async (one) => {
        if (one.path !== path) return undefined
        // Slow enough for a read to be hedged.
        await new Promise((resolve) => setTimeout(resolve, 500))
        return { body: 'taken' }
      }
    expect((await slow.post(path, '{"order":1}')).text).toBe('taken')
    expect(asked(slow)).toBe(1)

    // It may have been taken all the same.
    for (const reply of ['cut', { status: 500, body: 'internal error' }] satisfies Reply[]) {
      const broken = await startFront(2)
      for (const node of broken.nodes) node.answer = (one) => (one.path === path ? reply : undefined)
      expect((await broken.post(path, '{"order":1}')).status).toBeGreaterThanOrEqual(500)
      expect(asked(broken)).toBe(1)
    }

    for (const reply of [{ status: 404, body: '404 page not found\n' }, limited]) {
      const elsewhere = await startFront(2)
      for (const node of elsewhere.nodes)
        node.answer = (one) => (one.path === path ? (asked(elsewhere) === 1 ? reply : { body: 'taken' }) : undefined)
      expect((await elsewhere.post(path, '{"order":1}')).text).toBe('taken')
      expect(asked(elsewhere)).toBe(2)
    }
  })

  it.each(['', ',"error":null'])('go to all nodes when told so, and the first success counts%s', async (beside) => {
    const front = await startFront(3, { node: { writePolicy: 'all' } })
    nodeAt(front, 0).answer = ({ method }) =>
      method === 'eth_sendRawTransaction' ? evmError('already known') : undefined
    nodeAt(front, 1).answer = ({ method }) => (method === 'eth_sendRawTransaction' ? 'cut' : undefined)
    nodeAt(front, 2).answer = ({ method }) =>
      method === 'eth_sendRawTransaction'
        ? { body: `{"jsonrpc":"2.0","id":1,"result":"${hash}"${beside}}\n` }
        : undefined
    expect((await front.post('/ext/bc/C/rpc', send)).text).toContain(hash)
    expect(counts(front, 'eth_sendRawTransaction')).toEqual([1, 1, 1])
  })
})
