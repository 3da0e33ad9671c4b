import { expect, it } from 'vitest'
import { gate } from '../../../../support/waiting/gate.ts'
import { type Asked, gorillaCall, nodeAt, type Reply, startFront, told } from '../../fake-nodes.ts'
import { CLIENT_ID } from './late-node.ts'

const isList = ({ method }: Asked): boolean => method === 'platform.getUTXOs'

/** A node with this many blocks of P, and as many outputs. */
function answerAt(height: number, call: Asked): Reply {
  if (call.method === 'platform.getHeight') return told(call, { height: String(height) })
  return isList(call) ? told(call, { numFetched: String(height), utxos: [] }) : undefined
}

it('while the one node is busy that has what was told, it is waited for rather than one asked that lacks it', async () => {
  const front = await startFront(2, { node: { maxConcurrent: 1 } })
  const [behind, whole] = [nodeAt(front, 0), nodeAt(front, 1)]
  const busy = gate()
  behind.answer = (call) => (call.method === 'platform.getBlock' ? 'cut' : answerAt(101, call))
  whole.answer = async (call) => {
    if (call.method === 'platform.getBlock') return told(call, { block: { height: 102 }, encoding: 'json' })
    if (call.method === 'platform.getStake') await busy.opened
    return answerAt(102, call)
  }
  const ask = (method: string, params = '{}') => front.post('/ext/bc/P', gorillaCall(method, params, CLIENT_ID))
  expect((await ask('platform.getBlock', '{"blockID":"x","encoding":"json"}')).text).toContain('102')
  const first = ask('platform.getStake')
  await expect.poll(() => whole.asked.some(({ method }) => method === 'platform.getStake')).toBe(true)
  const list = ask('platform.getUTXOs', '{"addresses":["x"]}')
  // By then it has come.
  await fetch(`${front.url}/ext/health/liveness`)
  busy.open()
  expect((await list).text).toContain('"numFetched":"102"')
  await first
})
