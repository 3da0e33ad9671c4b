import { describe, expect, it } from 'vitest'
import { evmLimits, NATIVE_TOKEN, type ReadMethod } from '../../../../src/chains/evm/index.ts'
import { createBalanceSweep } from '../../../../src/chains/evm/sweep/balance-sweep.ts'
import { createUnreadableTokens } from '../../../../src/chains/evm/sweep/unreadable-tokens.ts'
import { UpstreamUnavailableError } from '../../../../src/errors.ts'
import { account, noDiscovery, read, sourceOver, useTokenChain } from '../token-chain.ts'

useTokenChain()

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
          token === NATIVE_TOKEN ? [{ token: index, owner: owners.length - 1 }] : [],
        ),
        unasked: [],
        traits: [],
      }),
      calls: () => Promise.reject(new Error('not asked')),
    }
    const sweep = createBalanceSweep(reader, evmLimits, createUnreadableTokens(10, 1_000))
    const context = { signal: new AbortController().signal, deadline: Date.now() + 1_000 }
    const { errors } = await sweep.read([{ owners: ['0x1', '0x2'], tokens: [NATIVE_TOKEN, '0xa'] }], context)
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
