import { encodeAbiParameters } from 'viem'
import { expect, it } from 'vitest'
import { BadAnswerError, DeadlineError, JsonRpcError } from '../../../src/errors.ts'
import { createContractNames } from '../../../src/indexer/evm/contract-names.ts'
import type { RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'
import type { CallOptions, UpstreamPool } from '../../../src/upstream/types.ts'

const HONEST = 'aa'.repeat(20)
const LOOPING = 'bb'.repeat(20)
const NAME = '0x06fdde03'

/** What a node with no bound of its own can run in the time that it is given. */
const AFFORDABLE = 100_000_000

/** A node that gives a call as much gas as it asks for, and one that names none without end. */
const boundless = {
  async rpc(_path: string, _method: string, params: readonly unknown[]) {
    const [{ to, data, gas }] = params as [{ to: string; data: string; gas?: string }]
    if (to === `0x${LOOPING}`) {
      if (gas === undefined || Number(gas) > AFFORDABLE) throw new DeadlineError('no answer in time')
      throw new JsonRpcError('out of gas', -32000)
    }
    if (data !== NAME) throw new JsonRpcError('execution reverted', 3)
    return encodeAbiParameters([{ type: 'string' }], ['Honest'])
  },
} as unknown as UpstreamPool

const transferOf = (contract: string) => ({
  address: `0x${contract}`,
  topics: [
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    `0x${'1'.padStart(64, '0')}`,
    `0x${'2'.padStart(64, '0')}`,
  ],
  data: `0x${'3'.padStart(64, '0')}`,
})

it('a token whose name loops does not hold up the index in front of a node without a bound for gas', async () => {
  const receipts = [{ gasUsed: '0x5208', logs: [transferOf(LOOPING), transferOf(HONEST)] }] as unknown as RpcReceipt[]
  const names = await createContractNames(boundless, '').learn(receipts, AbortSignal.timeout(5_000))
  expect(Object.fromEntries(names)).toEqual({ [HONEST]: { name: 'Honest' }, [LOOPING]: {} })
})

const MIB = 1_048_576
const hostile = (at: number): string => at.toString(16).padStart(40, 'c')
const receiptsOf = (contracts: readonly string[]) =>
  [{ gasUsed: '0x5208', logs: contracts.map(transferOf) }] as unknown as RpcReceipt[]

/** Bytes of memory that a call of so much gas can fill: three gas a word, and its square over 512. */
const memoryFor = (gas: number): number => 32 * Math.floor((Math.sqrt(9 + gas / 128) - 3) * 256)

/** A node that puts calls of one moment into one answer of at most 32 MiB, and contracts that answer all they can. */
function floodedNode() {
  let together = 0
  const seen = { most: 0, asked: [] as string[], away: false }
  const pool = {
    async rpc(_path: string, _method: string, params: readonly unknown[], { batch = true }: CallOptions) {
      const [{ to, data, gas }] = params as [{ to: string; data: string; gas: string }]
      seen.asked.push(to.slice(2))
      const size = to === `0x${HONEST}` ? 100 : 2 * memoryFor(Number(gas))
      if (batch) together += size
      await new Promise(setImmediate)
      const answered = batch ? together : size
      await new Promise(setImmediate)
      if (batch) together -= size
      seen.most = Math.max(seen.most, answered)
      if (seen.away && to === `0x${HONEST}`) throw new DeadlineError('no answer in time')
      if (answered > 32 * MIB) throw new BadAnswerError('answer above 33554432 bytes')
      if (to === `0x${HONEST}` && data === NAME) return encodeAbiParameters([{ type: 'string' }], ['Honest'])
      return '0x'
    },
  }
  return { seen, pool: pool as unknown as UpstreamPool }
}

it('contracts that answer all that gas can buy do not hold up the index, however many show in one block', async () => {
  const { seen, pool } = floodedNode()
  const contracts = [...Array.from({ length: 100 }, (_, at) => hostile(at)), HONEST]
  const names = await createContractNames(pool, '').learn(receiptsOf(contracts), AbortSignal.timeout(60_000))
  expect(names.size).toBe(101)
  expect(names.get(HONEST)).toEqual({ name: 'Honest' })
  expect(seen.most).toBeLessThan(32 * MIB)
})

it('what was learned of a page that has to be read again is not asked again, and told until the page is passed on', async () => {
  const { seen, pool } = floodedNode()
  const names = createContractNames(pool, '')
  const contracts = [...Array.from({ length: 20 }, (_, at) => hostile(at)), HONEST]
  const learn = () => names.learn(receiptsOf(contracts), AbortSignal.timeout(60_000))
  seen.away = true
  await expect(learn()).rejects.toThrow('no answer in time')
  seen.away = false
  seen.asked.length = 0
  expect((await learn()).size).toBe(21)
  expect(new Set(seen.asked).size).toBeLessThan(8)
  seen.asked.length = 0
  names.passedOn(await learn())
  expect(seen.asked).toEqual([])
  expect([...(await learn()).keys()]).not.toContain(HONEST)
  names.forget()
  expect((await learn()).size).toBe(21)
})

it('a name that takes more gas than names do is read with more of it, of a few contracts', async () => {
  const gas = new Map<string, string[]>()
  const pool = {
    async rpc(_path: string, _method: string, params: readonly unknown[]) {
      const [call] = params as [{ to: string; data: string; gas: string }]
      gas.set(call.to, [...(gas.get(call.to) ?? []), call.gas])
      if (Number(call.gas) < 7_000_000) throw new JsonRpcError('out of gas', -32000)
      return encodeAbiParameters([{ type: 'string' }], ['x'.repeat(100_000)])
    },
  } as unknown as UpstreamPool
  const contracts = Array.from({ length: 30 }, (_, at) => hostile(at))
  const names = await createContractNames(pool, '').learn(receiptsOf(contracts), AbortSignal.timeout(60_000))
  expect(names.get(hostile(0))?.name).toHaveLength(128)
  expect([...names.values()].filter(({ name }) => name !== undefined)).toHaveLength(4)
  expect([...gas.values()].flat().map(Number)).not.toContain(50_000_000)
})

it.each<[string, string?]>([
  ['execution reverted'],
  ['invalid jump destination'],
  ['invalid opcode: INVALID'],
  ['stack underflow (0 <=> 2)'],
  ['EVM error InvalidJump'],
  ['EVM error StackOverflow'],
  ['Transaction processing could not be completed due to an exception (Bad jump destination)'],
  ['VM execution error.', 'Reverted 0x'],
  ['VM execution error.', 'BadJumpDestination'],
])('contracts that end by %s %s leave more gas to those that need it', async (message, data) => {
  const long = hostile(99)
  const pool = {
    async rpc(_path: string, _method: string, params: readonly unknown[]) {
      const [call] = params as [{ to: string; gas: string }]
      if (call.to !== `0x${long}`) throw new JsonRpcError(message, -32000, data)
      if (Number(call.gas) < 7_000_000) throw new JsonRpcError('out of gas', -32000)
      return encodeAbiParameters([{ type: 'string' }], ['Long'])
    },
  } as unknown as UpstreamPool
  const contracts = [...Array.from({ length: 30 }, (_, at) => hostile(at)), long]
  const names = await createContractNames(pool, '').learn(receiptsOf(contracts), AbortSignal.timeout(60_000))
  expect(names.get(long)?.name).toBe('Long')
})

/** A node that has not the state of its newest block so many times, and what it was asked. */
function stumblingNode(times: number) {
  const seen = { asked: 0 }
  const pool = {
    async rpc(_path: string, _method: string, params: readonly unknown[]) {
      const [{ data }] = params as [{ data: string }]
      seen.asked += 1
      if (data === NAME && times-- > 0) throw new JsonRpcError('header not found', -32000, undefined, true)
      if (data !== NAME) throw new JsonRpcError('execution reverted', 3)
      return encodeAbiParameters([{ type: 'string' }], ['Honest'])
    },
  }
  return { seen, pool: pool as unknown as UpstreamPool }
}

it('a node that lacks the state of its newest block for a moment takes no name away: the page is read again', async () => {
  const { pool } = stumblingNode(4)
  const names = createContractNames(pool, '')
  const learn = () => names.learn(receiptsOf([HONEST]), AbortSignal.timeout(5_000))
  for (let times = 0; times < 2; times += 1) await expect(learn()).rejects.toThrow('header not found')
  expect(await learn()).toEqual(new Map([[HONEST, { name: 'Honest' }]]))
})

it('a node that is always in trouble holds up one page of the index, and no further one until it has answered', async () => {
  const { pool } = stumblingNode(12)
  const names = createContractNames(pool, '')
  const learn = (at: number) => names.learn(receiptsOf([hostile(at)]), AbortSignal.timeout(5_000))
  for (let times = 0; times < 4; times += 1) await expect(learn(1)).rejects.toThrow('header not found')
  expect(await learn(1)).toEqual(new Map([[hostile(1), {}]]))
  expect(await learn(2)).toEqual(new Map([[hostile(2), {}]]))
  expect(await learn(3)).toEqual(new Map([[hostile(3), { name: 'Honest' }]]))
})

it('a contract that a lagging node does not have yet is asked again when it shows again, and not for ever', async () => {
  let isMade = false
  const pool = {
    async rpc(_path: string, _method: string, params: readonly unknown[]) {
      const [{ to, data }] = params as [{ to: string; data: string }]
      if (to !== `0x${HONEST}` || !isMade) return '0x'
      if (data !== NAME) throw new JsonRpcError('execution reverted', 3)
      return encodeAbiParameters([{ type: 'string' }], ['Honest'])
    },
  } as unknown as UpstreamPool
  const names = createContractNames(pool, '')
  const page = async () => {
    const told = await names.learn(receiptsOf([HONEST, hostile(1)]), AbortSignal.timeout(5_000))
    names.passedOn(told)
    return Object.fromEntries(told)
  }
  expect(await page()).toEqual({ [HONEST]: {}, [hostile(1)]: {} })
  isMade = true
  expect(await page()).toEqual({ [HONEST]: { name: 'Honest' }, [hostile(1)]: {} })
  expect(await page()).toEqual({ [hostile(1)]: {} })
  expect(await page()).toEqual({})
})
