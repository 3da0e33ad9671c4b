import { afterEach, beforeEach, expect, it } from 'vitest'
import { PRIMARY_NETWORK_ID } from '../../../src/facts/primary-network.ts'
import { configOf } from '../../config/sources.ts'
import { createStage } from '../../support/server/stage.ts'
import type { FaultServer } from '../../support/upstream/fault-server.ts'

const stage = createStage()
afterEach(() => stage.clear())

const X = '2MKu1acJvZmquPwrDGA9n3ySwUfuyYhpuxNgfuQHABtywcqjoQ'
const C = '2VAWjEMo1KuAs7Y1jKpjXDTepd4VNhgV9d5W5LvzPfMRvpn6yQ'
const L1 = '2gUGdvfdCEscRcRiHyZ9voaUaBXmKUcWqqKcB3A78C3AS4kdJd'
const OTHER = '2Z36RnQuk1hvsnFeGWzfZUfXNr7w1SjzmDQ78YxfTVNAkDq3nZ'

const LISTED = [
  { id: L1, name: 'lab', subnetID: L1 },
  { id: X, name: 'X-Chain', subnetID: PRIMARY_NETWORK_ID },
  { id: C, name: 'C-Chain', subnetID: PRIMARY_NETWORK_ID },
]

const NOTHING = { status: 404, text: '404 page not found\n' }

/** What the file of aliases of the node holds. */
const ALIASES: Record<string, string> = { X, avm: X, C, evm: C, lab: L1, 'old-x': X, gone: OTHER, 'my lab': L1 }
let node: FaultServer
let refused: string[]
let firn: string

/** In the words of a node, which repeats the name, whatever it is. */
const refusal = (_request: unknown, body: Buffer) => {
  const { id, method, params } = JSON.parse(body.toString())
  if (method !== 'info.getBlockchainID' || params.alias in ALIASES) return undefined
  refused.push(params.alias)
  const error = { code: -32000, message: `there is no ID with alias: ${params.alias}`, data: null }
  return { body: JSON.stringify({ jsonrpc: '2.0', error, id }) }
}

beforeEach(async () => {
  refused = []
  node = await stage.upstream({
    handle: refusal,
    answer: ({ path, method, params }) => {
      if (method === 'info.getNetworkID') return { networkID: '12345' }
      if (method === 'info.getBlockchainID') return { blockchainID: ALIASES[(params as { alias: string }).alias] }
      if (method === 'platform.getBlockchains') return { blockchains: LISTED }
      if (method === 'eth_gasPrice') return path === `/ext/bc/${L1}/rpc` ? '0x7' : undefined
      return method === 'avm.getHeight' && path === '/ext/bc/X' ? { height: '5' } : undefined
    },
  })
  const { chains } = configOf({ argv: ['--chains-catalogue=false', `--avalanche-testnet-node=${node.url}`] })
  firn = (await stage.serve({ chains })).url
})

const call = async (path: string, method: string) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const answer = await fetch(firn + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return { status: answer.status, text: await answer.text() }
}

it('a chain is served by the name that nodes were given for it, as by its id', async () => {
  expect(await call('/ext/bc/lab/rpc', 'eth_gasPrice')).toEqual(await call(`/ext/bc/${L1}/rpc`, 'eth_gasPrice'))
  expect((await call('/ext/bc/my%20lab/rpc', 'eth_gasPrice')).text).toContain('0x7')
  expect((await call('/ext/bc/old-x', 'avm.getHeight')).text).toContain('"height":"5"')
})

it('what no node calls a chain is nothing, nor what it serves for its operator alone', async () => {
  for (const path of ['/ext/bc/nobody/rpc', '/ext/bc/Lab/rpc', '/ext/lab/rpc', '/ext/bc/lab/admin', '/ext/bc/gone/rpc'])
    expect(await call(path, 'eth_gasPrice'), path).toEqual(NOTHING)
  expect(await call('/ext/bc/nobody/rpc', 'eth_gasPrice')).toEqual(NOTHING)
  expect(refused.filter((alias) => alias === 'nobody')).toHaveLength(1)
  // No alias of a node is so long: it is not asked.
  const long = 'x'.repeat(513)
  expect(await call(`/ext/bc/${long}/rpc`, 'eth_gasPrice')).toEqual(NOTHING)
  expect(refused).not.toContain(long)
})

it('no name makes a node speak of itself: neither of a limit, nor of its keys, nor of blocks', async () => {
  const words = ['too many requests', 'rate limit exceeded', 'invalid api key', 'block not found', 'server busy', 'a"b']
  for (const alias of words) {
    expect(await call(`/ext/bc/${encodeURIComponent(alias)}/rpc`, 'eth_gasPrice'), alias).toEqual(NOTHING)
    expect((await call('/ext/bc/lab/rpc', 'eth_gasPrice')).text, alias).toContain('0x7')
    expect((await call('/ext/bc/X', 'avm.getHeight')).text, alias).toContain('"height":"5"')
  }
  // Each once: whatever it repeats is its answer, and nobody is asked again for it.
  expect(refused).toEqual(words)
})

it('while no node can be asked what a name stands for, the answer is not that nothing is there', async () => {
  await node.close()
  const evm = await call('/ext/bc/lab/rpc', 'eth_gasPrice')
  expect(evm).toEqual({
    status: 502,
    text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no node answered"}}\n',
  })
  expect((await call('/ext/bc/my%20lab/validators', 'validators.getCurrentValidators')).status).toBe(502)
  // What is never served is not there in either case.
  for (const path of ['/ext/bc/lab/admin', '/ext/bc/lab/x/admin', '/ext/lab/rpc'])
    expect(await call(path, 'eth_gasPrice'), path).toEqual(NOTHING)
})
