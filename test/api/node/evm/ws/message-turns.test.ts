import { expect, it, onTestFinished } from 'vitest'
import { startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { until } from '../../../../support/waiting/until.ts'
import { startEvmStage } from '../stage.ts'
import { openClient } from './ws-client.ts'

const MESSAGES = 500

it('messages that come in together have a turn of the event loop each, so that others have theirs in between', async () => {
  const node = await startFaultServer({ answer: () => '0x1' })
  const stage = await startEvmStage({ nodes: [node.url] })
  onTestFinished(async () => {
    await stage.close()
    await node.close()
  })
  const client = await openClient(stage.wsUrl)
  let turns = 0
  let isOver = false
  const answeredAt: number[] = []
  client.socket.on('message', () => void answeredAt.push(turns))
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  // Answered here, at once.
  const message = '{"jsonrpc":"2.0","id":1,"method":"eth_unsubscribe","params":["0x1"]}'
  for (let index = 0; index < MESSAGES; index += 1) client.socket.send(message)
  await until(() => answeredAt.length === MESSAGES, 'all answers')
  isOver = true
  const [first = 0] = answeredAt
  expect((answeredAt.at(-1) ?? 0) - first).toBeGreaterThan(MESSAGES / 2)
})
