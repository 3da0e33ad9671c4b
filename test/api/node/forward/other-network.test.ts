import { expect, it, onTestFinished } from 'vitest'
import { startFaultServer } from '../../../support/upstream/fault-server.ts'
import { evmCall, type FakeNode, type Front, gorillaCall, id32, nodeAt, startFront } from '../fake-nodes.ts'

const C_CHAIN_ID = 43_113

/** A node that says it is of this network, and how far its chains are. */
function isOf(node: FakeNode, networkId: number, chainId: number): void {
  node.answer = ({ method, body }) => {
    const id = /"id":(\d+)/.exec(body.toString())?.[1]
    if (method === 'info.getNetworkID')
      return { body: `{"jsonrpc":"2.0","result":{"networkID":"${networkId}"},"id":${id}}` }
    if (method === 'eth_chainId') return { body: `{"jsonrpc":"2.0","id":${id},"result":"0x${chainId.toString(16)}"}` }
    return undefined
  }
}

/** The first node is of the testnet, the second of the main network. */
async function startMixed(): Promise<Front> {
  const front = await startFront(2, {}, { networkId: 5, evmChainId: C_CHAIN_ID })
  isOf(nodeAt(front, 0), 5, C_CHAIN_ID)
  isOf(nodeAt(front, 1), 1, 43_114)
  return front
}

const READS = [
  ['/ext/bc/P', gorillaCall('platform.getBalance')],
  ['/ext/bc/X', gorillaCall('avm.getBalance')],
  ['/ext/bc/C/avax', gorillaCall('avax.getUTXOs')],
  ['/ext/bc/C/rpc', evmCall('eth_getBalance', '["0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc","latest"]')],
] as const

it.each(READS)('a node of another network answers nothing at %s while the own one is away', async (path, call) => {
  const front = await startMixed()
  expect((await front.post(path, call)).status).toBe(200)
  nodeAt(front, 0).answer = () => 'cut'
  const { text } = await front.post(path, call)
  expect(text).not.toContain('"result"')
  expect(text).toContain('"error"')
})

it('a transaction that the own node did not take is not answered for by one of another network', async () => {
  const front = await startMixed()
  const own = nodeAt(front, 0)
  const { answer } = own
  own.answer = (asked) => (asked.method === 'platform.issueTx' ? 'cut' : answer(asked))
  const { text } = await front.post('/ext/bc/P', gorillaCall('platform.issueTx', '{"tx":"0x00","encoding":"hex"}'))
  expect(text).not.toContain('"result"')
})

const C_ID = id32(3)
const L1_ID = id32(4)
const L1_CHAIN_ID = 99_373

/** EVM endpoints that are no nodes, the first of this chain and the second of another one. */
async function startEndpoints(chainId: number) {
  const told = (id: number, balance: string) =>
    startFaultServer({ answer: ({ method }) => (method === 'eth_chainId' ? `0x${id.toString(16)}` : balance) })
  const servers = await Promise.all([told(chainId, '0x7'), told(1, '0x0')])
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.close()))
  })
  const native = { name: 'Coin', symbol: 'COIN', decimals: 18 }
  return { servers, entry: { name: 'x', upstreams: servers.map(({ url }) => ({ url })), native, blockTimeMs: 2_000 } }
}

const BALANCE = evmCall('eth_getBalance', '["0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc","latest"]')

it('an endpoint of another chain beside a single node answers nothing', async () => {
  const { servers, entry } = await startEndpoints(C_CHAIN_ID)
  const network = { networkId: 5, evmChainId: C_CHAIN_ID, cBlockchainId: C_ID }
  const front = await startFront(1, {}, network, { [C_CHAIN_ID]: { ...entry, blockchainId: C_ID } })
  isOf(nodeAt(front, 0), 5, C_CHAIN_ID)
  expect((await front.post('/ext/bc/C/rpc', BALANCE)).text).toContain('"result"')
  nodeAt(front, 0).answer = () => 'cut'
  expect((await front.post('/ext/bc/C/rpc', BALANCE)).text).toContain('"0x7"')
  await servers[0]?.down()
  expect((await front.post('/ext/bc/C/rpc', BALANCE)).text).not.toContain('"result"')
})

it('an endpoint of another chain among those of an L1 answers nothing', async () => {
  const { servers, entry } = await startEndpoints(L1_CHAIN_ID)
  const front = await startFront(1, {}, { networkId: 5 }, { [L1_CHAIN_ID]: { ...entry, blockchainId: L1_ID } })
  nodeAt(front, 0).answer = ({ path }) =>
    path.includes(L1_ID) ? { status: 404, body: '404 page not found\n' } : undefined
  const path = `/ext/bc/${L1_ID}/rpc`
  expect((await front.post(path, BALANCE)).text).toContain('"0x7"')
  await servers[0]?.down()
  expect((await front.post(path, BALANCE)).text).not.toContain('"result"')
})

/** Both nodes tell the same IDs; their first blocks differ. */
it.each(READS)('a node of another genesis answers nothing at %s', async (path, call) => {
  const front = await startFront(2, {}, { networkId: 5, evmChainId: C_CHAIN_ID })
  for (const at of [0, 1]) {
    const node = nodeAt(front, at)
    isOf(node, 5, C_CHAIN_ID)
    const { answer } = node
    const first = `0x${String(at).repeat(64)}`
    node.answer = (asked) => {
      const id = /"id":(\d+)/.exec(asked.body.toString())?.[1]
      if (asked.method === 'platform.getBlockByHeight')
        return { body: `{"jsonrpc":"2.0","result":{"block":"${first}","encoding":"hex"},"id":${id}}` }
      if (asked.method === 'eth_getBlockByNumber')
        return { body: `{"jsonrpc":"2.0","id":${id},"result":{"number":"0x0","hash":"${first}"}}` }
      return answer(asked)
    }
  }
  expect((await front.post(path, call)).status).toBe(200)
  nodeAt(front, 0).answer = () => 'cut'
  expect((await front.post(path, call)).text).not.toContain('"result"')
})
