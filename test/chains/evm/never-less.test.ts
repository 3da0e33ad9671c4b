import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEvmBalanceSource } from '../../../src/chains/evm/index.ts'
import { callReaderCode } from '../../../src/chains/evm/read/reader-code.ts'
import { JsonRpcError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { type SandboxEvm, startSandboxEvm } from '../../sandbox/evm-chain.ts'
import { readContext } from '../../support/balances/balance-reads.ts'
import { createRandom } from '../../support/generated/random.ts'
import { createRpcPool, type Interceptor } from '../../support/upstream/rpc-pool.ts'
import { type EvmTally, type Ground, layGround, playEvm, withDiscovery } from './random-reads.ts'

let chain: SandboxEvm
let ground: Ground

beforeAll(async () => {
  chain = await startSandboxEvm({ chainId: 43_114 })
  ground = await layGround(chain)
})
afterAll(() => chain.stop())

/** Expensive: its balance takes 312,000 gas, so that only the retry reads it. */
const EXPENSIVE = `0x${'07'.repeat(20)}`
/** Each takes 63 of 64 parts of what is left, twice. */
const NAME_BURNERS = ['04', '3d'].map((byte) => `0x${byte.repeat(20)}`)
const native = { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax' }

function sourceOf(intercept: Interceptor, listed: readonly string[], told?: readonly string[]) {
  const pool = createRpcPool(chain.url, intercept)
  const source = createEvmBalanceSource({
    caip2Id: chain.caip2Id,
    native,
    pool: { ...pool, rpc: withDiscovery(pool.rpc, told) },
    tokens: { tokens: () => listed.map((address) => ({ address, name: 'x', symbol: 'x', decimals: 1 })) },
    multicall: chain.multicall,
  })
  const owner = chain.accounts[1] as string
  return async (): Promise<string> => {
    const outcome = (await source.readBalances([{ id: owner }], readContext())).get(owner)
    if (!outcome?.ok) return `${outcome?.error.message}`
    return outcome.value.tokens.map(({ address, balance }) => `${address.slice(0, 4)} ${balance}`).join()
  }
}

describe('a token is never left out because nobody answered', () => {
  it.each([
    new UpstreamUnavailableError('node: no answer in time'),
    new UpstreamUnavailableError('status 413'),
    new JsonRpcError('execution aborted (timeout = 5s)', -32_000),
  ])('when the retry that it needs meets %s', async (trouble) => {
    let silent = true
    const read = sourceOf(
      ({ params }) => {
        if (silent && params[1] !== 'latest') throw trouble
        return undefined
      },
      [EXPENSIVE],
    )
    expect(await read()).toBe(trouble.message)
    silent = false
    expect(await read()).toBe('0x07 7')
  })

  it('when its decimals could not be read in time', async () => {
    let silent = true
    const read = sourceOf(
      ({ params }) => {
        if (silent && JSON.stringify(params).includes(callReaderCode))
          throw new UpstreamUnavailableError('read timed out')
        return undefined
      },
      [],
      [EXPENSIVE],
    )
    expect(await read()).toBe('read timed out')
    silent = false
    expect(await read()).toBe('0x07 7')
  })

  it('when others burn the gas of the call that asks for names', async () => {
    const onlyMulticall: Interceptor = ({ params }) => {
      const { to } = params[0] as { to?: string }
      if (to !== chain.multicall || params.length > 2) throw new JsonRpcError('execution reverted', 3)
      return undefined
    }
    const lab = chain.tokens.lab as string
    const told = [...NAME_BURNERS, lab, chain.tokens.uni as string]
    const read = sourceOf(onlyMulticall, [], told)
    const held = told.map((token) => `${token.slice(0, 4)} ${ground.held.get(`${token} ${chain.accounts[1]}`)}`)
    expect((await read()).split(',').sort()).toEqual(held.sort())
  })
})

it('whatever tokens, limits, methods and troubles: a number is what the chain says, or there is none', async () => {
  const tally: EvmTally = { sources: 0, numbers: 0, errors: 0 }
  for (let seed = 1; seed <= 12; seed++) await playEvm(ground, createRandom(seed), tally)
  expect(tally.numbers).toBeGreaterThan(50)
})
