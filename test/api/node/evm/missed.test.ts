import { expect, it } from 'vitest'
import { createHeadShape } from '../../../../src/api/node/evm/ws/head-shape.ts'
import { readMissed } from '../../../../src/api/node/evm/ws/missed.ts'
import { createSubscription } from '../../../../src/api/node/evm/ws/subscription.ts'
import { createTold } from '../../../../src/api/node/evm/ws/told.ts'
import type { UpstreamLink } from '../../../../src/api/node/evm/ws/upstream-link.ts'

const whole = (height: number) => ({ blockNumber: `0x${height.toString(16)}`, hash: `0xt${height}`, value: '0x1' })

/** A node with one transaction in each block. */
const link: UpstreamLink = {
  host: 'node',
  call: (_method, params, answered) => {
    const [number, isWhole] = JSON.parse(params) as [string, boolean]
    const transaction = whole(Number(number))
    const result = { number, transactions: [isWhole ? transaction : transaction.hash] }
    answered(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result })))
  },
  pause: () => undefined,
  resume: () => undefined,
  close: () => undefined,
}

it('accepted transactions that were missed have the form that each client asked for', async () => {
  const told = createTold()
  const begin = (id: string, params: string) =>
    createSubscription('eth_subscribe', Buffer.from(params), { id, upstreamId: id }, 100n, told)
  const subscriptions = [
    begin('hashes', '["newAcceptedTransactions"]'),
    begin('whole', '["newAcceptedTransactions", true]'),
    begin('hashes, too', '["newAcceptedTransactions",false]'),
  ]
  const read = async (asked: typeof subscriptions): Promise<[string, unknown][]> => {
    const found: [string, unknown][] = []
    await readMissed(
      { link, reached: 100n, tip: 101n, shape: createHeadShape(), maxBlocks: 10 },
      asked,
      ({ id }, result) => void found.push([id, JSON.parse(String(result))]),
    )
    return found
  }
  expect(await read(subscriptions)).toEqual([
    ['hashes', '0xt101'],
    ['whole', whole(101)],
    ['hashes, too', '0xt101'],
  ])
  expect(await read(subscriptions.slice(0, 1))).toEqual([['hashes', '0xt101']])
})
