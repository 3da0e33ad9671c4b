import { expect, it } from 'vitest'
import { readCalls } from '../../../../src/chains/evm/read/call-list.ts'
import type { CallAnswer, ContractCall, ReadMethod } from '../../../../src/chains/evm/read/reader-types.ts'
import { DeadlineError, JsonRpcError } from '../../../../src/errors.ts'

const context = { signal: new AbortController().signal, deadline: Date.now() + 60_000 }
const FOUND = Buffer.from('01', 'hex')

/** What a node answers to some calls, on a chain whose calls are numbered by their data. */
function readAll(count: number, answer: (calls: readonly ContractCall[]) => Partial<CallAnswer>) {
  const reader: ReadMethod = {
    name: 'fake',
    balances: () => Promise.reject(new Error('not asked')),
    calls: async ({ calls }) => ({
      block: { number: 7n, fingerprint: 0n },
      done: calls.length,
      results: calls.map(() => FOUND),
      ...answer(calls),
    }),
  }
  const calls = Array.from({ length: count }, (_, at) => ({ to: `0x${'11'.repeat(20)}`, data: `0x${at}` }))
  return readCalls(reader, { calls, gas: 1, keepBytes: 32, answerBytes: 1_000 }, context)
}

it.each([
  [9n, 4n],
  [4n, 9n],
])(
  'calls that ran at blocks %d and %d are of the earlier one: what is missing there may be in the later',
  async (...blocks) => {
    let part = 0
    const { results, height } = await readAll(301, () => ({ block: { number: blocks[part++] ?? 0n, fingerprint: 0n } }))
    expect([results.length, height]).toEqual([301, 4n])
  },
)

it('a single call that is too much for a node has failed, and the others have their own answers', async () => {
  const isAmong = (calls: readonly ContractCall[]): boolean => calls.some(({ data }) => data === '0x5')
  const { results } = await readAll(8, (calls) => {
    if (isAmong(calls)) throw new JsonRpcError('out of gas', -32_000)
    return {}
  })
  expect(results.map((one) => one !== undefined)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((at) => at !== 5))
  // The reader stops before a call for which no gas is left.
  const none = await readAll(3, (calls) => (isFirst(calls, '0x1') ? { done: 0, results: [] } : one))
  expect(none.results).toEqual([FOUND, undefined, FOUND])
})

/** One call of an answer. */
const one: Partial<CallAnswer> = { done: 1, results: [FOUND] }
const isFirst = ([first]: readonly ContractCall[], data: string): boolean => first?.data === data

it('silence about a single call is no answer to it', async () => {
  const late = readAll(2, () => {
    throw new JsonRpcError('execution timed out', -32_000)
  })
  await expect(late).rejects.toThrow('timed out')
  const cut = readAll(2, () => {
    throw new DeadlineError('no answer in time')
  })
  await expect(cut).rejects.toThrow('no answer in time')
})
