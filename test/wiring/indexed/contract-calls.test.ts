import { expect, it } from 'vitest'
import type { Chains } from '../../../src/chains/index.ts'
import { JsonRpcError, NotFoundError } from '../../../src/errors.ts'
import { createContractCalls } from '../../../src/wiring/indexed/contract-calls.ts'

const CHAIN = 43_113n
const MINUTE = 60_000
const pruned = new JsonRpcError('missing trie node', -32000)

/** A network whose node keeps no state, and other servers of the same chain; `firstBlock` is what these say of block 0. */
function twoEndpoints() {
  const world = {
    call: pruned,
    own: { hash: '0x01' } as unknown,
    firstBlock: undefined as unknown,
    time: 0,
    asked: [] as string[],
    gas: new Set<unknown>(),
  }
  const pool = (name: string, call: () => unknown, block: () => unknown) => ({
    name,
    rpc: async (_path: string, method: string, params: readonly unknown[]) => {
      if (method === 'eth_call') world.gas.add((params[0] as { gas?: string }).gas)
      if (name !== 'network') world.asked.push(method)
      const answer = method === 'eth_call' ? call() : block()
      if (answer instanceof Error) throw answer
      return answer as never
    },
  })
  const own = pool(
    'network',
    () => world.call,
    () => world.own,
  )
  const other = pool(
    `eip155:${CHAIN}`,
    () => '0xcd',
    () => world.firstBlock,
  )
  const calls = createContractCalls(
    { networks: { testnet: { pool: own } } as unknown as Chains['networks'], pools: [other] },
    async () => new Map([[CHAIN.toString(), 'testnet:C']]),
    () => world.time,
  )
  const ask = () =>
    calls(CHAIN, { to: '0x', data: '0x' }, new AbortController().signal).catch((error: unknown) => error)
  return { world, ask }
}

it.each([
  ['has no first block to show for now', null],
  ['does not answer for now', new Error('away')],
])('the other endpoint of a chain is asked later, if it %s', async (_, trouble) => {
  const { world, ask } = twoEndpoints()
  world.firstBlock = trouble
  expect(await ask()).toBe(pruned)
  world.firstBlock = { hash: '0x01' }
  world.time = MINUTE
  expect(await ask()).toBe('0xcd')
})

it('another chain of the same id is never asked for its contracts, and not looked at for every token', async () => {
  const { world, ask } = twoEndpoints()
  world.firstBlock = { hash: '0x02' }
  expect([await ask(), await ask(), await ask()]).toEqual([pruned, pruned, pruned])
  expect(world.asked).toEqual(['eth_getBlockByNumber'])
})

it.each([null, {}, { hash: null }])(
  'two that show no first block are not of the same chain for that: %j',
  async (block) => {
    const { world, ask } = twoEndpoints()
    world.own = block
    world.firstBlock = block
    expect(await ask()).toBe(pruned)
    expect(world.asked).toEqual(['eth_getBlockByNumber'])
  },
)

it('what the contract itself refuses is asked of no other endpoint', async () => {
  const { world, ask } = twoEndpoints()
  world.call = new JsonRpcError('execution reverted', 3)
  world.firstBlock = { hash: '0x01' }
  expect(await ask()).toBe(world.call)
  expect(world.asked).toEqual([])
})

it('whether the other endpoint is of the same chain is looked at once', async () => {
  const { world, ask } = twoEndpoints()
  world.firstBlock = { hash: '0x01' }
  expect([await ask(), await ask()]).toEqual(['0xcd', '0xcd'])
  world.time = 1_000 * MINUTE
  await ask()
  expect(world.asked).toEqual(['eth_getBlockByNumber', 'eth_call', 'eth_call', 'eth_call'])
})

it('a call has a bound on its gas: a node without one would run it for half a minute', async () => {
  const { world, ask } = twoEndpoints()
  world.firstBlock = { hash: '0x01' }
  expect(await ask()).toBe('0xcd')
  expect([...world.gas].map(Number)).toEqual([50_000_000])
})

it('a chain that is configured no longer is told apart from one that is away', async () => {
  const calls = createContractCalls({ networks: {} as Chains['networks'], pools: [] }, async () => new Map())
  const ask = calls(CHAIN, { to: '0x', data: '0x' }, new AbortController().signal)
  await expect(ask).rejects.toThrow(NotFoundError)
})
