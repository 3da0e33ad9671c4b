import { describe, expect, it } from 'vitest'
import { readMessage } from '../../../../src/api/node/evm/message.ts'
import { createChainTip } from '../../../../src/api/node/evm/read/chain-tip.ts'
import { createKeptAnswers } from '../../../../src/api/node/evm/read/kept-answers.ts'
import { planRead } from '../../../../src/api/node/evm/read/plan.ts'
import { createAnswerCache, withoutId } from '../../../../src/api/node/forward/answer-cache.ts'
import { endpointByName } from '../../../../src/api/node/routes/endpoint.ts'

const MINUTES = 60_000

function clock() {
  let time = 1_000
  return {
    now: () => time,
    /** The cache looks at the clock again only in a later turn of the event loop. */
    async forward(ms: number) {
      time += ms
      await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}
const answer = {
  head: Buffer.from('{'),
  tail: Buffer.from('}'),
  contentType: undefined,
  nosniff: false,
  nodeId: undefined,
  tip: undefined,
  epoch: 0,
}

it('keeps nothing for longer than ten minutes, however final it is', async () => {
  const time = clock()
  const cache = createAnswerCache({ bytes: 10_000, entries: 10, now: time.now })
  cache.set('final', answer, Number.POSITIVE_INFINITY)
  cache.set('short', answer, 1 * MINUTES)
  await time.forward(9.9 * MINUTES)
  expect(cache.get('final', undefined)).toBe(answer)
  expect(cache.get('short', undefined)).toBeUndefined()
  await time.forward(0.2 * MINUTES)
  expect(cache.get('final', undefined)).toBeUndefined()
})

it('keeps the newest of more answers than it may, and of more bytes', () => {
  const keptOf = (limits: { bytes: number; entries: number }, tail: number): number => {
    const cache = createAnswerCache(limits)
    for (let key = 0; key < 100; key++) cache.set(`${key}`, { ...answer, tail: Buffer.alloc(tail) }, 1 * MINUTES)
    expect(cache.get('99', undefined)).toBeDefined()
    return cache.size
  }
  expect(keptOf({ bytes: 1_000_000, entries: 10 }, 0)).toBe(10)
  const many = keptOf({ bytes: 100_000, entries: 1_000 }, 9_000)
  expect(many).toBeGreaterThan(5)
  expect(many * 9_000).toBeLessThanOrEqual(100_000)
})

it('keeps what depends on the tip while it stands, and nothing that would push out too much else', () => {
  const cache = createAnswerCache({ bytes: 10_000_000, entries: 10 })
  cache.set('tip', { ...answer, tip: 7n }, 1 * MINUTES)
  expect(cache.get('tip', 7n)).toBeDefined()
  expect(cache.get('tip', 8n)).toBeUndefined()
  // An answer of before a re-organisation is not that of after it.
  expect(cache.get('tip', 7n)).toBeUndefined()

  // Nor is one to a call that was sent before a client was told more. What is final is so at every tip.
  const told = { ...answer, tip: 7n, epoch: cache.epoch }
  cache.set('final', answer, 1 * MINUTES)
  cache.forgetTip()
  cache.set('tip', told, 1 * MINUTES)
  expect(cache.get('tip', 7n)).toBeUndefined()
  cache.set('tip', { ...told, epoch: cache.epoch }, 1 * MINUTES)
  for (const key of ['tip', 'final']) expect(cache.get(key, 7n)).toBeDefined()

  const large = (bytes: number) => ({ ...answer, tail: Buffer.alloc(bytes) })
  cache.set('large', large(1_000_000), 1 * MINUTES)
  cache.set('too large', large(1_100_000), 1 * MINUTES)
  cache.set('k'.repeat(8_000), answer, 1 * MINUTES)
  cache.set('k'.repeat(9_000), answer, 1 * MINUTES)
  const found = ['large', 'too large', 'k'.repeat(8_000), 'k'.repeat(9_000)].map((key) => cache.get(key, undefined))
  expect(found.map((one) => one !== undefined)).toEqual([true, false, true, false])
})

it('asks for old blocks anew: nodes write them in another way after an upgrade', async () => {
  const time = clock()
  const kept = createKeptAnswers(createAnswerCache({ bytes: 10_000, entries: 10, now: time.now }), 0)
  const tip = createChainTip({ maxLagBlocks: 3, head: () => 100n, holders: () => [] })
  const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["0x5",false]}')
  const endpoint = endpointByName('C/rpc')
  const plan = endpoint && planRead(endpoint, readMessage(body, { from: 0, to: body.length }))
  if (!plan) throw new Error('no plan')
  // That a node does not have it is no answer that stays true.
  kept.keep(plan, tip, kept.moment(tip), { status: 200, body: Buffer.from('{"jsonrpc":"2.0","id":1,"result":null}\n') })
  expect(kept.find(plan, tip)).toBeUndefined()
  kept.keep(plan, tip, kept.moment(tip), {
    status: 200,
    body: Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"number":"0x5"}}\n'),
  })
  await time.forward(9.9 * MINUTES)
  expect(kept.find(plan, tip)?.body.toString()).toContain('"number":"0x5"')
  await time.forward(0.2 * MINUTES)
  expect(kept.find(plan, tip)).toBeUndefined()
})

describe('an answer without its id', () => {
  const parts = (body: string, id: string, dialect: 'gorilla' | 'evm') => {
    const found = withoutId(Buffer.from(body), Buffer.from(id), dialect)
    return found && [found.head.toString(), found.tail.toString()]
  }

  it('is what stands before and behind it, as the node wrote it', () => {
    const gorilla = '{"jsonrpc":"2.0","result":{"height":"5"},"id":"a"}\n'
    expect(parts(gorilla, '"a"', 'gorilla')).toEqual(['{"jsonrpc":"2.0","result":{"height":"5"},"id":', '}\n'])
    const evm = '{"jsonrpc":"2.0","id":7,"result":"0x5"}\n'
    expect(parts(evm, '7', 'evm')).toEqual(['{"jsonrpc":"2.0","id":', ',"result":"0x5"}\n'])
  })

  it.each([
    ['an error', '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":7}\n', 'gorilla'],
    ['nothing', '{"jsonrpc":"2.0","result":null,"id":7}\n', 'gorilla'],
    ['an id written otherwise', '{"jsonrpc":"2.0","result":"5","id":7.0}\n', 'gorilla'],
    ['members in another order', '{"jsonrpc":"2.0","id":7,"result":"5"}\n', 'gorilla'],
    ['a cut answer', '{"jsonrpc":"2.0","result":"5","i', 'gorilla'],
    ['less than an id takes', '{"jsonrpc":"2.0","result":', 'gorilla'],
    ['an error', '{"jsonrpc":"2.0","id":7,"error":{"code":3,"message":"no"}}\n', 'evm'],
    ['nothing', '{"jsonrpc":"2.0","id":7,"result":null}\n', 'evm'],
    ['a longer id', '{"jsonrpc":"2.0","id":77,"result":"0x5"}\n', 'evm'],
    ['an id as long', '{"jsonrpc":"2.0","id":8,"result":"0x5"}\n', 'evm'],
    ['members in another order', '{"id":7,"jsonrpc":"2.0","result":"0x5"}\n', 'evm'],
    ['a cut answer', '{"jsonrpc":"2.0","id":7,"res', 'evm'],
  ] as const)('is none of %s: %s', (_, body, dialect) => {
    expect(parts(body, '7', dialect)).toBeUndefined()
  })
})
