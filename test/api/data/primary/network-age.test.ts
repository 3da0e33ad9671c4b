import { expect, it, onTestFinished } from 'vitest'
import { balanceRoutes } from '../../../../src/api/data/primary/balances.ts'
import { primaryBlockRoutes } from '../../../../src/api/data/primary/blocks.ts'
import { lastActivityRoutes } from '../../../../src/api/data/primary/last-activity.ts'
import { type UtxoDeps, utxoRoutes } from '../../../../src/api/data/primary/utxos.ts'
import { FIRST_X_BLOCKS } from '../../../../src/facts/first-x-blocks.ts'
import { INDEXED_C, NO_OLDER } from '../../../../src/services/node-outputs/index.ts'
import { IDENTITY } from '../asked-index.ts'
import { startDataApi } from '../data-app.ts'

/*
 * What lies in shared memory is made and taken by the blocks of other chains: an answer is as old as the oldest of them.
 */
const NOW = 2_000_000

/** @param ages of the chains, milliseconds; those that are left out have not begun */
async function answers(ages: Partial<Record<'P' | 'X' | 'C', number>>, indexed = ['P', 'X', 'C'], name = 'p-chain') {
  let toldByNodes = 0
  const progress = Object.entries(ages).map(([letter, age]) => ({
    stream: `testnet:${letter}`,
    tip: { height: 7n },
    currentAtMs: BigInt(NOW - age),
  }))
  const deps = {
    index: {
      progress: async () => progress,
      utxos: { list: async () => ({ utxos: [] }) },
      balances: { groups: async () => [] },
      activity: { last: async () => undefined },
      blocks: { atHeight: async () => undefined },
    },
    identity: async () => IDENTITY,
    older: { of: async () => NO_OLDER, hold: async () => true },
    cMemories: {
      of: async () => {
        toldByNodes++
        return INDEXED_C
      },
      hold: async () => true,
    },
    proofsOf: async () => new Map(),
    isIndexed: (stream: string) => indexed.includes(stream.slice(-1)),
    maxIndexAgeMs: 10_000,
    now: () => NOW,
  } as unknown as UtxoDeps
  const app = await startDataApi([
    ...utxoRoutes(deps),
    ...balanceRoutes({ ...deps, edge: 'strict' }),
    ...lastActivityRoutes(deps),
    ...primaryBlockRoutes(deps),
  ])
  const query = '?addresses=fuji1m4hzf29faglptgsn0ha30jvyn8jpuehkr3drn7'
  const paths = [
    `utxos${query}&includeSpent=true`,
    `balances${query}&blockTimestamp=1000000`,
    `lastActivityTimestampByAddresses${query}`,
    'blocks/7',
    `utxos${query}`,
    `balances${query}`,
  ]
  const found = await Promise.all(
    paths.map((path) => app.inject(`/v1/networks/fuji/blockchains/${name}/${path}`).then((answer) => answer)),
  )
  await app.close()
  return {
    told: found.map(({ statusCode, headers }) => [statusCode, headers['x-index-age']]),
    message: found[0]?.json().message,
    retryAfter: found[0]?.headers['retry-after'],
    retries: found.map(({ headers }) => headers['retry-after']),
    messageOfNow: found[4]?.json().message,
    toldByNodes,
  }
}

it('what shows shared memory is as old as the oldest chain that is indexed', async () => {
  const { told, toldByNodes } = await answers({ P: 1_000, X: 2_000, C: 9_000 })
  expect(told).toEqual([
    [200, '9'],
    [200, '9'],
    [404, '9'],
    [404, '1'],
    [200, '9'],
    [200, '9'],
  ])
  expect(toldByNodes).toBe(0)
})

it('one chain that stands still, or has not begun, is no answer, save where its moves do not show', async () => {
  const old = await answers({ P: 1_000, X: 11_000, C: 2_000 })
  expect(old.told).toEqual([...Array(3).fill([503, '11']), [404, '1'], ...Array(2).fill([503, '11'])])
  expect(old.message).toBe(
    'the index of x-chain of fuji is 11 s old (at most 10 s are served), and answers of the p-chain show what moves there; it stands at block 7',
  )
  const missing = await answers({ P: 1_000, C: 1_000 })
  expect(missing.told).toEqual([...Array(3).fill([503, undefined]), [404, '1'], ...Array(2).fill([503, undefined])])
  expect(missing.message).toContain('x-chain of fuji is not indexed yet')
  expect([old.retryAfter, missing.retryAfter]).toEqual(['5', '5'])
})

it('data of another chain than that of the nodes has no age that could be told', async () => {
  const { told, message } = await answers({ P: NOW + 1, X: 1_000, C: 1_000 })
  expect(told).toEqual(Array(6).fill([503, undefined]))
  expect(message).toContain('is of another chain than that of the nodes')
})

it('a chain that the operator does not have indexed will not be there later either, and nobody is told to wait for it', async () => {
  const { told, message, retryAfter } = await answers({ P: 1_000, C: 1_000 }, ['P', 'C'], 'x-chain')
  expect(told).toEqual(Array(6).fill([503, undefined]))
  expect([message, retryAfter]).toEqual(['x-chain of fuji is not indexed here', undefined])
  const givenUp = await answers({ P: 1_000, X: 3_600_000, C: 1_000 }, ['P', 'C'], 'x-chain')
  expect([givenUp.message, givenUp.retryAfter]).toEqual(['x-chain of fuji is not indexed here', undefined])
})

it('what of X is in no block is not to be waited for either, though C is still being read', async () => {
  const chains = FIRST_X_BLOCKS as Map<string, bigint>
  chains.set('1'.repeat(64), 1n)
  onTestFinished(() => void chains.delete('1'.repeat(64)))
  const { told, message, retries } = await answers({ P: 1_000, X: 2_000 }, ['P', 'X', 'C'], 'x-chain')
  expect(told.map(([status]) => status)).toEqual([503, 503, 503, 404, 200, 200])
  expect(message).toContain('what was before Cortina, when it had no blocks, is in no block')
  expect(retries).toEqual(Array(6).fill(undefined))
})

it('for C alone, which is read for the longest time, nodes stand in as to what is there now', async () => {
  const behind = await answers({ P: 1_000, X: 2_000, C: 11_000 })
  expect(behind.told).toEqual([...Array(3).fill([503, '11']), [404, '1'], [200, '2'], [200, '2']])
  expect(behind.message).toContain('the index of c-chain of fuji is 11 s old')
  expect(behind.toldByNodes).toBe(2)
  const missing = await answers({ P: 1_000, X: 2_000 })
  expect(missing.told).toEqual([...Array(3).fill([503, undefined]), [404, '1'], [200, '2'], [200, '2']])
  expect(missing.toldByNodes).toBe(2)
  const both = await answers({ P: 1_000, X: 12_000, C: 11_000 })
  expect(both.messageOfNow).toContain('the index of x-chain of fuji is 12 s old')
})

it('lists of C are of its index alone', async () => {
  const behind = await answers({ P: 1_000, X: 2_000, C: 11_000 }, ['P', 'X', 'C'], 'c-chain')
  expect(behind.told).toEqual(Array(6).fill([503, '11']))
  expect(behind.toldByNodes).toBe(0)
})

it("an index that is of a moment still to come, by this machine's clock, is of now", async () => {
  const { told } = await answers({ P: -1_500, X: -9_000, C: -1 })
  expect(told.map(([, age]) => age)).toEqual(Array(6).fill('0'))
  expect(told.map(([status]) => status)).toEqual([200, 200, 404, 404, 200, 200])
})

it('chains that the operator does not have indexed are not waited for, and C is told by nodes', async () => {
  const { told, toldByNodes } = await answers({ P: 1_000, C: 99_000 }, ['P'])
  expect(told.map(([, age]) => age)).toEqual(Array(6).fill('1'))
  expect(told.map(([status]) => status)).toEqual([200, 200, 404, 404, 200, 200])
  expect(toldByNodes).toBe(2)
})

it('an index of another chain than that of the nodes is no answer, however lately it was theirs', async () => {
  const other = await answers({ P: 1_000, X: NOW + 1, C: 2_000 })
  expect(other.told.map(([status]) => status)).toEqual([503, 503, 503, 404, 503, 503])
  expect(other.message).toBe(
    'the index of x-chain of fuji is of another chain than that of the nodes, and answers of the p-chain show what moves there: their block 7 is not its own',
  )
})
