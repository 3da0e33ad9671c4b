import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EvmApi, EvmRequest } from '../../../../src/api/node/evm/endpoint.ts'
import { withEvmFallbacks } from '../../../../src/api/node/services/evm-fallbacks.ts'
import { composeActivePrecompiles } from '../../../../src/services/node-fallbacks/index.ts'
import { recordedJson } from '../../../support/recorded/recordings.ts'
import { type ReplayNode, startReplayNode } from '../../../support/replay-node/index.ts'
import { type NewerNode, startNewerNode } from './newer-node.ts'

const METHOD = 'eth_getActivePrecompilesAt'
const MISSING = `the method ${METHOD} does not exist/is not available`
const { blockchainID } = recordedJson<{ blockchainID: string }>('../l1/l1')

let node: ReplayNode
let newer: NewerNode

beforeAll(async () => {
  node = await startReplayNode()
  newer = await startNewerNode(node.url, [METHOD])
})
afterAll(async () => {
  await newer?.stop()
  await node?.stop()
})

/** Forwards to one node, as it comes. */
const evmOf = (base: string, path: string): EvmApi => ({
  answer: async ({ body }) => {
    const answer = await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body.toString(),
    })
    return { status: answer.status, contentType: 'application/json', body: Buffer.from(await answer.arrayBuffer()) }
  },
})
const ask = async (evm: EvmApi, body: string): Promise<string> => {
  const endpoint = {
    name: 'L1/rpc',
    dialect: 'evm',
    path: '',
    source: { blockchainId: blockchainID, extension: 'rpc' },
  } as const
  const { signal } = new AbortController()
  const request = {
    endpoint,
    body: Buffer.from(body),
    contentType: 'application/json',
    signal,
  }
  return (await evm.answer(request)).body.toString()
}
const call = (params: string, id = '1') => `{"jsonrpc":"2.0","id":${id},"method":"${METHOD}","params":${params}}`

describe('eth_getActivePrecompilesAt of an L1 whose nodes dropped it', () => {
  const path = `/ext/bc/${blockchainID}/rpc`

  it.each([['[]'], ['[null]'], ['[1764000001]'], ['[1700000000]'], ['[4000000000]']])('%s', async (params) => {
    const real = JSON.parse(await ask(evmOf(node.url, path), call(params)))
    expect(real.result).toBeDefined()
    const own = await ask(withEvmFallbacks(evmOf(newer.url, path)), call(params, '"x"'))
    expect(own).toBe(`${JSON.stringify({ ...real, id: 'x' })}\n`)
  })

  it.each([['["0x5"]'], ['[1.5]'], ['[-1]']])('what the node refuses stays its own word: %s', async (params) => {
    expect(await ask(withEvmFallbacks(evmOf(newer.url, path)), call(params))).toContain('"code":-32601')
  })

  it('numbers that a double cannot hold come as the node wrote them', async () => {
    const fees = '{"blockTimestamp":5,"initialFeeConfig":{"minBaseFee":1000000000000000000001,"gasLimit":15000000}}'
    const results: Record<string, string> = {
      eth_getActiveRulesAt: '{"precompiles":{"feeManagerConfig":{"timestamp":5}}}',
      eth_getChainConfig: `{"feeManagerConfig":${fees}}`,
    }
    const evm: EvmApi = {
      answer: async ({ body }) => {
        const result = results[/"method":"(\w+)"/.exec(body.toString())?.[1] ?? '']
        const said = result === undefined ? `"error":{"code":-32601,"message":"${MISSING}"}` : `"result":${result}`
        const text = `{"jsonrpc":"2.0","id":1,${said}}\n`
        return { status: 200, contentType: 'application/json', body: Buffer.from(text) }
      },
    }
    expect(await ask(withEvmFallbacks(evm), call('[]'))).toBe(
      `{"jsonrpc":"2.0","id":1,"result":{"feeManagerConfig":${fees}}}\n`,
    )
  })

  it("leaves the C-chain's answer, which knows neither method", async () => {
    const c = '/ext/bc/C/rpc'
    const own = await ask(withEvmFallbacks(evmOf(newer.url, c)), call('[]'))
    expect(own).toBe(await ask(evmOf(newer.url, c), call('[]')))
    expect(own).toContain('does not exist/is not available')
  })

  it('touches nothing else', async () => {
    const other = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
    expect(await ask(withEvmFallbacks(evmOf(newer.url, path)), other)).toBe(await ask(evmOf(node.url, path), other))
  })
})

describe('precompiles composed of rules and configuration', () => {
  const answers = (precompiles: object, config: object) => async (method: string) =>
    method === 'eth_getActiveRulesAt' ? { precompiles } : config

  it('take the configuration in force since that time, also from upgrades', async () => {
    const config = {
      txAllowListConfig: { blockTimestamp: 10, adminAddresses: ['0xa'] },
      upgrades: {
        precompileUpgrades: [
          { txAllowListConfig: { blockTimestamp: 20, disable: true } },
          { txAllowListConfig: { blockTimestamp: 30, adminAddresses: ['0xb'] } },
        ],
      },
    }
    const at = (timestamp: number) =>
      composeActivePrecompiles(answers({ txAllowListConfig: { timestamp } }, config), [])
    expect(await at(30)).toEqual({ txAllowListConfig: { blockTimestamp: 30, adminAddresses: ['0xb'] } })
    expect(await at(10)).toEqual({ txAllowListConfig: { blockTimestamp: 10, adminAddresses: ['0xa'] } })
    await expect(at(40)).rejects.toThrow('txAllowListConfig: no configuration since 40')
  })
})

it('a page in place of what it is composed of: the answer is that of the node', async () => {
  const error = { code: -32601, message: MISSING }
  const own = { status: 200, body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, error })) }
  const page = { status: 404, body: Buffer.from('404 page not found\n') }
  const answers = [own, page]
  const evm = withEvmFallbacks({ answer: async () => answers.shift() ?? page })
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: METHOD, params: ['0x1'] }))
  expect(await evm.answer({ body } as EvmRequest)).toBe(own)
})
