import { describe, expect, it } from 'vitest'
import { evmCall, gorillaCall, nodeAt, startFront } from '../fake-nodes.ts'

describe('what only one node can say', () => {
  it('is asked of the identity node', async () => {
    const probe = await startFront(2)
    expect((await probe.post('/ext/info', gorillaCall('info.getNodeID'))).text).toContain('NodeID-0')
    for (const method of ['info.getNodeIP', 'info.getVMs', 'info.peers', 'info.uptime'])
      expect((await probe.post('/ext/info', gorillaCall(method))).text).toContain('NodeID-0')
    expect(nodeAt(probe, 1).asked).toEqual([])
    // It may come back as another one; our own answers say so from then on.
    nodeAt(probe, 0).answer = () => ({ headers: { 'node-id': 'NodeID-new' }, body: '{"id":1,"result":{}}' })
    await probe.post('/ext/info', gorillaCall('info.getNodeID'))
    expect((await probe.post('/ext/nothing', '')).headers.get('node-id')).toBe('NodeID-new')
    // Not even when it is down: another node's answer would be wrong.
    nodeAt(probe, 0).answer = () => 'cut'
    expect((await probe.post('/ext/info', gorillaCall('info.getNodeID'))).status).toBe(502)
  })

  it('is not there on a public deployment', async () => {
    const front = await startFront(1, { node: { publicDeployment: true } })
    const posted = await front.post('/ext/info', gorillaCall('info.peers'))
    expect(posted.text).toBe(
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"rpc: can\'t find method \\"info.Peers\\"","data":null},"id":1}\n',
    )
    expect((await front.post('/ext/health', gorillaCall('health.health'))).status).toBe(404)
    expect((await front.post('/ext/metrics', '')).status).toBe(404)
    expect((await front.post('/ext/info', gorillaCall('info.acps'))).status).toBe(200)
    // A second method behind the first one is the one that counts.
    const twice = '{"jsonrpc":"2.0","id":1,"method":"info.acps","\\u006dETHOD":"info.getNodeID"}'
    expect((await front.post('/ext/info', twice)).text).toContain("can't find method")
    expect(nodeAt(front, 0).asked.map(({ method }) => method)).toEqual(['info.acps'])
  })

  it('is asked one at a time where more would hang the node', async () => {
    const front = await startFront(2)
    for (const node of front.nodes)
      node.answer = async ({ method }) => {
        if (method !== 'warp_getMessageAggregateSignature') return undefined
        await new Promise((resolve) => setTimeout(resolve, 60))
        return undefined
      }
    const call = evmCall('warp_getMessageAggregateSignature', '["0x01"]')
    const posted = await Promise.all(Array.from({ length: 6 }, () => front.post('/ext/bc/C/rpc', call)))
    expect(posted.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(front.nodes.map(({ most }) => most)).toEqual([1, 1])
    // Whoever is done first takes the next one.
    const asked = front.nodes.map((node) => node.asked.length)
    expect(asked).not.toContain(0)
    expect((asked[0] ?? 0) + (asked[1] ?? 0)).toBe(6)
  })
})
