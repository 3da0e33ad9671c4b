import { expect, it } from 'vitest'
import { createContractReader } from '../../../src/market/coingecko/coingecko-contracts.ts'

const HOUR = 3_600_000
const request = {
  keys: [],
  currencies: ['usd' as const],
  signal: new AbortController().signal,
  take: () => undefined,
}

it('batches of contracts grow again, an hour at a time, when the provider allows more than it did', async () => {
  let now = HOUR
  let allowed = 10
  const sizes: number[] = []
  const get = async (path: string) => {
    const asked = new URLSearchParams(path.split('?')[1]).get('contract_addresses')?.split(',') ?? []
    sizes.push(asked.length)
    if (asked.length <= allowed) return { ok: {}, at: 0 }
    return { refused: 400, message: `exceeds the allowed limit (${allowed} addresses)` }
  }
  const read = createContractReader({ get }, 40, () => now)
  const addresses = Array.from({ length: 40 }, (_, at) => `0x${at}`)
  const sizesOf = async () => {
    sizes.length = 0
    await read('avalanche', addresses, request, { calls: 20 }, async () => undefined)
    return sizes
  }
  expect(await sizesOf()).toEqual([40, 10, 10, 10, 10])
  now += HOUR - 1
  expect(await sizesOf()).toEqual([10, 10, 10, 10])
  now += 1
  expect(await sizesOf()).toEqual([20, 10, 10, 10, 10])
  allowed = 100
  now += HOUR
  expect(await sizesOf()).toEqual([20, 20])
  now += HOUR
  expect(await sizesOf()).toEqual([40])
})

it('a platform that the provider does not know has no prices: its contracts are not asked for again in smaller batches', async () => {
  let calls = 0
  const get = async () => {
    calls += 1
    return { refused: 404, message: '{"error":"coin not found"}' }
  }
  const told: (readonly string[])[] = []
  const addresses = ['0x1', '0x2', '0x3', '0x4']
  await createContractReader({ get }, 40)('unknown', addresses, request, { calls: 20 }, async (asked, rows) => {
    expect(rows.size).toBe(0)
    told.push(asked)
  })
  expect([calls, told]).toEqual([1, [addresses]])
})

it('a batch that is refused although it is as small as was named is halved, not asked again as it is', async () => {
  const sizes: number[] = []
  const get = async (path: string) => {
    const asked = new URLSearchParams(path.split('?')[1]).get('contract_addresses')?.split(',') ?? []
    sizes.push(asked.length)
    return asked.length > 2 ? { refused: 400, message: 'exceeds the allowed limit (100 addresses)' } : { ok: {}, at: 0 }
  }
  const addresses = ['0x1', '0x2', '0x3', '0x4']
  await createContractReader({ get }, 40)('avalanche', addresses, request, { calls: 20 }, async () => undefined)
  expect(sizes).toEqual([4, 2, 2])
})
