import { afterAll, beforeAll } from 'vitest'
import type { AddressAccount, BalanceSource, EvmBalances, KnownToken } from '../../../src/chains/capabilities.ts'
import { createEvmBalanceSource, type EvmBalanceSourceDeps } from '../../../src/chains/evm/index.ts'
import { JsonRpcError } from '../../../src/errors.ts'
import { type SandboxEvm, startSandboxEvm } from '../../sandbox/evm-chain.ts'
import { createRpcPool, type Interceptor, type RpcPool } from '../../support/upstream/rpc-pool.ts'

export const caip2Id = 'eip155:43114'
export const native = { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax' }
/** Closed at the end. */
export const pools: RpcPool[] = []
/** The chain of this file; there from its first test on. */
export let chain: SandboxEvm

/** Starts a chain with good and hostile tokens for the tests of a file. */
export function useTokenChain(): void {
  beforeAll(async () => {
    chain = await startSandboxEvm({ chainId: 43_114 })
  })
  afterAll(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()))
    await chain.stop()
  })
}

export const noDiscovery: Interceptor = ({ method }) => {
  if (method.startsWith('alchemy')) throw new JsonRpcError('method not found', -32601)
  return undefined
}

export function sourceOver(
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

export const read = async (
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
export async function truth(owner: string, tokens: readonly string[]): Promise<Map<string, bigint>> {
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
export const slowToken = (rounds: number): string =>
  `0x62${rounds.toString(16).padStart(6, '0')}5b600190038060045760076000526020 6000f3`.replace(' ', '')
/** JUMPDEST, jump back: burns whatever it is given. */
export const burner = '0x5b600056'
export const setCode = async (address: string, code: string): Promise<void> => {
  const pool = createRpcPool(chain.url)
  await pool.rpc('', 'anvil_setCode', [address, code])
  await pool.close()
}
export const unlisted = (address: string): KnownToken => ({ address, name: 'x', symbol: 'x', decimals: 0 })

export const amounts = (balances: EvmBalances | string | undefined): Map<string, bigint> => {
  if (typeof balances !== 'object') throw new Error(`no balances: ${balances}`)
  return new Map(balances.tokens.map(({ address, balance }) => [address, balance]))
}
export const account = (index: number): string => chain.accounts[index] ?? ''
