import { expect, it, onTestFinished } from 'vitest'
import type { KnownToken } from '../../../src/chains/capabilities.ts'
import { JsonRpcError } from '../../../src/errors.ts'
import { startAnvil } from '../../support/evm/anvil.ts'
import { installMulticall3 } from '../../support/evm/multicall3.ts'
import { createRpcPool } from '../../support/upstream/rpc-pool.ts'
import { account, amounts, chain, read, sourceOver, unlisted, useTokenChain } from './token-chain.ts'

useTokenChain()

/** A server of the chain, behind the same address as others, that stands at a block before all tokens. */
async function startStanding(): Promise<string> {
  const standing = await startAnvil({ chainId: 43_114 })
  onTestFinished(() => standing.stop())
  await installMulticall3(standing)
  return standing.url
}

/** The tokens of two reads; in the first, all calls after that of the balances get to a server that stands still. */
async function shownTwice(list: readonly KnownToken[], onlyMulticall: boolean) {
  const standing = await startStanding()
  let reads = 0
  let calls = 0
  const { source } = sourceOver(
    ({ params }) => {
      const [{ to }, , overrides] = params as [{ to?: string }, string, unknown]
      if (onlyMulticall && (to !== chain.multicall || overrides)) throw new JsonRpcError('execution reverted', 3)
      calls += 1
      return reads === 1 && calls > 1 ? standing : undefined
    },
    {
      list,
      multicall: chain.multicall,
      indexedTokens: { isComplete: () => true, tokensOf: async () => [chain.tokens.spam] },
    },
  )
  const shown = async () => {
    reads += 1
    const [balances] = await read(source, [account(1)])
    return typeof balances === 'object' ? balances.tokens : balances
  }
  return [await shown(), await shown()]
}

it.each([
  ['packed reads', false],
  ['Multicall3', true],
])('by %s, the name of a newer token is asked for again at the next read', async (_, onlyMulticall) => {
  const token = { symbol: '$ CLAIM-AVAX.example', decimals: 18, balance: 5_000n * 10n ** 18n }
  const [first, second] = await shownTwice([], onlyMulticall)
  expect(first).not.toMatchObject([token])
  expect(second).toMatchObject([token])
})

it('by Multicall3, the decimals of a newer token are asked for again at the next read', async () => {
  const [first, second] = await shownTwice([{ ...unlisted(chain.tokens.spam), decimals: 9 }], true)
  expect(first).toMatchObject([{ decimals: 9 }])
  expect(second).toMatchObject([{ decimals: 18 }])
})

it('tokens that are not there yet at a server that stands still are asked for at the next read', async () => {
  const standing = await startStanding()
  let isStanding = false
  const { source } = sourceOver(({ params }) => {
    const tag = params[1] as string
    return isStanding && (tag === 'latest' || Number(tag) < 5) ? standing : undefined
  })
  const shown = async () => amounts((await read(source, [account(1)]))[0])
  const held = await shown()
  expect(held.size).toBeGreaterThan(1)
  isStanding = true
  expect(await shown()).toEqual(held)
  isStanding = false
  expect(await shown()).toEqual(held)
})

it('nor does a server that was the first to answer keep them away, once another is far ahead of it', async () => {
  const standing = await startStanding()
  const mining = createRpcPool(chain.url)
  await mining.rpc('', 'anvil_mine', ['0x400'])
  await mining.close()
  let isStanding = true
  const { source } = sourceOver(() => (isStanding ? standing : undefined))
  const shown = async () => amounts((await read(source, [account(1)]))[0])
  expect((await shown()).size).toBe(0)
  isStanding = false
  expect((await shown()).size).toBe(0)
  expect((await shown()).size).toBeGreaterThan(1)
})

it('a token that a server one block behind does not have yet is soon asked for again', async () => {
  const standing = await startStanding()
  const ask = async (url: string, method: string, params: unknown[] = []): Promise<string> => {
    const pool = createRpcPool(url)
    const said = await pool.rpc<string>('', method, params)
    await pool.close()
    return said
  }
  const [height, own] = await Promise.all([chain.url, standing].map((url) => ask(url, 'eth_blockNumber')))
  await ask(standing, 'anvil_mine', [`0x${(Number(height) - Number(own) - 1).toString(16)}`])
  let isStanding = true
  const intercept = () => (isStanding ? standing : undefined)
  const { source } = sourceOver(intercept, { limits: { firstUnreadableMs: 0 } })
  const shown = async () => amounts((await read(source, [account(1)]))[0])
  expect((await shown()).size).toBe(0)
  isStanding = false
  expect((await shown()).size).toBeGreaterThan(1)
})
