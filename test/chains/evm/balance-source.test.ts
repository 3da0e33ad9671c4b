import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AddressAccount, BalanceSource, EvmBalances, KnownToken } from '../../../src/chains/capabilities.ts'
import { createBalanceSweep } from '../../../src/chains/evm/balance-sweep.ts'
import {
  createEvmBalanceSource,
  type EvmBalanceSourceDeps,
  evmLimits,
  nativeToken,
  type ReadMethod,
} from '../../../src/chains/evm/index.ts'
import { callReaderCode } from '../../../src/chains/evm/reader-code.ts'
import { createUnreadableTokens } from '../../../src/chains/evm/unreadable-tokens.ts'
import { JsonRpcError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../../src/upstream/index.ts'
import { type SandboxEvm, startSandboxEvm } from '../../sandbox/evm-chain.ts'
import { createRpcPool, type Interceptor, type RpcPool } from '../../support/rpc-pool.ts'

const caip2Id = 'eip155:43114'
const native = { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax' }
const pools: RpcPool[] = []
let chain: SandboxEvm

beforeAll(async () => {
  chain = await startSandboxEvm({ chainId: 43_114 })
})
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()))
  await chain.stop()
})

const noDiscovery: Interceptor = ({ method }) => {
  if (method.startsWith('alchemy')) throw new JsonRpcError('method not found', -32601)
  return undefined
}

function sourceOver(
  intercept: Interceptor = noDiscovery,
  deps: Partial<EvmBalanceSourceDeps> & { list?: readonly KnownToken[] } = {},
) {
  const pool = createRpcPool(chain.url, intercept)
  pools.push(pool)
  const list = deps.list ?? chain.tokenList.tokens
  const source = createEvmBalanceSource({ caip2Id, native, pool, tokens: { tokens: () => list }, ...deps })
  const calls = (method = 'eth_call') => pool.calls.filter((call) => call.method === method)
  return { source, calls }
}

const read = async (
  source: BalanceSource<AddressAccount, EvmBalances>,
  ids: readonly string[],
  deadline = Date.now() + 20_000,
): Promise<(EvmBalances | string)[]> => {
  const context = { signal: new AbortController().signal, deadline }
  const outcomes = await source.readBalances(
    ids.map((id) => ({ id })),
    context,
  )
  return ids.map((id) => {
    const outcome = outcomes.get(id)
    return outcome?.ok ? outcome.value : (outcome?.error.message ?? 'no answer')
  })
}

/** What the chain itself says, one plain call after the other. */
async function truth(owner: string, tokens: readonly string[]): Promise<Map<string, bigint>> {
  const pool = createRpcPool(chain.url)
  const held = new Map<string, bigint>()
  for (const token of tokens) {
    const data = `0x70a08231${owner.slice(2).padStart(64, '0')}`
    const word = await pool
      .rpc<string>('', 'eth_call', [{ to: token, data, gas: '0x100000' }, 'latest'])
      .catch(() => '0x')
    const value = word.length >= 66 ? BigInt(word.slice(0, 66)) : 0n
    if (value > 0n) held.set(token, value)
  }
  await pool.close()
  return held
}

/** Runs a loop of `rounds` × 26 gas and answers 7 for everybody. */
const slowToken = (rounds: number): string =>
  `0x62${rounds.toString(16).padStart(6, '0')}5b600190038060045760076000526020 6000f3`.replace(' ', '')
/** JUMPDEST, jump back: burns whatever it is given. */
const burner = '0x5b600056'
const setCode = async (address: string, code: string): Promise<void> => {
  const pool = createRpcPool(chain.url)
  await pool.rpc('', 'anvil_setCode', [address, code])
  await pool.close()
}
const unlisted = (address: string): KnownToken => ({ address, name: 'x', symbol: 'x', decimals: 0 })

const amounts = (balances: EvmBalances | string | undefined): Map<string, bigint> => {
  if (typeof balances !== 'object') throw new Error(`no balances: ${balances}`)
  return new Map(balances.tokens.map(({ address, balance }) => [address, balance]))
}
const account = (index: number): string => chain.accounts[index] ?? ''

describe('good and hostile tokens', () => {
  it('says exactly what the chain says, for every account, in one call and one retry', async () => {
    const { source, calls } = sourceOver()
    const results = await read(source, chain.accounts)
    const listed = chain.tokenList.tokens.map(({ address }) => address)
    for (const [index, owner] of chain.accounts.entries()) {
      expect(amounts(results[index])).toEqual(await truth(owner, listed))
      expect(results[index]).toMatchObject({ native: expect.any(BigInt) })
    }
    expect([...amounts(results[1]).keys()]).toHaveLength(13)
    expect(calls()).toHaveLength(2)
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
  it('leave out what is no token of this chain, and count an address once', async () => {
    const lab = chain.tokenList.tokens.filter(({ address }) => address === chain.tokens.lab)
    const upper = lab.map((token) => ({
      ...token,
      address: `0x${token.address.slice(2).toUpperCase()}`,
      name: 'second',
    }))
    const list = [unlisted(nativeToken), unlisted('0x12'), ...lab, ...upper]
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

describe('nodes with limits', () => {
  const initCode = (params: unknown[]): string | undefined => (params[0] as { data?: string; to?: string }).data

  it('halves a call that is too large until the node takes it, at one block', async () => {
    const tags = new Set<unknown>()
    let refused = 0
    const { source } = sourceOver((call, number) => {
      noDiscovery(call, number)
      const size = initCode(call.params)?.length ?? 0
      if (size > 1_700) refused++
      if (size > 1_700) throw new JsonRpcError('max initcode size exceeded: code size 60000 limit 49152', -32000)
      tags.add(call.params[1])
      return undefined
    })
    const [balances] = await read(source, [account(1)])
    expect(amounts(balances)).toEqual(
      await truth(
        account(1),
        chain.tokenList.tokens.map(({ address }) => address),
      ),
    )
    const blockNumber = typeof balances === 'object' ? balances.blockNumber : 0n
    expect(tags).toEqual(new Set(['latest', `0x${blockNumber.toString(16)}`]))
    // What was learned holds for the next request.
    const before = refused
    await read(source, [account(1)])
    expect(before).toBeGreaterThan(0)
    expect(refused - before).toBeLessThan(before)
  })

  it('goes on where the gas of one call ended, with fewer owners where one token is too much', async () => {
    const slow = `0x${'e1'.repeat(20)}`
    await setCode(slow, slowToken(300_000))
    const list = [...chain.tokenList.tokens, unlisted(slow)]
    const { source } = sourceOver(noDiscovery, { list, limits: { tokenGas: 9_000_000 } })
    const results = await read(source, chain.accounts)
    expect(results.map((result) => amounts(result).get(slow))).toEqual(chain.accounts.map(() => 7n))
  })

  it.each(['response size exceeded: 24576', 'execution aborted (timeout = 5s)', 'out of gas'])(
    'turns "%s" for even the smallest call into an error, never into less money',
    async (message) => {
      const { source, calls } = sourceOver((call, number) => {
        noDiscovery(call, number)
        throw new JsonRpcError(message, -32000)
      })
      const many = Array.from({ length: 100 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, 'd')}`)
      await expect(read(source, many)).rejects.toThrow(message)
      expect(calls().length).toBeLessThan(80)
    },
  )

  it('uses overridden code where only listed accounts may create, and stays with it', async () => {
    const { source, calls } = sourceOver((call, number) => {
      noDiscovery(call, number)
      const { to } = call.params[0] as { to?: string }
      if (!to) throw new JsonRpcError('tx.origin 0x00 is not authorized to deploy a contract', -32000)
      return undefined
    })
    const [balances] = await read(source, [account(1)])
    expect(amounts(balances).size).toBe(13)
    const before = calls().length
    await read(source, [account(1)])
    expect(calls().length - before).toBe(1)
  })

  const multicallOnly: Interceptor = (call, number) => {
    noDiscovery(call, number)
    const { to } = call.params[0] as { to?: string }
    if (to !== chain.multicall || call.params.length > 2) throw new JsonRpcError('execution reverted', 3)
    return undefined
  }

  it('reads an expensive token by Multicall3 although a gas burner stands before it', async () => {
    const [hungry, expensive] = [`0x${'02'.repeat(20)}`, `0x${'05'.repeat(20)}`]
    await setCode(hungry, burner)
    await setCode(expensive, slowToken(40_000))
    const list = [hungry, expensive].map(unlisted)
    const [balances] = await read(sourceOver(multicallOnly, { multicall: chain.multicall, list }).source, [account(1)])
    expect(amounts(balances)).toEqual(new Map([[expensive, 7n]]))
  })

  it('uses Multicall3 where nothing else runs; gas burners starve nobody', async () => {
    const burners = ['02', '03', '04'].map((byte) => `0x${byte.repeat(20)}`)
    for (const address of burners) await setCode(address, burner)
    const list = [...burners.map(unlisted), ...chain.tokenList.tokens]
    const { source } = sourceOver(multicallOnly, { multicall: chain.multicall, list })
    const results = await read(source, [account(1), account(2)])
    const listed = chain.tokenList.tokens.map(({ address }) => address)
    expect(amounts(results[0])).toEqual(await truth(account(1), listed))
    expect(amounts(results[1])).toEqual(await truth(account(2), listed))
  })
})

describe('one block', () => {
  const limits = { pairsPerCall: 4 }

  it('waits for a node that is one block behind', async () => {
    let refused = 0
    const { source, calls } = sourceOver(
      (call, number) => {
        noDiscovery(call, number)
        if (call.params[1] !== 'latest' && refused++ < 2) throw new JsonRpcError('header not found', -32000)
        return undefined
      },
      { limits },
    )
    const [balances] = await read(source, [account(1)])
    expect(amounts(balances).size).toBe(13)
    expect(refused).toBeGreaterThan(2)
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

describe('never a smaller sum', () => {
  it('makes the accounts errors when a later call of the request fails', async () => {
    const { source } = sourceOver(
      (call, number) => {
        noDiscovery(call, number)
        if (number > 3) throw new UpstreamUnavailableError('connection cut')
        return undefined
      },
      { limits: { pairsPerCall: 4 } },
    )
    expect(await read(source, [account(1)])).toEqual(['connection cut'])
  })

  it('makes the account an error when the retry of a failed token is cut', async () => {
    const { source } = sourceOver((call, number) => {
      noDiscovery(call, number)
      if (call.params[1] !== 'latest') throw new UpstreamUnavailableError('connection cut')
      return undefined
    })
    expect(await read(source, [account(1)])).toEqual(['connection cut'])
  })

  it('makes an account an error when its native balance alone is missing', async () => {
    const reader: ReadMethod = {
      name: 'without native',
      balances: async ({ owners, tokens }) => ({
        block: { number: 1n, fingerprint: 1n },
        done: tokens.length,
        amounts: [],
        failed: tokens.flatMap((token, index) =>
          token === nativeToken ? [{ token: index, owner: owners.length - 1 }] : [],
        ),
      }),
      calls: () => Promise.reject(new Error('not asked')),
    }
    const sweep = createBalanceSweep(reader, evmLimits, createUnreadableTokens(10, 1_000))
    const context = { signal: new AbortController().signal, deadline: Date.now() + 1_000 }
    const { errors } = await sweep.read([{ owners: ['0x1', '0x2'], tokens: [nativeToken, '0xa'] }], context)
    expect([...errors.keys()]).toEqual(['0x2'])
  })

  it('names both chains when the upstream serves another one', async () => {
    const { source } = sourceOver(noDiscovery, { caip2Id: 'eip155:1' })
    await expect(read(source, [account(1)])).rejects.toThrow(/eip155:1 serves chain 43114, configured is chain 1/)
  })

  it('stops when the reader leaves', async () => {
    const { source } = sourceOver(() => new Promise(() => {}))
    const controller = new AbortController()
    const reading = source.readBalances([{ id: account(1) }], {
      signal: controller.signal,
      deadline: Date.now() + 9_000,
    })
    controller.abort()
    await expect(Promise.race([reading, Promise.reject(new Error('still running'))])).rejects.toThrow()
  })
})

describe('discovered tokens', () => {
  const rows = (owner: unknown) => [
    { contractAddress: chain.tokens.spam, tokenBalance: `0x${'1'.padStart(64, '0')}` },
    { contractAddress: chain.tokens.nodec, tokenBalance: '0x1' },
    { contractAddress: chain.tokens.uni.toUpperCase().replace('0X', '0x'), tokenBalance: owner ? '0x1' : '0x0' },
    { contractAddress: chain.tokens.huge, tokenBalance: '0x1' },
    { contractAddress: chain.tokens.broken, tokenBalance: '0x1' },
    { contractAddress: chain.tokens.empty, tokenBalance: '0x0' },
    { contractAddress: 'rubbish', tokenBalance: '0x1' },
  ]
  /** An indexer that names `tokens` for the first account, one token for the second, and nothing for others. */
  const indexing = async (tokens: unknown) => {
    let answers = 0
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const second = body.includes(account(2)) ? [{ contractAddress: chain.tokens.lab, tokenBalance: '0x1' }] : []
      const tokenBalances = body.includes(account(1)) ? tokens : second
      response.end(JSON.stringify({ id: 1, result: { tokenBalances } }), () => answers++)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    return { url: `http://127.0.0.1:${port}`, stop: () => server.close(), answers: () => answers }
  }

  it('are read from the chain at the same block, described by their contracts, cleaned', async () => {
    const indexer = await indexing(rows('x'))
    const { source } = sourceOver(({ method }) => (method.startsWith('alchemy') ? indexer.url : undefined), {
      list: [],
    })
    // The very first answer has them: without, a restart would look as if they were spent.
    const [balances] = await read(source, [account(1)])
    indexer.stop()
    if (typeof balances !== 'object') throw new Error(balances)
    const byAddress = new Map(balances.tokens.map((token) => [token.address, token]))
    expect([...byAddress.keys()].sort()).toEqual([chain.tokens.spam, chain.tokens.uni, chain.tokens.huge].sort())
    expect(byAddress.get(chain.tokens.spam)).toMatchObject({ balance: 5_000n * 10n ** 18n, decimals: 18 })
    expect(byAddress.get(chain.tokens.uni)).toMatchObject({
      name: 'Ünïcödé alert("xss") gnp.exe NUL zerowidth 漢字',
      balance: 1_234_567_890n,
    })
    expect(byAddress.get(chain.tokens.huge)).toMatchObject({ decimals: 255, name: 'N'.repeat(100) })
  })

  it('are found by the one server of several that can, whichever is asked first, and are not lost when it fails', async () => {
    const indexer = await indexing(rows('x').slice(0, 1))
    let broken = false
    const asked: string[] = []
    const server = (name: string, answer: Interceptor) => {
      const made = createRpcPool(chain.url, (call, number) => {
        asked.push(name)
        return answer(call, number)
      })
      pools.push(made)
      return made
    }
    const discoveryPools = [
      server('without', noDiscovery),
      server('dead', () => Promise.reject(new UpstreamUnavailableError('connection refused'))),
      server('with', () => {
        if (broken) throw new JsonRpcError('internal error', -32603)
        return indexer.url
      }),
    ]
    const { source } = sourceOver(noDiscovery, { list: [], discoveryPools })
    const spam = new Map([[chain.tokens.spam, 5_000n * 10n ** 18n]])
    expect(amounts((await read(source, [account(1)]))[0])).toEqual(spam)
    expect(asked).toEqual(['without', 'dead', 'with'])
    expect((await read(source, [account(1), account(2)])).map(amounts)).toEqual([
      spam,
      new Map([[chain.tokens.lab, 5n]]),
    ])
    expect(asked.slice(3)).toEqual(['with'])
    broken = true
    const [known, unknown] = await read(source, [account(1), account(3)])
    indexer.stop()
    expect(amounts(known)).toEqual(spam)
    expect(unknown).toBe('internal error')
  })

  it('an upstream that keeps silent about them holds up the first answer only, and not for long', async () => {
    const { source, calls } = sourceOver(({ method }) =>
      method.startsWith('alchemy') ? new Promise(() => {}) : undefined,
    )
    const deadline = Date.now() + 20_000
    const [first] = await read(source, [account(1)], deadline)
    expect(amounts(first).size).toBeGreaterThan(0)
    expect(Date.now()).toBeLessThan(deadline)
    expect(calls('alchemy_getTokenBalances')).toHaveLength(1)
  })

  it('are shown to their owner only, and a pool that mixes servers is no error', async () => {
    const indexer = await indexing(rows('x').slice(0, 1))
    let refusing = false
    const { source } = sourceOver(
      ({ method }) => {
        if (!method.startsWith('alchemy')) return undefined
        if (refusing) throw new JsonRpcError('method not found', -32601)
        return indexer.url
      },
      { list: [] },
    )
    const spam = new Map([[chain.tokens.spam, 5_000n * 10n ** 18n]])
    await expect.poll(async () => amounts((await read(source, [account(1)]))[0]), { interval: 20 }).toEqual(spam)
    const [owner, other] = await read(source, [account(1), account(2)])
    refusing = true
    const [, third] = await read(source, [account(1), account(3)])
    indexer.stop()
    expect([owner, other, third].map(amounts)).toEqual([spam, new Map([[chain.tokens.lab, 5n]]), new Map()])
  })

  it('whose decimals cannot be read make their owner an error, and nobody else', async () => {
    const indexer = await indexing(rows('x').slice(0, 1))
    const { source } = sourceOver(
      ({ method, params }) => {
        if (JSON.stringify(params).includes(callReaderCode)) throw new UpstreamUnavailableError('connection cut')
        return method.startsWith('alchemy') ? indexer.url : undefined
      },
      { list: [] },
    )
    const [owner, other] = await read(source, [account(1), account(3)])
    indexer.stop()
    expect([owner, amounts(other)]).toEqual(['connection cut', new Map()])
  })

  it('an owner whose tokens cannot be found is an error once the upstream has offered to find them', async () => {
    const indexer = await indexing(rows('x').slice(0, 1))
    let broken = false
    const { source } = sourceOver(
      ({ method }) => {
        if (!method.startsWith('alchemy')) return undefined
        if (broken) throw new UpstreamUnavailableError('indexer down')
        return indexer.url
      },
      { list: [] },
    )
    await read(source, [account(1)])
    await expect.poll(() => indexer.answers()).toBe(1)
    broken = true
    const both = [account(1), account(2)]
    await expect.poll(async () => (await read(source, both))[1], { interval: 20 }).toBe('indexer down')
    const [known] = await read(source, both)
    expect(amounts(known)).toEqual(new Map([[chain.tokens.spam, 5_000n * 10n ** 18n]]))
    indexer.stop()
    expect(typeof known).toBe('object')
  })
})
