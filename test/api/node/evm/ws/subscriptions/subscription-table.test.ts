import { expect, it } from 'vitest'
import { createRecentlySent } from '../../../../../../src/api/node/evm/ws/subscriptions/recently-sent.ts'
import { createSubscription } from '../../../../../../src/api/node/evm/ws/subscriptions/subscription.ts'
import { createSubscriptionTable } from '../../../../../../src/api/node/evm/ws/subscriptions/subscription-table.ts'

const HEADS = Buffer.from('["newHeads"]')
const named = (id: string, upstreamId: string) =>
  createSubscription('eth_subscribe', HEADS, { id, upstreamId }, 0n, createRecentlySent())

it('an id of the lost node is no one’s at the next, until that one holds the subscription', () => {
  const table = createSubscriptionTable()
  const [first, second] = [named('0x1', '0xa'), named('0x2', '0xb')]
  table.hold(first)
  table.hold(second)
  table.lose()
  expect([table.heldAs('0xa'), table.size, table.bytes()]).toEqual([undefined, 2, 2 * HEADS.length])
  // The next node gives the second one what was the first one's id.
  second.upstreamId = '0xa'
  table.hold(second)
  expect(table.remove('0x1')).toEqual({ subscription: first, isHeld: false })
  expect(table.heldAs('0xa')).toBe(second)
  expect(table.remove('0x2')).toEqual({ subscription: second, isHeld: true })
  expect([table.remove('0x2'), table.size]).toEqual([undefined, 0])
})

it('an id that another subscription has taken over is not the one’s that had it', () => {
  const table = createSubscriptionTable()
  const [ended, next] = [named('0x1', '0xa'), named('0x1', '0xb')]
  table.hold(ended)
  table.remove('0x1')
  table.hold(next)
  expect([table.has(ended), table.has(next), table.all()]).toEqual([false, true, [next]])
})
