import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeDeployData, encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Config, Partially } from '../../src/config/index.ts'
import { ask, type WireItem } from '../support/balances/balance-api.ts'
import { type Anvil, startAnvil } from '../support/evm/anvil.ts'
import { type CompiledContract, compileSolidity } from '../support/evm/solidity.ts'
import { createStage } from '../support/server/stage.ts'
import { eventually } from '../support/waiting/eventually.ts'

const ONE = 10n ** 18n
const PRICE = 2

const stage = createStage()
let anvil: Anvil
let scaled: CompiledContract
beforeAll(async () => {
  anvil = await startAnvil()
  scaled = compileSolidity('Scaled.sol')['ScaledToken'] as CompiledContract
})
afterAll(async () => {
  await stage.clear()
  await anvil?.stop()
})

/** A token of multiplier 4 of which the first account holds one, and a server that knows its price. */
async function serve(prices: Partially<Config['market']['prices']>) {
  const { contractAddress } = await anvil.send({ data: encodeDeployData(scaled) })
  const address = contractAddress.toLowerCase()
  const call = (functionName: string, args: unknown[]) =>
    anvil.send({ to: address, data: encodeFunctionData({ abi: scaled.abi, functionName, args }) })
  const split = (multiplier: bigint) => call('schedule', [multiplier * ONE, 0n])
  await call('mint', [anvil.accounts[0], ONE])
  await split(4n)
  const chain = `eip155:${anvil.chainId}`
  const file = (name: string, content: object): string => {
    const path = join(stage.folder(), name)
    writeFileSync(path, JSON.stringify(content))
    return path
  }
  const token = { chainId: anvil.chainId, address, name: 'Scaled', symbol: 'SCL', decimals: 18 }
  const head = { name: 'l', timestamp: '2026-01-01T00:00:00.000Z', version: { major: 1, minor: 0, patch: 0 } }
  const tokenLists = [file('list.json', { ...head, tokens: [token] })]
  const native = { name: 'Coin', symbol: 'COIN', decimals: 18 }
  const upstreams = [{ url: anvil.url }]
  const { url } = await stage.serve({
    market: {
      prices: { provider: 'file', file: file('prices.json', { tokens: { [chain]: { [address]: PRICE } } }), ...prices },
      defaultTokenLists: [],
    },
    chains: { evm: { [anvil.chainId]: { name: 'One', upstreams, native, blockTimeMs: 100, tokenLists } } },
  })
  const held = async () => {
    const data = [{ namespace: 'eip155', addresses: [anvil.accounts[0]], references: [String(anvil.chainId)] }]
    const [item] = (await ask(url, { data })) as [WireItem]
    expect(item.error).toBeNull()
    return item.balances.erc20TokenBalances?.[0]
  }
  return { split, held }
}

describe('a token that shows four for one', () => {
  it('is worth four times the price, where that is of what is shown', async () => {
    const { held } = await serve({})
    expect(await held()).toMatchObject({ balance: String(ONE), price: 4 * PRICE, balanceInCurrency: 4 * PRICE })
  })

  it('is worth the price, where that is of what is held', async () => {
    const { held } = await serve({ scaledUnit: 'held' })
    expect(await held()).toMatchObject({ balance: String(ONE), price: PRICE, balanceInCurrency: PRICE })
  })

  it('has no value for a while after the next split', async () => {
    const { held, split } = await serve({})
    expect(await held()).toHaveProperty('balanceInCurrency')
    await split(8n)
    await eventually(async () => expect(await held()).not.toHaveProperty('price'))
    expect(await held()).not.toHaveProperty('balanceInCurrency')
    expect(await held()).toMatchObject({ balance: String(ONE) })
  })

  it('has the new value at once where nothing is to be waited for', async () => {
    const { held, split } = await serve({ splitSettleMs: 0 })
    expect(await held()).toHaveProperty('balanceInCurrency')
    await split(8n)
    await eventually(async () => expect(await held()).not.toHaveProperty('balanceInCurrency', 4 * PRICE))
    expect(await held()).toMatchObject({ balanceInCurrency: 8 * PRICE })
  })
})
