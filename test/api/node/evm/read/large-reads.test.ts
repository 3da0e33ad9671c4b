import { expect, it } from 'vitest'
import { readMessage } from '../../../../../src/api/node/evm/message.ts'
import { planRead } from '../../../../../src/api/node/evm/read/plan.ts'
import { endpointByName } from '../../../../../src/api/node/routes/endpoint.ts'
import type { SeenCall } from '../../../../support/upstream/fault-server.ts'
import { type HighNode, startNodesAt } from '../stage.ts'
import { startWith } from './state-synced-nodes.ts'

// Calls above 64 KiB are neither shared nor kept; what is promised of an answer holds for them, too.

const hex = (number: number): string => `0x${number.toString(16)}`
/** As a scanner names them that looks for the deposits of many. */
const ADDRESSES = Array.from({ length: 1_700 }, (_, index) => `0x${String(index).padStart(40, '0')}`)

it('logs of many addresses are not said to be none by a node that was synced by state', async () => {
  for (const synced of [0, 1]) {
    const answerAt = (index: number, { method, params }: SeenCall): unknown => {
      const [first] = params as [unknown]
      if (method === 'eth_getBlockByNumber') return index === synced && Number(first) < 1_245 ? null : { number: first }
      return method === 'eth_getLogs' ? (index === synced ? [] : [index]) : undefined
    }
    const { stage, servers } = await startWith(2, answerAt, 2_000n)
    const asked = { fromBlock: '0x2', toBlock: '0x7c0', address: ADDRESSES }
    for (let time = 0; time < 3; time += 1) expect(await stage.call('eth_getLogs', [asked])).toEqual([1 - synced])
    await servers[1 - synced]?.down()
    await expect(stage.call('eth_getLogs', [asked])).rejects.toThrow()
  }
})

it('the state of now is told of the block that was shown, once a node that is left has it', async () => {
  const { stage, nodes } = await startNodesAt([100, 101], (node, { method }) => {
    const { height } = node
    // It has the block as soon as it has told of the one before.
    if (method === 'eth_call') node.height = 101
    return method === 'eth_getBlockByNumber' ? { number: hex(height) } : hex(height)
  })
  const [, ahead] = nodes as [HighNode, HighNode]
  await expect.poll(() => stage.call('eth_blockNumber')).toBe(hex(101))
  await ahead.server.close()
  const asked = [{ to: ADDRESSES[0], data: `0x${'00'.repeat(40_000)}` }, 'latest']
  expect(await stage.call('eth_call', asked)).toBe(hex(101))
})

it('no text as long as the parameters is made of a call before its answer is looked for among others', () => {
  const params = [{ to: ADDRESSES[0], data: `0x${'00'.repeat(40_000)}` }, 'latest']
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }))
  const message = readMessage(body, { from: 0, to: body.length })
  const [endpoint, bytes] = [endpointByName('C/rpc'), message.params]
  if (!endpoint || !bytes) throw new Error('no call')
  const made: string[] = []
  bytes.toString = (...how: Parameters<Buffer['toString']>) => {
    made.push(Buffer.prototype.toString.apply(bytes, how))
    return made.at(-1) ?? ''
  }
  const plan = planRead(endpoint, message)
  expect(made.filter(({ length }) => length === bytes.length)).toEqual([])
  expect(plan?.key()).toBe(plan?.key())
  expect(made.filter(({ length }) => length === bytes.length)).toHaveLength(1)
})
