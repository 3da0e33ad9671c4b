import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BitcoinChain, startBitcoinChain } from './bitcoin-chain.ts'

let chain: BitcoinChain
beforeAll(async () => {
  chain = await startBitcoinChain()
})
afterAll(() => chain.close())

interface Stats {
  funded_txo_sum: number
  spent_txo_sum: number
}

/** In blocks, and with the mempool; undefined while the node itself is between two states. */
async function told(): Promise<string | undefined> {
  const response = await fetch(`${chain.esploraUrl}/address/${chain.accounts.alice.addresses.testnet}`)
  if (response.status !== 200) return undefined
  const body = (await response.json()) as { chain_stats: Stats; mempool_stats: Stats }
  const sum = ({ funded_txo_sum, spent_txo_sum }: Stats): number => funded_txo_sum - spent_txo_sum
  return `${sum(body.chain_stats)} and ${sum(body.mempool_stats)}`
}

it('readers at the moment of a block are told what was before it or what is behind it', async () => {
  for (let round = 0; round < 5; round++) {
    await chain.pay('alice', 'dave', 10_000n)
    const before = await told()
    const mined = chain.mine(1)
    const during: (string | undefined)[] = []
    const readers = Array.from({ length: 8 }, async () => {
      for (let read = 0; read < 5; read++) during.push(await told())
    })
    await Promise.all([mined, ...readers])
    const states = [before, await told(), undefined]
    expect(during.filter((state) => !states.includes(state))).toEqual([])
  }
})
