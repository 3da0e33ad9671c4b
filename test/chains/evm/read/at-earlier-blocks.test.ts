import { expect, it } from 'vitest'
import { JsonRpcError } from '../../../../src/errors.ts'
import { createRpcPool, type Interceptor } from '../../../support/upstream/rpc-pool.ts'
import { account, amounts, chain, noDiscovery, pools, read, sourceOver, truth, useTokenChain } from '../token-chain.ts'

useTokenChain()

/** So few pairs in one call that wallets take several. */
const limits = { pairsPerCall: 4 }
const listed = () => chain.tokenList.tokens.map(({ address }) => address)

const askChain = (method: string): Promise<string> => {
  const pool = createRpcPool(chain.url)
  pools.push(pool)
  return pool.rpc<string>('', method, [])
}

/**
 * A node that runs calls as those of the block behind the one that they are asked at, as IoTeX and the eSpace of Conflux
 * do: what they are told is one more. That it lacks a block it says in these words.
 */
const ofNextBlock =
  (missing = 'header not found', before?: (tag: unknown) => Promise<unknown>): Interceptor =>
  async (call, number) => {
    noDiscovery(call, number)
    const [, tag] = call.params
    await before?.(tag)
    const tip = BigInt(await askChain('eth_blockNumber'))
    const height = tag === 'latest' ? tip : BigInt(String(tag))
    if (height > tip) throw new JsonRpcError(missing, 13)
    call.params.splice(1, 3, `0x${height.toString(16)}`, {}, { number: `0x${(height + 1n).toString(16)}` })
    return undefined
  }

it.each(['header not found', 'failed to get the working set of this height'])(
  'a wallet of several calls is read where calls are told the height of the block to come: %s',
  async (words) => {
    const { source } = sourceOver(ofNextBlock(words), { limits })
    const [first] = await read(source, [account(1)])
    expect(amounts(first)).toEqual(await truth(account(1), listed()))
    const [second] = await read(source, [account(2)])
    expect(amounts(second)).toEqual(await truth(account(2), listed()))
  },
)

it('a wallet of several calls is read right also where the block to come is there by the second call', async () => {
  let latest = 0
  const mineBehindFirst = async (tag: unknown): Promise<void> => {
    if (tag === 'latest') latest += 1
    else await askChain('evm_mine')
  }
  const { source } = sourceOver(ofNextBlock(undefined, mineBehindFirst), { limits })
  const [balances] = await read(source, [account(1)])
  expect(amounts(balances)).toEqual(await truth(account(1), listed()))
  expect(latest).toBe(1)
})

it('once a node has shown which it is, a block that it lacks is not asked for under another height', async () => {
  let lacking = false
  const heights = new Set<unknown>()
  const { source } = sourceOver(
    (call, number) => {
      noDiscovery(call, number)
      if (call.params[1] === 'latest') return undefined
      if (lacking) heights.add(call.params[1])
      if (lacking) throw new JsonRpcError('header not found', -32000)
      return undefined
    },
    { limits },
  )
  expect(amounts((await read(source, [account(1)]))[0]).size).toBe(13)
  lacking = true
  await expect(read(source, [account(2)])).rejects.toThrow(/was lost/)
  expect(heights.size).toBe(1)
})

it('who has shown nothing yet and lacks the block does not tell of the one before as if it were that', async () => {
  let first: bigint | undefined
  const heights = new Set<bigint>()
  const { source } = sourceOver(
    async (call, number) => {
      noDiscovery(call, number)
      const [, tag] = call.params
      if (tag === 'latest') {
        first ??= BigInt(await askChain('eth_blockNumber'))
        return undefined
      }
      heights.add(BigInt(String(tag)))
      if (BigInt(String(tag)) === first) throw new JsonRpcError('header not found', -32000)
      return undefined
    },
    { limits },
  )
  await expect(read(source, [account(1)])).rejects.toThrow(/was lost/)
  expect(heights).toEqual(new Set([first, (first as bigint) - 1n]))
})
