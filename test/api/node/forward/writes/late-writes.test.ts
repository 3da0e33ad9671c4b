import { expect, it } from 'vitest'
import { gorillaCall, nodeAt, refused, startFront, told } from '../../fake-nodes.ts'

/** As a node says it of an output that it does not have (yet). */
const REFUSED = "couldn't issue tx: failed execution: failed to read consumed UTXO x:1 due to: not found"

it.each([
  ['a transaction', 'platform.issueTx', '{"tx":"0x0055"}'],
  ['what is no transaction that can be read', 'platform.issueTx', '{"tx":"0x0055","encoding":"json"}'],
])('%s goes to a node that has what was told is accepted', async (_what, method, params) => {
  for (const index of [0, 1]) {
    const front = await startFront(2)
    const late = nodeAt(front, index)
    let asked = 0
    for (const node of front.nodes)
      node.answer = (call) => {
        if (call.method === 'platform.getTxStatus') {
          if (node !== late) return told(call, { status: 'Committed' })
          // So that the other one is asked, even where this one comes first.
          return asked++ === 0 ? 'cut' : told(call, { status: 'Processing' })
        }
        if (call.method !== 'platform.issueTx') return undefined
        // What the second rests on is not there yet.
        const isRefused = node === late && call.body.includes('0x0055')
        return isRefused ? refused(call, REFUSED) : told(call, { txID: 'x' })
      }
    await front.post('/ext/bc/P', gorillaCall('platform.issueTx', '{"tx":"0x00"}'))
    const status = await front.post('/ext/bc/P', gorillaCall('platform.getTxStatus', '{"txID":"x"}'))
    expect(status.text).toContain('Committed')
    for (let round = 0; round < 3; round += 1)
      expect((await front.post('/ext/bc/P', gorillaCall(method, params))).text).toContain('"txID":"x"')
    // Where nobody else answers it is sent to that one, which says what it thinks of it.
    nodeAt(front, 1 - index).answer = () => 'cut'
    late.answer = (call) =>
      call.method === 'platform.issueTx' ? refused(call, REFUSED) : told(call, { status: 'Unknown', height: '100' })
    const last = await front.post('/ext/bc/P', gorillaCall('platform.issueTx', '{"tx":"0x0055"}'))
    expect(last.text).toContain(REFUSED)
  }
})

it('what a node refuses that lacks something goes on to one that lacks something else', async () => {
  for (const index of [0, 1]) {
    const front = await startFront(2)
    const late = nodeAt(front, index)
    // Each chain's transaction is accepted at one of the two.
    for (const node of front.nodes)
      node.answer = (call) => {
        const isLate = node === late
        if (call.method === 'avm.getTxStatus') return told(call, { status: isLate ? 'Unknown' : 'Accepted' })
        if (call.method === 'platform.getTxStatus') return told(call, { status: isLate ? 'Committed' : 'Unknown' })
        if (call.method === 'avm.issueTx' || call.method === 'platform.issueTx') return told(call, { txID: 'y' })
        if (call.method === 'avax.issueTx') return isLate ? refused(call, REFUSED) : told(call, { txID: 'x' })
        return undefined
      }
    for (const [path, chain] of [
      ['X', 'avm'],
      ['P', 'platform'],
    ]) {
      await front.post(`/ext/bc/${path}`, gorillaCall(`${chain}.issueTx`, '{"tx":"0x00"}'))
      const status = await front.post(`/ext/bc/${path}`, gorillaCall(`${chain}.getTxStatus`, '{"txID":"y"}'))
      expect(status.text).toMatch(/Accepted|Committed/)
    }
    for (let round = 0; round < 3; round += 1)
      expect((await front.post('/ext/bc/C/avax', gorillaCall('avax.issueTx', '{"tx":"0x00"}'))).text).toContain(
        '"txID"',
      )
    // Where both refuse it, the first one's reason is the answer.
    nodeAt(front, 1 - index).answer = (call) =>
      call.method === 'avax.issueTx' ? refused(call, REFUSED) : told(call, { status: 'Processing', height: '100' })
    const last = await front.post('/ext/bc/C/avax', gorillaCall('avax.issueTx', '{"tx":"0x00"}'))
    expect(last.text).toContain(REFUSED)
  }
})
