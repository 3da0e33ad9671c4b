import { encodeAbiParameters, encodeDeployData, encodeFunctionData, type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { EvmBalances, KnownToken } from '../../../../src/chains/capabilities.ts'
import { createEvmBalanceSource, type EvmBalanceSourceDeps, evmLimits } from '../../../../src/chains/evm/index.ts'
import { JsonRpcError } from '../../../../src/errors.ts'
import { balancesOf, readContext } from '../../../support/balances/balance-reads.ts'
import { type Anvil, startAnvil } from '../../../support/evm/anvil.ts'
import { installMulticall3 } from '../../../support/evm/multicall3.ts'
import { type CompiledContract, compileSolidity } from '../../../support/evm/solidity.ts'
import { createRpcPool, type Interceptor, type RpcPool } from '../../../support/upstream/rpc-pool.ts'

const ONE = 10n ** 18n
const native = { name: 'Coin', symbol: 'COIN', decimals: 18, internalId: 'NATIVE-coin' }
const listed = (address: string): KnownToken => ({ address, name: 'x', symbol: 'x', decimals: 18 })

let anvil: Anvil
let multicall: string
let contracts: Record<string, CompiledContract>
const pools: RpcPool[] = []

beforeAll(async () => {
  contracts = compileSolidity('Scaled.sol')
  anvil = await startAnvil()
  multicall = await installMulticall3(anvil)
})
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()))
  await anvil.stop()
})

const contract = (name: string): CompiledContract => {
  const found = contracts[name]
  if (!found) throw new Error(`no contract ${name}`)
  return found
}
const send = (to: string, functionName: string, args: unknown[]) =>
  anvil.send({ to, data: encodeFunctionData({ abi: contract('ScaledToken').abi, functionName, args }) })
const owner = (): string => anvil.accounts[1] as string

/** A token of which the owner has five units. */
async function deployed(name: string, ...holders: string[]): Promise<string> {
  const { contractAddress } = await anvil.send({ data: encodeDeployData(contract(name)) })
  for (const holder of [owner(), ...holders]) await send(contractAddress, 'mint', [holder, 5n])
  return contractAddress.toLowerCase()
}
const split = async (token: string, multiplier: bigint) => send(token, 'schedule', [multiplier, 0n])

/** Where the tokens keep the balance of a holder: in their second slot. */
const placeOf = (holder: string): string =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [holder as Hex, 1n]))

/** Code that runs in circles when it is asked about one owner, and asks another contract with its own storage otherwise. */
function burningFor(holder: string, behind: string): string {
  const is = `60043573${holder.slice(2)}14605257`
  const ask = `3660006000376000600036600073${behind.slice(2)}5af4`
  return `0x${is}${ask}3d600060003e604d573d6000fd5b3d6000f35b605256`
}

const noDiscovery: Interceptor = ({ method }) => {
  if (method.startsWith('alchemy')) throw new JsonRpcError('method not found', -32601)
  return undefined
}
const onlyMulticall: Interceptor = (call, number) => {
  noDiscovery(call, number)
  const { to } = call.params[0] as { to?: string }
  if (!to || call.params.length > 2) throw new JsonRpcError('not authorized', -32_000)
  return undefined
}

function sourceOver(list: readonly string[], intercept = noDiscovery, deps: Partial<EvmBalanceSourceDeps> = {}) {
  const pool = createRpcPool(anvil.url, intercept)
  pools.push(pool)
  const tokens = { tokens: () => known }
  const known = list.map(listed)
  const source = createEvmBalanceSource({ caip2Id: 'eip155:31337', native, pool, tokens, multicall, ...deps })
  const read = async (id = owner()): Promise<EvmBalances> =>
    balancesOf((await source.readBalances([{ id }], readContext())).get(id))
  /** Multiplier of each token that is shown. */
  const multipliers = async () => new Map((await read()).tokens.map((token) => [token.address, token.uiMultiplier]))
  const calls = () => pool.calls.filter(({ method }) => method === 'eth_call')
  return { source, read, multipliers, calls }
}

describe.each([
  ['packed reads', noDiscovery],
  ['Multicall3', onlyMulticall],
])('UI multipliers by %s', (_, intercept) => {
  it('tells the multiplier of now beside the balance that a transfer is made of', async () => {
    const token = await deployed('ScaledToken')
    const { read } = sourceOver([token], intercept)
    expect((await read()).tokens).toEqual([{ ...listed(token), balance: 5n, uiMultiplier: 1 }])
    await split(token, (3n * ONE) / 2n)
    expect((await read()).tokens).toEqual([{ ...listed(token), balance: 5n, uiMultiplier: 1.5 }])
  })

  it.each([
    ['says so and reverts', 'SilentScaledToken', null],
    ['says so and burns its gas', 'BurningScaledToken', null],
    ['burns all gas of all questions', 'BurningBothToken', undefined],
    ['says so of everything', 'EveryInterfaceToken', undefined],
    ['has the function only', 'DraftScaledToken', 1],
    ['has nothing of it', 'PlainToken', undefined],
  ])('of a token that %s', async (__, name, multiplier) => {
    const plain = await deployed('PlainToken')
    const good = await deployed('ScaledToken')
    await split(good, 4n * ONE)
    const token = await deployed(name)
    const { multipliers } = sourceOver([plain, good, token], intercept)
    const expected = new Map([plain, good, token].sort().map((one) => [one, one === good ? 4 : undefined]))
    expected.set(token, multiplier as undefined)
    for (let reads = 0; reads < 2; reads++) expect(await multipliers()).toEqual(expected)
  })

  it.each([
    ['zero', 0n, null],
    ['one billionth of a billionth', 1n, null],
    ['the largest number', 2n ** 256n - 1n, null],
    ['a share of a reverse split', ONE / 8n, 0.125],
    ['a dividend', 1_000_566_080_061_092_436n, 1.0005660800610925],
    ['one billionth', 10n ** 9n, 1e-9],
    ['a billion', 10n ** 27n, 1e9],
  ])('a multiplier of %s', async (__, multiplier, expected) => {
    const token = await deployed('ScaledToken')
    await split(token, multiplier)
    expect(await sourceOver([token], intercept).multipliers()).toEqual(new Map([[token, expected]]))
  })
})

describe('in one call with the balances', () => {
  it('the first read of a new account takes no call more than without such a token', async () => {
    const tokens = [await deployed('PlainToken'), await deployed('ScaledToken')]
    const { read, calls } = sourceOver(tokens)
    expect((await read()).tokens).toHaveLength(2)
    expect(calls()).toHaveLength(1)
    await read()
    expect(calls()).toHaveLength(2)
  })

  it('a split between two reads is seen by the next one, at the moment of the chain', async () => {
    const token = await deployed('ScaledToken')
    const { timestamp } = await anvil.rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
    const at = BigInt(timestamp) + 1_000n
    const { multipliers, calls } = sourceOver([token])
    await send(token, 'schedule', [10n * ONE, at])
    const seen: unknown[] = []
    for (const after of [500n, 999n, 1_000n, 1_001n]) {
      await anvil.rpc('evm_mine', [`0x${(BigInt(timestamp) + after).toString(16)}`])
      seen.push((await multipliers()).get(token))
    }
    expect(seen).toEqual([1, 1, 10, 10])
    expect(calls()).toHaveLength(4)
  })

  it('many owners and tokens: every call says the multipliers of what it read', async () => {
    const owners = Array.from({ length: 300 }, (_, at) => `0x${(at + 4_096).toString(16).padStart(40, '0')}`)
    const tokens = [await deployed('ScaledToken'), await deployed('PlainToken'), await deployed('ScaledToken')]
    for (const [at, token] of tokens.entries()) {
      if (at !== 1) await split(token, BigInt(at + 2) * ONE)
      for (const one of owners) {
        await anvil.rpc('anvil_setStorageAt', [token, placeOf(one), `0x${'7'.padStart(64, '0')}`])
      }
    }
    const { source, calls } = sourceOver(tokens, noDiscovery, { limits: { answerBytes: 1_000 } })
    const outcomes = await source.readBalances(
      owners.map((id) => ({ id })),
      readContext(),
    )
    const told = owners.map((id) =>
      balancesOf(outcomes.get(id)).tokens.map((one) => `${one.balance} ${one.uiMultiplier}`),
    )
    const expected = [...tokens].sort().map((token) => `7 ${[2, undefined, 4][tokens.indexOf(token)]}`)
    expect(new Set(told.map((one) => one.join()))).toEqual(new Set([expected.join()]))
    expect(calls().filter(({ params }) => (params[0] as { to?: string }).to)).toEqual([])
  })

  it.each([2, 3])('of a token that burns its gas for another owner, asked before or behind: %s', async (other) => {
    const token = await deployed('ScaledToken')
    await split(token, 2n * ONE)
    // Runs in circles for one owner; for the others it goes to the token's own code.
    const code = await anvil.rpc('eth_getCode', [token, 'latest'])
    const behind = `0x${'b7'.repeat(20)}`
    await anvil.rpc('anvil_setCode', [behind, code])
    await anvil.rpc('anvil_setCode', [token, burningFor(anvil.accounts[other] as string, behind)])
    const { source } = sourceOver([token])
    const ids = anvil.accounts.slice(1, 4)
    const outcomes = await source.readBalances(
      ids.map((id) => ({ id })),
      readContext(),
    )
    expect(balancesOf(outcomes.get(owner())).tokens).toMatchObject([{ balance: 5n, uiMultiplier: 2 }])
  })
})

describe('tokens that anybody may make', () => {
  /** Answers 9 to balanceOf and burns the gas of whatever else it is asked. */
  const burner = '0x60003560e01c6370a08231146013575b600f565b600960005260206000f3'

  it('cost a call of so many tokens two more, and their neighbours nothing', async () => {
    const hostile = Array.from({ length: 1_000 }, (_, at) => `0x${(at + 0xbad0000).toString(16).padStart(40, '0')}`)
    for (const address of hostile) await anvil.rpc('anvil_setCode', [address, burner])
    const good = await deployed('ScaledToken')
    await split(good, 6n * ONE)
    const { read, calls } = sourceOver([...hostile, good])
    const { tokens } = await read()
    expect(tokens.filter(({ uiMultiplier }) => uiMultiplier !== undefined)).toEqual([
      { ...listed(good), balance: 5n, uiMultiplier: 6 },
    ])
    expect(tokens).toHaveLength(1_001)
    expect(calls().length).toBeLessThanOrEqual(3)
  })

  it('are asked by Multicall3 once an hour where they have no multiplier', async () => {
    const plain = [await deployed('PlainToken'), await deployed('BurningBothToken'), await deployed('PlainToken')]
    const scaled = await deployed('ScaledToken')
    const { read, calls } = sourceOver(plain, onlyMulticall)
    await read()
    const first = calls().length
    await read()
    expect(calls().length - first).toBe(1)
    const both = sourceOver([...plain, scaled], onlyMulticall)
    await both.read()
    const before = both.calls().length
    expect((await both.multipliers()).get(scaled)).toBe(1)
    expect(both.calls().length - before).toBe(2)
  })

  it('are asked by themselves where they burn the gas of a multicall, some in each read', async () => {
    const hostile = Array.from({ length: 150 }, (_, at) => `0x${(at + 0xdad0000).toString(16).padStart(40, '0')}`)
    for (const address of hostile) await anvil.rpc('anvil_setCode', [address, burner])
    const good = await deployed('ScaledToken')
    const last = `0x${'fe'.repeat(20)}`
    await anvil.rpc('anvil_setCode', [last, burner])
    const { multipliers } = sourceOver([...hostile, good, last], onlyMulticall)
    const expected = (unknown: number) => ({ shown: 152, unknown })
    const counted = async () => {
      const told = [...(await multipliers()).values()]
      return { shown: told.length, unknown: told.filter((one) => one === null).length }
    }
    expect(await counted()).toEqual(expected(52))
    expect(await counted()).toEqual(expected(0))
    expect((await multipliers()).get(good)).toBe(1)
  })
})

describe('a token that changes', () => {
  it('is not taken for a plain one for an hour behind the last multiplier', async () => {
    const token = await deployed('ScaledToken')
    await split(token, 2n * ONE)
    const { multipliers } = sourceOver([token], noDiscovery)
    expect((await multipliers()).get(token)).toBe(2)
    const { contractAddress } = await anvil.send({ data: encodeDeployData(contract('PlainToken')) })
    await anvil.rpc('anvil_setCode', [token, await anvil.rpc('eth_getCode', [contractAddress, 'latest'])])
    expect((await multipliers()).get(token)).toBe(null)
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + evmLimits.multiplierMs + 1_000)
    onTestFinished(() => void clock.mockRestore())
    expect((await multipliers()).get(token)).toBe(undefined)
  })

  it('shows what it has got by an upgrade in the next read', async () => {
    const token = await deployed('PlainToken')
    const { multipliers } = sourceOver([token])
    expect((await multipliers()).get(token)).toBe(undefined)
    const { contractAddress } = await anvil.send({ data: encodeDeployData(contract('ScaledToken')) })
    await anvil.rpc('anvil_setCode', [token, await anvil.rpc('eth_getCode', [contractAddress, 'latest'])])
    await split(token, 3n * ONE)
    expect((await multipliers()).get(token)).toBe(3)
  })
})
