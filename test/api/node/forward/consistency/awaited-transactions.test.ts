import { expect, it } from 'vitest'
import type { ForwardCall } from '../../../../../src/api/node/forward/call.ts'
import { createAwaitedTransactions } from '../../../../../src/api/node/forward/consistency/awaited-transactions.ts'
import { ruleOf } from '../../../../../src/api/node/methods/forwarded.ts'

const call = (method: string, id: string) =>
  ({ rule: ruleOf(method), method, params: Buffer.from(`{"txID":"${id}"}`) }) as unknown as ForwardCall
const result = (value: object) => ({ status: 200, body: Buffer.from(JSON.stringify({ result: value })) })
const status = (awaited: ReturnType<typeof createAwaitedTransactions>, id: string, word: string) =>
  awaited.note(call('avm.getTxStatus', id), result({ status: word }))
const isNews = (awaited: ReturnType<typeof createAwaitedTransactions>, id: string): boolean =>
  awaited.isNews(call('avm.getTxStatus', id), result({ status: 'Accepted' }))

it.each([
  [
    'here',
    (awaited: ReturnType<typeof createAwaitedTransactions>) =>
      awaited.note(call('avm.issueTx', ''), result({ txID: 'mine' })),
  ],
  [
    'at another process',
    (awaited: ReturnType<typeof createAwaitedTransactions>) => awaited.add({ id: 'mine', isSent: true }),
  ],
])(
  'a transaction that was sent %s is waited for, however many others strangers ask for that there are not',
  (_, send) => {
    const awaited = createAwaitedTransactions()
    send(awaited)
    for (let at = 0; at < 20_000; at += 1) status(awaited, `none${at}`, 'Unknown')
    expect(isNews(awaited, 'mine')).toBe(true)
    expect(isNews(awaited, 'none19999')).toBe(true)
    expect(isNews(awaited, 'none0')).toBe(false)
  },
)

it('others are told of one once, and once more when it was sent', () => {
  const awaited = createAwaitedTransactions()
  expect(status(awaited, 'a', 'Processing')).toEqual({ id: 'a', isSent: false })
  expect(status(awaited, 'a', 'Processing')).toBeUndefined()
  expect(awaited.note(call('avm.issueTx', ''), result({ txID: 'a' }))).toEqual({ id: 'a', isSent: true })
  expect(awaited.note(call('avm.issueTx', ''), result({ txID: 'a' }))).toBeUndefined()
  expect(status(awaited, 'a', 'Processing')).toBeUndefined()
})

it.each([
  ['{"txID":"other","txID":"mine"}'],
  ['{"txID":"other","TXID":"mine"}'],
  ['{"txid":"mine"}'],
  [`{"note":"${'x'.repeat(512)}","txID":"mine"}`],
])('who asks with %s asks for what a node reads in it', (params) => {
  const awaited = createAwaitedTransactions()
  awaited.add({ id: 'mine', isSent: true })
  const asked = { ...call('avm.getTxStatus', ''), params: Buffer.from(params) }
  expect(awaited.isNews(asked, result({ status: 'Accepted' }))).toBe(true)
})
