import { describe, expect, it } from 'vitest'
import { joinAnswers } from '../../../../../src/api/node/evm/batch/join-answers.ts'
import { matchAnswers } from '../../../../../src/api/node/evm/batch/match-answers.ts'
import { splitBatch } from '../../../../../src/api/node/evm/batch/split-batch.ts'
import { startOneNode } from '../stage.ts'

const call = (id: unknown, method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id, method, params })
const bufferOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

describe('batches on their way', () => {
  it('go to the node byte for byte when nothing in them is known', async () => {
    let seen = ''
    const { stage } = await startOneNode({
      handle: (_request, body) => {
        if (!body.includes('eth_gasPrice')) return undefined
        seen = body.toString()
        return { body: '[{"jsonrpc":"2.0","id":1,  "result":"0x1"},{"jsonrpc":"2.0","id":2,"result":1e3}]' }
      },
    })
    const body = '[ {"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"} ,\n {"id":2, "jsonrpc":"2.0","method":"eth_odd"}]'
    const { text } = await stage.post(body)
    expect(seen).toBe(body)
    expect(text).toBe('[{"jsonrpc":"2.0","id":1,  "result":"0x1"},{"jsonrpc":"2.0","id":2,"result":1e3}]')
  })

  it('only what is not known goes to the node, and all stands in its place', async () => {
    const { stage, server } = await startOneNode({ answer: ({ method }) => method })
    await stage.post(call(1, 'eth_chainId'))
    server.reset()
    const { text } = await stage.post([
      call('x', 'eth_gasPrice'),
      call('y', 'eth_chainId'),
      { jsonrpc: '2.0', method: 'eth_gasPrice' },
      call(null, 'net_version'),
      call(7, 'eth_chainId'),
    ])
    expect(server.stats.seen.map(({ method }) => method)).toEqual(['eth_gasPrice', 'eth_gasPrice', 'net_version'])
    expect(text.startsWith('[{"jsonrpc":"2.0","id":"x","result":"eth_gasPrice"},{"jsonrpc":"2.0","id":"y"')).toBe(true)
    expect((JSON.parse(text) as { id: unknown; result: string }[]).map(({ id, result }) => [id, result])).toEqual(
      expect.arrayContaining([
        ['x', 'eth_gasPrice'],
        ['y', 'eth_chainId'],
        [7, 'eth_chainId'],
      ]),
    )
  })

  it('writes are sent alone, once each, in order, and what stands behind them is asked afterwards', async () => {
    const { stage, server } = await startOneNode({ answer: ({ method, params }) => [method, params] })
    const { text } = await stage.post([
      call(1, 'eth_getTransactionCount', ['0x1', 'pending']),
      call(2, 'eth_sendRawTransaction', ['0x01']),
      call(3, 'eth_sendRawTransaction', ['0x02']),
      call(4, 'eth_getTransactionCount', ['0x1', 'pending']),
    ])
    expect((JSON.parse(text) as { id: number }[]).map(({ id }) => id)).toEqual([1, 2, 3, 4])
    const order = server.stats.seen.filter(({ method }) => method !== 'eth_blockNumber')
    expect(order.map(({ method }) => method)).toEqual([
      'eth_getTransactionCount',
      'eth_sendRawTransaction',
      'eth_sendRawTransaction',
      'eth_getTransactionCount',
    ])
    expect(order.map(({ params }) => (params as string[])[0])).toEqual(['0x1', '0x01', '0x02', '0x1'])
  })

  it.each([
    [500, 502],
    [413, 413],
  ])('what was sent is told although nobody answers what stands behind it: %i', async (said, told) => {
    const { stage, server } = await startOneNode({ answer: () => '0xhash' })
    server.set(({ body }) => (body.includes('eth_gasPrice') ? { status: said } : {}))
    const { status, text } = await stage.post([call(1, 'eth_sendRawTransaction', ['0x01']), call(2, 'eth_gasPrice')])
    expect(status).toBe(200)
    expect(JSON.parse(text)).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0xhash' },
      { jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'no node answered' } },
    ])
    expect((await stage.post([call(2, 'eth_gasPrice')])).status).toBe(told)
  })

  it('a server that refuses arrays is asked one by one', async () => {
    const { stage } = await startOneNode({ answer: ({ params }) => params, faults: { refuseBatches: 'object' } })
    const { text } = await stage.post([1, 2, 3].map((id) => call(id, 'eth_odd', [id])))
    expect(JSON.parse(text)).toEqual([1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, result: [id] })))
  })
})

describe('answers to questions', () => {
  const asked = [call(1, 'a'), { jsonrpc: '2.0', method: 'b' }, call('2', 'c'), call(2, 'd')]
  const messages = splitBatch(bufferOf(asked), 0)
  const answers = [1, '2', 2].map((id) => bufferOf({ jsonrpc: '2.0', id, result: id }))

  it('by their order, and by id where a server does not keep it', () => {
    for (const order of [answers, [...answers].reverse(), [answers[1], answers[0], answers[2]] as Buffer[]]) {
      const found = matchAnswers(messages, order)
      expect(messages.map((message) => found?.get(message))).toEqual([answers[0], undefined, answers[1], answers[2]])
    }
  })

  it('not at all when they do not come out even', () => {
    expect(matchAnswers(messages, answers.slice(1))).toBeUndefined()
    expect(matchAnswers(messages, [...answers.slice(0, 2), bufferOf({ id: 9 })])).toBeUndefined()
  })

  it('equal ids are told apart by their order', () => {
    const twins = splitBatch(bufferOf([call(1, 'a'), call(1, 'b')]), 0)
    const said = ['x', 'y'].map((result) => bufferOf({ jsonrpc: '2.0', id: 1, result }))
    expect(twins.map((message) => matchAnswers(twins, said)?.get(message))).toEqual(said)
  })

  it('beyond 25 MB of results: the one that crosses is there, the others are errors', () => {
    const three = splitBatch(bufferOf([call(1, 'a'), call(2, 'b'), call(3, 'c'), { jsonrpc: '2.0', method: 'd' }]), 0)
    const said = three.map(({ id }) => id && Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":"${'x'.repeat(8)}"}`))
    const textOf = (limit: number): string =>
      joinAnswers(three, (message) => said[three.indexOf(message)], limit).toString()
    const join = (limit: number): unknown[] => JSON.parse(textOf(limit)) as unknown[]
    // A node ends what it cut short without a newline.
    expect([30, 19].map((limit) => textOf(limit).endsWith('\n'))).toEqual([true, false])
    const refused = (id: number) => ({ jsonrpc: '2.0', id, error: { code: -32003, message: 'response too large' } })
    expect(join(30)).toHaveLength(3)
    expect(join(19)).toEqual([
      expect.objectContaining({ result: 'xxxxxxxx' }),
      expect.objectContaining({ id: 2, result: 'xxxxxxxx' }),
      refused(3),
    ])
    expect(join(9)).toEqual([expect.objectContaining({ id: 1, result: 'xxxxxxxx' }), refused(2), refused(3)])
  })
})
