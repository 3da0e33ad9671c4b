import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { callReaderCode } from '../../../../src/chains/evm/read/reader-code.ts'
import { JsonRpcError, UpstreamUnavailableError } from '../../../../src/errors.ts'
import { startSandboxEvm } from '../../../sandbox/evm-chain.ts'
import { createRpcPool, type Interceptor } from '../../../support/upstream/rpc-pool.ts'
import { account, amounts, chain, noDiscovery, pools, read, sourceOver, useTokenChain } from '../token-chain.ts'

useTokenChain()

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
  const indexing = async (tokens: unknown, address?: string) => {
    let answers = 0
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const second = body.includes(account(2)) ? [{ contractAddress: chain.tokens.lab, tokenBalance: '0x1' }] : []
      const tokenBalances = body.includes(account(1)) ? tokens : second
      response.end(JSON.stringify({ id: 1, result: { address, tokenBalances } }), () => answers++)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
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
    for (const { address, internalId } of balances.tokens) expect(internalId).toBe(`${source.caip2Id}-${address}`)
  })

  it('are read from the chain where the server has no amount of one, which Alchemy writes as 0x', async () => {
    const indexer = await indexing([{ contractAddress: chain.tokens.spam, tokenBalance: '0x' }])
    const { source } = sourceOver(({ method }) => (method.startsWith('alchemy') ? indexer.url : undefined), {
      list: [],
    })
    const [balances] = await read(source, [account(1)])
    indexer.stop()
    expect(amounts(balances)).toEqual(new Map([[chain.tokens.spam, 5_000n * 10n ** 18n]]))
  })

  it('may be missing where a server that named some knows the method no more, so that there is no total', async () => {
    const indexer = await indexing(rows('x'))
    const { source } = sourceOver(
      ({ method, params }) => {
        if (!method.startsWith('alchemy')) return undefined
        // As one of several behind its address, of another plan.
        if (JSON.stringify(params).includes(account(2))) throw new JsonRpcError('method not found', -32601)
        return indexer.url
      },
      { list: [] },
    )
    const [first, second] = [await read(source, [account(1)]), await read(source, [account(2)])]
    indexer.stop()
    expect(first).not.toEqual([expect.objectContaining({ hasMore: true })])
    expect(second).toEqual([expect.objectContaining({ tokens: [], hasMore: true })])
  })

  it('are never the native coin in disguise, which would count it twice', async () => {
    const polygon = await startSandboxEvm({ chainId: 137 })
    const disguise = `0x${'1010'.padStart(40, '0')}`
    // Answers the owner's native balance, as Polygon's own contract does.
    const pool = createRpcPool(polygon.url)
    pools.push(pool)
    await pool.rpc('', 'anvil_setCode', [disguise, '0x6004353160005260206000f3'])
    const owner = polygon.accounts[1] as string
    const told = [disguise, polygon.tokens.spam, `0x${'eE'.repeat(20)}`]
    const indexer = createServer((_, response) => {
      const tokenBalances = told.map((contractAddress) => ({ contractAddress, tokenBalance: '0x1' }))
      response.end(JSON.stringify({ id: 1, result: { tokenBalances } }))
    })
    await new Promise<void>((resolve) => indexer.listen(0, '127.0.0.1', resolve))
    const { port } = indexer.address() as AddressInfo
    const asking = createRpcPool(polygon.url, ({ method }) =>
      method.startsWith('alchemy') ? `http://127.0.0.1:${port}` : undefined,
    )
    pools.push(asking)
    const list = [{ address: disguise, name: 'Matic', symbol: 'MATIC', decimals: 18 }]
    const { source } = sourceOver(noDiscovery, { caip2Id: 'eip155:137', pool: asking, list })
    const [balances] = await read(source, [owner])
    indexer.close()
    await polygon.stop()
    expect([...amounts(balances).keys()]).toEqual([polygon.tokens.spam])
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
    const indexer = await indexing(rows('x'))
    const late = (): Promise<string> => sleep(6_000, indexer.url, { ref: false })
    const { source, calls } = sourceOver(({ method }) => (method.startsWith('alchemy') ? late() : undefined))
    const [first] = await read(source, [account(1)], Date.now() + 60_000)
    indexer.stop()
    expect(amounts(first).size).toBeGreaterThan(0)
    // Who waits for the upstream has what it tells.
    expect(amounts(first).has(chain.tokens.spam)).toBe(false)
    expect(calls('alchemy_getTokenBalances')).toHaveLength(1)
  })

  it('are looked for while the balances are read, and read with them once they are known', async () => {
    const indexer = await indexing(rows('x').slice(0, 1))
    let heldBack: Promise<void> | undefined
    let readBegins = (): void => {}
    const { source, calls } = sourceOver(
      async ({ method }) => {
        if (!method.startsWith('alchemy')) {
          readBegins()
          return undefined
        }
        await heldBack
        return indexer.url
      },
      { list: [] },
    )
    await read(source, [account(3)])
    // Who finds tokens answers only after the chain has been asked.
    heldBack = new Promise((resolve) => {
      readBegins = resolve
    })
    const spam = new Map([[chain.tokens.spam, 5_000n * 10n ** 18n]])
    expect(amounts((await read(source, [account(1)]))[0])).toEqual(spam)
    const before = calls().length
    expect(amounts((await read(source, [account(1)]))[0])).toEqual(spam)
    indexer.stop()
    expect(calls()).toHaveLength(before + 1)
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

  it('those of a stranger are no answer, nor is a hole among them the end of it', async () => {
    const indexer = await indexing([null, ...rows('x').slice(0, 1)], account(1).toUpperCase().replace('0X', '0x'))
    const { source } = sourceOver(({ method }) => (method.startsWith('alchemy') ? indexer.url : undefined), {
      list: [],
    })
    await read(source, [account(1)])
    await expect.poll(() => indexer.answers()).toBe(1)
    const both = [account(1), account(2)]
    await expect
      .poll(async () => (await read(source, both))[1], { interval: 20 })
      .toBe('token discovery answered for another owner')
    const [known] = await read(source, both)
    expect(amounts(known)).toEqual(new Map([[chain.tokens.spam, 5_000n * 10n ** 18n]]))
    indexer.stop()
  })
})
