import { describe, expect, it } from 'vitest'
import { balanceReaderCode } from '../../../src/chains/evm/read/reader-code.ts'
import { JsonRpcError } from '../../../src/errors.ts'
import type { Interceptor } from '../../support/upstream/rpc-pool.ts'
import {
  account,
  amounts,
  burner,
  chain,
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

describe('nodes with limits', () => {
  const initCode = (params: unknown[]): string | undefined => (params[0] as { data?: string; to?: string }).data

  it('halves a call that is too large until the node takes it, at one block', async () => {
    const tags = new Set<unknown>()
    let refused = 0
    // Room for eight addresses or so behind the code.
    const most = balanceReaderCode.length + 348
    const { source } = sourceOver((call, number) => {
      noDiscovery(call, number)
      const size = initCode(call.params)?.length ?? 0
      if (size > most) refused++
      if (size > most) throw new JsonRpcError('max initcode size exceeded: code size 60000 limit 49152', -32000)
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
    // The first call says which block it was; all others ask for that one.
    expect([...tags]).toEqual(['latest', expect.stringMatching(/^0x[1-9a-f]/)])
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

  it('by Multicall3 tokens that simply fail cost no calls of their own', async () => {
    const address = (n: number) => `0x${(0xdead00 + n).toString(16).padStart(40, 'c')}`
    const failing = Array.from({ length: 200 }, (_, n) => address(n))
    for (const one of failing) await setCode(one, '0x60006000fd')
    const indexedTokens = { isComplete: () => true, tokensOf: async () => [...failing, chain.tokens.spam] }
    const options = { multicall: chain.multicall, list: [], indexedTokens, limits: { patientTokens: 2 } }
    const { source, calls } = sourceOver(multicallOnly, options)
    const [balances] = await read(source, [account(1)])
    expect([...amounts(balances).keys()]).toEqual([chain.tokens.spam])
    expect(calls().length).toBeLessThan(20)
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
