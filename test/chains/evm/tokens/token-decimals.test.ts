import { describe, expect, it } from 'vitest'
import { JsonRpcError } from '../../../../src/errors.ts'
import type { Interceptor } from '../../../support/upstream/rpc-pool.ts'
import { account, chain, noDiscovery, read, setCode, sourceOver, unlisted, useTokenChain } from '../token-chain.ts'

useTokenChain()

const onlyMulticall: Interceptor = (call, number) => {
  noDiscovery(call, number)
  const { to } = call.params[0] as { to?: string }
  if (!to || call.params.length > 2) throw new JsonRpcError('not authorized', -32_000)
  return undefined
}

const telling = (value: string): string => `63${value.padStart(8, '0')}60005260206000f3`
/** Code of a token that runs the given bytes when its decimals are asked for, and says one number to everything else. */
const tokenWith = (decimals: string, other = '07'): string =>
  `0x60003560e01c63313ce56714601c57${telling(other)}5b${decimals}`

let made = 0
/** What the list says has 9 decimals. */
async function listedWith(decimals: string, other?: string): Promise<string> {
  made += 1
  const address = `0x${'dec'.padEnd(36, '0')}${made.toString(16).padStart(4, '0')}`
  await setCode(address, tokenWith(decimals, other))
  return address
}

describe.each([
  ['packed reads', noDiscovery],
  ['Multicall3', onlyMulticall],
])('decimals of listed tokens by %s', (_, intercept) => {
  it('are the chain’s, though the only list that names a token is wrong about them', async () => {
    const { usdl, lab } = chain.tokens
    const list = chain.tokenList.tokens.map((token) => (token.address === usdl ? { ...token, decimals: 18 } : token))
    const shown = async (tokens: typeof list) => {
      const { source } = sourceOver(intercept, { list: tokens, multicall: chain.multicall })
      const [balances] = await read(source, [account(1)])
      if (typeof balances !== 'object') throw new Error(balances)
      return balances.tokens
    }
    const told = await shown(list)
    expect(told).toEqual(await shown(chain.tokenList.tokens))
    expect(told.find(({ address }) => address === usdl)?.decimals).toBe(6)
    expect(told.find(({ address }) => address === lab)?.decimals).toBe(18)
  })

  it.each([
    ['none', telling('00'), 0],
    ['the largest number', telling('ff'), 255],
    ['more than a byte', telling('0100'), 9],
    ['too little', '600660005260016000f3', 9],
    ['an error', '60006000fd', 9],
    ['nothing until its gas is gone', '5b601d56', 9],
  ])('a token that tells %s', async (__, code, decimals) => {
    const address = await listedWith(code)
    const list = [{ ...unlisted(address), decimals: 9 }, ...chain.tokenList.tokens]
    const { source } = sourceOver(intercept, { list, multicall: chain.multicall })
    for (let reads = 0; reads < 2; reads++) {
      const [balances] = await read(source, [account(1)])
      expect(balances).toMatchObject({
        tokens: expect.arrayContaining([expect.objectContaining({ address, balance: 7n, decimals })]),
      })
    }
  })
})

it('are read in the call that reads the balances, and follow a token that changes them', async () => {
  const address = await listedWith(telling('06'))
  const { source, calls } = sourceOver(noDiscovery, { list: [{ ...unlisted(address), decimals: 18 }] })
  const decimals = async () => {
    const [balances] = await read(source, [account(1)])
    return typeof balances === 'object' ? balances.tokens.map((token) => token.decimals) : balances
  }
  expect(await decimals()).toEqual([6])
  await setCode(address, tokenWith(telling('08')))
  expect(await decimals()).toEqual([8])
  expect(calls()).toHaveLength(2)
})

it('253 owners and both traits fill a record to its last entry', async () => {
  // A billion is a multiplier, too.
  const address = await listedWith(telling('06'), '3b9aca00')
  const owners = Array.from({ length: 254 }, (_, at) => `0x${(at + 0xfee000).toString(16).padStart(40, '0')}`)
  const { source } = sourceOver(noDiscovery, { list: [{ ...unlisted(address), decimals: 18 }] })
  const told = await read(source, owners)
  expect(told.map((one) => (typeof one === 'object' ? one.tokens : one))).toEqual(
    owners.map(() => [{ ...unlisted(address), decimals: 6, balance: 10n ** 9n, uiMultiplier: 1e-9 }]),
  )
})
