import { expect, it, onTestFinished } from 'vitest'
import { startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { startEvmStage } from '../stage.ts'

const call = (id: unknown, method: string) => ({ jsonrpc: '2.0', id, method, params: [] })

const RESULTS: Readonly<Record<string, string>> = {
  eth_chainId: '0xa869',
  net_version: '1',
  eth_gasPrice: '0x5d21dba00',
  eth_blockNumber: '0x64',
  // Of an account that a stranger has filled so that it looks like the next block.
  eth_getBalance: '0x65',
}

/** A server that answers batches in another order, as the standard allows. */
async function start() {
  const answerTo = ({ id, method }: { id: unknown; method: string }) => ({
    jsonrpc: '2.0',
    id,
    result: RESULTS[method] ?? null,
  })
  const server = await startFaultServer({
    handle: (_request, body) => {
      const asked = JSON.parse(body.toString())
      return { body: JSON.stringify(Array.isArray(asked) ? asked.map(answerTo).reverse() : answerTo(asked)) }
    },
  })
  const stage = await startEvmStage({ nodes: [server.url], tipCacheMs: 60_000 })
  onTestFinished(async () => {
    await stage.close()
    await server.close()
  })
  return stage
}

it.each([[1], ['x'], [null]])(
  'what is answered under an id that several calls of a batch have is kept for nobody: %j',
  async (id) => {
    const stage = await start()
    await stage.post([call(id, 'eth_chainId'), call(id, 'net_version')])
    expect(await stage.call('eth_chainId')).toBe(RESULTS['eth_chainId'])
    expect(await stage.call('net_version')).toBe(RESULTS['net_version'])
  },
)

it('a batch in which calls share an id does not show how far the chain is', async () => {
  const stage = await start()
  expect(await stage.call('eth_blockNumber')).toBe('0x64')
  // Whoever may choose what is answered to another call of his batch would choose the newest block.
  const chosen = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['0x00', 'latest'] }
  await stage.post([call(1, 'eth_blockNumber'), chosen])
  expect(await stage.call('eth_blockNumber')).toBe('0x64')
})

it('each call of such a batch has its own answer, in its place and under the id that it came with', async () => {
  const stage = await start()
  const silent = { jsonrpc: '2.0', method: 'eth_gasPrice', params: [] }
  const odd = { jsonrpc: '2.0', id: 'x', method: 'eth_odd"\u00e9', params: ['\u00e9'] }
  const { text } = await stage.post([call('x', 'eth_chainId'), silent, call('x', 'net_version'), odd])
  expect(JSON.parse(text)).toEqual([
    { jsonrpc: '2.0', id: 'x', result: '0xa869' },
    { jsonrpc: '2.0', id: 'x', result: '1' },
    { jsonrpc: '2.0', id: 'x', result: null },
  ])
})
