import { afterEach, expect, it } from 'vitest'
import { PRIMARY_NETWORK_ID } from '../../../src/facts/primary-network.ts'
import { configOf } from '../../config/sources.ts'
import { createStage } from '../../support/server/stage.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const stage = createStage()
afterEach(() => stage.clear())

const X = '2MKu1acJvZmquPwrDGA9n3ySwUfuyYhpuxNgfuQHABtywcqjoQ'
const L1 = '2gUGdvfdCEscRcRiHyZ9voaUaBXmKUcWqqKcB3A78C3AS4kdJd'
const NOWHERE = '2Z36RnQuk1hvsnFeGWzfZUfXNr7w1SjzmDQ78YxfTVNAkDq3nZ'

const NODE = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'

/** A server with the admin API over one node, on whose network an L1 is made when it is told to. */
async function serve() {
  let isMade = false
  let listings = 0
  const node = await stage.upstream({
    // Once its identity is told as well, nobody asks it anything by himself.
    handle: (_request, body) =>
      body.includes('info.getNodeID')
        ? { headers: { 'node-id': NODE }, body: '{"jsonrpc":"2.0","result":{},"id":1}' }
        : undefined,
    answer: ({ path, method }) => {
      if (method === 'info.getNetworkID') return { networkID: '12345' }
      if (method === 'eth_gasPrice') return path === `/ext/bc/${L1}/rpc` ? '0x7' : undefined
      if (method !== 'platform.getBlockchains') return undefined
      listings += 1
      const listed = { id: X, name: 'X-Chain', subnetID: PRIMARY_NETWORK_ID }
      return { blockchains: isMade ? [listed, { id: L1, name: 'lab', subnetID: L1 }] : [listed] }
    },
  })
  const argv = ['--chains-catalogue=false', `--avalanche-testnet-node=${node.url}`, '--api-admin-enabled']
  const { chains, node: settings } = configOf({ argv })
  const { url } = await stage.serve({ chains, node: settings })
  const call = async (path: string, method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return {
      status: answer.status,
      ...(JSON.parse(await answer.text()) as { result?: unknown; error?: { message: string } }),
    }
  }
  const make = (): void => {
    isMade = true
  }
  return { node, call, make, listings: () => listings }
}

it('a chain that was made after the start is given an alias by its id', async () => {
  const { call, make, listings } = await serve()
  await eventually(() => expect(listings()).toBe(1))
  const aliases = async (chain: string) => (await call('/ext/admin', 'admin.getChainAliases', { chain })).result
  const alias = (chain: string, name: string) => call('/ext/admin', 'admin.aliasChain', { chain, alias: name })
  expect((await alias(NOWHERE, 'none')).error?.message).toBe(`there is no ID with alias: ${NOWHERE}`)
  expect(await aliases(L1)).toEqual({ aliases: null })
  make()
  // Which chains there are is asked once in five seconds at most.
  await eventually(async () => expect(await aliases(L1)).toEqual({ aliases: [L1] }))
  expect((await alias(L1, 'lab')).result).toEqual({})
  expect((await call('/ext/bc/lab/rpc', 'eth_gasPrice', [])).result).toBe('0x7')
  expect(await aliases(L1)).toEqual({ aliases: [L1, 'lab'] })
})

it('while no node can be asked, a chain is not said to be unknown', async () => {
  const { call, node } = await serve()
  await node.close()
  for (const [method, params] of [
    ['admin.aliasChain', { chain: NOWHERE, alias: 'lab' }],
    ['admin.getChainAliases', { chain: NOWHERE }],
  ] as const)
    expect((await call('/ext/admin', method, params)).status, method).toBe(502)
})
