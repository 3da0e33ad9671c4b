import { expect, it } from 'vitest'
import { readMessage } from '../../../../src/api/node/evm/message.ts'
import { createChainTip } from '../../../../src/api/node/evm/read/chain-tip.ts'
import { createKeptAnswers } from '../../../../src/api/node/evm/read/kept-answers.ts'
import { planRead } from '../../../../src/api/node/evm/read/plan.ts'
import { createAnswerCache } from '../../../../src/api/node/forward/answer-cache.ts'
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
  const tip = createChainTip({ maxLagBlocks: 3, head: () => 100n })
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
