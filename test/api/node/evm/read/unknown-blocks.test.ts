import { expect, it, onTestFinished } from 'vitest'
import { startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { startEvmStage } from '../stage.ts'

const HASH = `0x${'ab'.repeat(32)}`

/** State and logs of a block that one node has accepted and another has not yet: texts of coreth, then of C since Helicon. */
it.each([
  'header for hash not found',
  'unknown block',
  `block not found: hash ${HASH}`,
  'block not found: not accepted yet: block 100',
])('"%s": another node is asked, also for a batch; what all say is the answer', async (message) => {
  const servers = await Promise.all([0, 1].map(() => startFaultServer({ answer: () => '0x64' })))
  const stage = await startEvmStage({ nodes: servers.map(({ url }) => url) })
  onTestFinished(async () => {
    await stage.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  await stage.call('eth_blockNumber')
  const unknown = { rpcError: { code: -32000, message, methods: ['eth_call', 'eth_getLogs'] } }
  const first = (to: string) => ({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to }, { blockHash: HASH }] })
  for (const [index, behind] of servers.entries()) {
    behind.set(unknown)
    expect(await stage.call('eth_call', [{ to: `0x0${index}` }, { blockHash: HASH }])).toBe('0x64')
    expect(await stage.call('eth_getLogs', [{ blockHash: HASH, address: `0x0${index}` }])).toBe('0x64')
    expect(JSON.parse((await stage.post([first(`0x1${index}`)])).text)).toMatchObject([{ result: '0x64' }])
    behind.set()
  }
  for (const behind of servers) behind.set(unknown)
  await expect(stage.call('eth_call', [{ to: '0x20' }, { blockHash: HASH }])).rejects.toThrow(message)
})

it('nothing of a block is final while nobody has told where the tip is: it may lie above', async () => {
  const server = await startFaultServer({ answer: ({ method }) => (method === 'eth_getLogs' ? [] : 'none') })
  const stage = await startEvmStage({ nodes: [server.url] })
  onTestFinished(async () => {
    await stage.close()
    await server.close()
  })
  for (const _ of [1, 2]) expect(await stage.call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x5' }])).toEqual([])
  expect(server.stats.seen.filter(({ method }) => method === 'eth_getLogs')).toHaveLength(2)
})
