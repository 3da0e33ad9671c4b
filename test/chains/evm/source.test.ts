import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createEvmBalanceSource, NATIVE_TOKEN } from '../../../src/chains/evm/index.ts'
import { JsonRpcError } from '../../../src/errors.ts'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../../src/upstream/index.ts'
import { startSandboxEvm } from '../../sandbox/evm-chain.ts'
import { createRpcPool, type Interceptor } from '../../support/upstream/rpc-pool.ts'
import {
  account,
  amounts,
  caip2Id,
  chain,
  native,
  noDiscovery,
  read,
  setCode,
  slowToken,
  sourceOver,
  truth,
  unlisted,
  useTokenChain,
} from './token-chain.ts'

useTokenChain()

describe('good and hostile tokens', () => {
  it('says exactly what the chain says, for every account, in one call, one retry and six for those behind the looping token', async () => {
    const { source, calls } = sourceOver()
    const results = await read(source, chain.accounts)
    const listed = chain.tokenList.tokens.map(({ address }) => address)
    for (const [index, owner] of chain.accounts.entries()) {
      expect(amounts(results[index])).toEqual(await truth(owner, listed))
      expect(results[index]).toMatchObject({ native: expect.any(BigInt) })
    }
    expect([...amounts(results[1]).keys()]).toHaveLength(13)
    expect(calls()).toHaveLength(8)
  })

  it('leaves only the reverting and the looping token out, and does not ask them again for a while', async () => {
    const { source, calls } = sourceOver()
    const [first] = await read(source, [account(1)])
    const held = amounts(first)
    expect(held.has(chain.tokens.revert)).toBe(false)
    expect(held.has(chain.tokens.loop)).toBe(false)
    expect(held.get(chain.tokens.max)).toBe(2n ** 256n - 1n)
    expect(held.get(chain.tokens.wavax)).toBe(10n ** 18n)
    const before = calls().length
    await read(source, [account(1)])
    const [again] = calls().slice(before)
    expect(calls()).toHaveLength(before + 1)
    expect(JSON.stringify(again?.params)).not.toContain(chain.tokens.loop.slice(2))
  })

  it('asks beside the common call for what failed in those of others: new owners wait for one round trip', async () => {
    const stranger = (at: number): string => `0x${(0xabc000 + at).toString(16).padStart(40, '0')}`
    const hungry = `0x${'5e'.repeat(20)}`
    // About 260,000 gas: more than the common call gives.
    await setCode(hungry, slowToken(10_000))
    const list = [...chain.tokenList.tokens, unlisted(hungry)]
    const addresses = list.map(({ address }) => address)
    const held: (() => void)[] = []
    let together = false
    let detour: string | undefined
    // Neither is answered before both have been sent.
    const pairwise: Interceptor = async (call, number) => {
      noDiscovery(call, number)
      if (!together) return undefined
      const second = held.length === 1
      if (second) together = false
      await new Promise<void>((go) => {
        held.push(go)
        if (second) for (const one of held.splice(0)) one()
      })
      return second ? detour : undefined
    }
    const { source, calls } = sourceOver(pairwise, { list })
    await read(source, [stranger(0), stranger(1), stranger(2)])
    expect(calls()).toHaveLength(4)

    together = true
    const [balances] = await read(source, [account(1)])
    expect(calls()).toHaveLength(6)
    expect(amounts(balances)).toEqual(await truth(account(1), addresses))
    expect(amounts(balances).get(hungry)).toBe(7n)

    // Answers of two blocks are not added up: the block of the common call is asked again.
    together = true
    const elsewhere = await startSandboxEvm({ chainId: 43_114 })
    const miner = createRpcPool(elsewhere.url)
    await miner.rpc('', 'anvil_mine', ['0x1'])
    await miner.close()
    detour = elsewhere.url
    const [later] = await read(source, [account(2)])
    expect(calls()).toHaveLength(9)
    await elsewhere.stop()
    expect(amounts(later)).toEqual(await truth(account(2), addresses))
  })

  it('shows what the list says about a token, in address order, without zero balances', async () => {
    const { source } = sourceOver()
    const [balances] = await read(source, [account(2)])
    if (typeof balances !== 'object') throw new Error(balances)
    const addresses = balances.tokens.map(({ address }) => address)
    expect(addresses).toEqual([...addresses].sort())
    expect(addresses).not.toContain(chain.tokens.empty)
    expect(addresses).not.toContain(chain.tokens.wavax)
    expect(balances.tokens.find(({ address }) => address === chain.tokens.mkr)).toEqual({
      address: chain.tokens.mkr,
      name: 'Maker Lookalike',
      symbol: 'MKRL',
      decimals: 18,
      balance: 5n,
    })
  })

  it('keeps addresses without code, precompiles and short answers from becoming balances', async () => {
    const identity = `0x${'4'.padStart(40, '0')}`
    const nothing = `0x${'12'.repeat(20)}`
    // Runs PUSH1 31, PUSH1 0, RETURN: one byte short of a word. The other one returns 64 bytes.
    const short = `0x${'a1'.repeat(20)}`
    const long = `0x${'a2'.repeat(20)}`
    await setCode(short, '0x601f6000f3')
    await setCode(long, '0x600760005260406000f3')
    const list = [identity, nothing, short, long].map(unlisted)
    const { source } = sourceOver(noDiscovery, { list })
    const [balances] = await read(source, [account(1)])
    expect(amounts(balances)).toEqual(new Map([[long, 7n]]))
  })
})

describe('token lists', () => {
  it('that disagree about decimals are settled by the token itself, without losing the name of the first', async () => {
    const { usdl } = chain.tokens
    const list = chain.tokenList.tokens.map((token) =>
      token.address === usdl ? { ...token, name: 'First', decimals: 18, decimalsDisputed: true as const } : token,
    )
    const owner = account(1)
    const told = (await read(sourceOver(noDiscovery, { list }).source, [owner]))[0]
    const before = (await read(sourceOver().source, [owner]))[0]
    if (typeof told !== 'object' || typeof before !== 'object') throw new Error('no balances')
    const [settled, plain] = [told, before].map(({ tokens }) => tokens.find(({ address }) => address === usdl))
    expect(plain?.decimals).toBe(6)
    expect(settled).toEqual({ ...plain, name: 'First' })
  })

  it('leave out what is no token of this chain, and count an address once', async () => {
    const lab = chain.tokenList.tokens.filter(({ address }) => address === chain.tokens.lab)
    const upper = lab.map((token) => ({
      ...token,
      address: `0x${token.address.slice(2).toUpperCase()}`,
      name: 'second',
    }))
    const list = [unlisted(NATIVE_TOKEN), unlisted('0x12'), ...lab, ...upper]
    const [balances] = await read(sourceOver(noDiscovery, { list }).source, [account(1)])
    expect(balances).toMatchObject({ tokens: [{ address: chain.tokens.lab, name: 'Lab Token' }] })
    expect(amounts(balances).size).toBe(1)
  })

  it('keep their order when an expensive token answers only to the retry', async () => {
    const first = `0x${'01'.repeat(20)}`
    await setCode(first, slowToken(10_000))
    const { source, calls } = sourceOver(noDiscovery, { list: [unlisted(first), ...chain.tokenList.tokens] })
    const [balances] = await read(source, [account(1)])
    expect([...amounts(balances)][0]).toEqual([first, 7n])
    expect(calls()).toHaveLength(2)
  })
})

describe('accounts', () => {
  it('answers each id as it was written, reads equal addresses once, and refuses what is no address', async () => {
    const { source, calls } = sourceOver(noDiscovery, { list: [] })
    const upper = `0x${account(1).slice(2).toUpperCase()}`
    const [lower, same, wrong] = await read(source, [account(1), upper, '0x12'])
    expect(lower).toEqual(same)
    expect(lower).toMatchObject({ tokens: [] })
    expect(wrong).toContain('not an EVM address: 0x12')
    expect(JSON.stringify(calls()[0]?.params).split(account(1).slice(2))).toHaveLength(2)
  })

  it('reads 300 accounts, more than one packed call holds', async () => {
    const ids = Array.from({ length: 299 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, 'd')}`)
    const { source } = sourceOver()
    const results = await read(source, [...ids, account(1)])
    expect(results.every((result) => typeof result === 'object')).toBe(true)
    expect(amounts(results[299]).get(chain.tokens.lab)).toBe(1_234_567_890n)
  })

  it('asks nothing for no accounts', async () => {
    const { source, calls } = sourceOver()
    expect(await read(source, [])).toEqual([])
    expect(calls()).toHaveLength(0)
  })
})

describe('one block', () => {
  const limits = { pairsPerCall: 4 }

  it.each([
    'header not found',
    'the header does not exist (block number: 12)',
    'requested height 12 is not yet available; safe latest is 10',
    'cannot query with height in the future; please provide a valid height: invalid height',
    "requested a future epoch (beyond 'latest')",
  ])('waits for a node that is one block behind: %s', async (words) => {
    let refused = 0
    let hasBlockAt = Number.POSITIVE_INFINITY
    const { source, calls } = sourceOver(
      (call, number) => {
        noDiscovery(call, number)
        if (call.params[1] === 'latest') return undefined
        // Longer than it takes to ask in another way.
        hasBlockAt = Math.min(hasBlockAt, performance.now() + 150)
        if (performance.now() >= hasBlockAt) return undefined
        refused += 1
        throw new JsonRpcError(words, -32000)
      },
      { limits },
    )
    const [balances] = await read(source, [account(1)])
    expect(amounts(balances).size).toBe(13)
    expect(refused).toBeGreaterThan(0)
    expect(calls().filter(({ params }) => params[1] === 'latest')).toHaveLength(1)
  })

  it('starts again when the block is lost, and gives up with an error when it always is', async () => {
    let latest = 0
    const losing = (losses: number): Interceptor => {
      latest = 0
      return (call, number) => {
        noDiscovery(call, number)
        if (call.params[1] === 'latest') latest++
        else if (latest <= losses) throw new JsonRpcError('missing trie node', -32000)
        return undefined
      }
    }
    const [balances] = await read(sourceOver(losing(1), { limits }).source, [account(1)])
    expect(amounts(balances).size).toBe(13)
    expect(latest).toBe(2)
    await expect(read(sourceOver(losing(9), { limits }).source, [account(1)])).rejects.toThrow(/block \d+ was lost/)
  })

  it('notices another chain history at the same height', async () => {
    const fork = await startSandboxEvm({ chainId: 43_114 })
    try {
      const { source } = sourceOver(
        (call, number) => {
          noDiscovery(call, number)
          return call.params[1] === 'latest' ? undefined : fork.url
        },
        { limits },
      )
      await expect(read(source, [account(1)])).rejects.toThrow(/disagree about block|was lost/)
    } finally {
      await fork.stop()
    }
  })
})

describe('over the real pool', () => {
  it('answers although one upstream is dead and another sends HTML', async () => {
    const html = createServer((_, response) => response.end('<html>busy</html>'))
    await new Promise<void>((resolve) => html.listen(0, '127.0.0.1', resolve))
    const { port } = html.address() as AddressInfo
    const specs = [{ url: 'http://127.0.0.1:1' }, { url: `http://127.0.0.1:${port}` }, { url: chain.url, priority: 1 }]
    const pool = createUpstreamPool('test', specs, DEFAULT_LIMITS)
    const source = createEvmBalanceSource({ caip2Id, native, pool, tokens: { tokens: () => chain.tokenList.tokens } })
    const [balances] = await read(source, [account(1)])
    await pool.close()
    html.close()
    expect(amounts(balances).size).toBe(13)
  })
})
