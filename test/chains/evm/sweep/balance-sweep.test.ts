import { expect, it } from 'vitest'
import { type EvmLimits, evmLimits, NATIVE_TOKEN, type ReadMethod } from '../../../../src/chains/evm/index.ts'
import type { BalanceAnswer, BalanceQuery } from '../../../../src/chains/evm/read/reader-types.ts'
import { createBalanceSweep } from '../../../../src/chains/evm/sweep/balance-sweep.ts'
import { createUnreadableTokens } from '../../../../src/chains/evm/sweep/unreadable-tokens.ts'
import { JsonRpcError, UpstreamUnavailableError } from '../../../../src/errors.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'

const [A, B, C] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]
const ownerAt = (at: number): string => `0x${'d'.repeat(37)}${at + 100}`
const [FIRST, SECOND] = [ownerAt(0), ownerAt(1)] as [string, string]
const isPatient = ({ gas }: BalanceQuery): boolean => gas === evmLimits.retryTokenGas

/** What one balanceOf brings: an amount, nothing (it fails), or no answer for it, as one before it burnt the gas. */
type Told = bigint | undefined | 'unasked'

interface Node {
  tell?: (token: string, owner: string, query: BalanceQuery) => Told
  /** Height of the latest block at the server of this query. */
  height?: (query: BalanceQuery) => bigint
  /** Throws, or says that only so many of the tokens fitted. */
  before?: (query: BalanceQuery) => number | undefined
}

/** A sweep over a node that a test makes up, on which everybody has 1 of the coin. */
function sweepOver(
  { tell = () => 7n, height = () => 10n, before = () => undefined }: Node,
  over: Partial<EvmLimits> = {},
) {
  const asked: BalanceQuery[] = []
  const balances = async (query: BalanceQuery): Promise<BalanceAnswer> => {
    asked.push(query)
    const done = before(query) ?? query.tokens.length
    const pairs = query.tokens.slice(0, done).flatMap((address, token) =>
      query.owners.map((name, owner) => ({
        pair: { token, owner },
        told: address === NATIVE_TOKEN ? 1n : tell(address, name, query),
      })),
    )
    const number = query.block ?? height(query)
    return {
      block: { number, fingerprint: number },
      done,
      amounts: pairs.flatMap(({ pair, told }) =>
        typeof told === 'bigint' && told > 0n ? [{ ...pair, value: told }] : [],
      ),
      failed: pairs.flatMap(({ pair, told }) => (told === undefined ? [pair] : [])),
      unasked: pairs.flatMap(({ pair, told }) => (told === 'unasked' ? [pair] : [])),
      traits: [],
    }
  }
  const reader: ReadMethod = { name: 'made up', balances, calls: () => Promise.reject(new Error('not asked')) }
  const unreadable = createUnreadableTokens(1_000, 60_000)
  const sweep = createBalanceSweep(reader, { ...evmLimits, ...over }, unreadable)
  return { asked, unreadable, sweep }
}

const hasty = (query: BalanceQuery, told: bigint): Told => (isPatient(query) ? told : undefined)

it("where nothing could be read, tokens that become known behind that are nobody's failure", async () => {
  const { sweep } = sweepOver({
    before: () => {
      throw new UpstreamUnavailableError('down')
    },
  })
  const later = Promise.reject(new Error('unknown'))
  await expect(sweep.read([{ owners: [FIRST], tokens: [NATIVE_TOKEN] }], readContext(), later)).rejects.toThrow('down')
  // What nobody waits for is told a turn later.
  await new Promise(setImmediate)
})

it('what a server told of another block than that of the others is asked again at theirs', async () => {
  const { sweep, unreadable } = sweepOver({
    height: (query) => (isPatient(query) ? 9n : 10n),
    tell: (_token, _owner, { block }) => (block === 10n ? 7n : 5n),
  })
  for (const owner of [0, 1, 2]) unreadable.trouble(A, ownerAt(owner))
  const { amounts, block } = await sweep.read([{ owners: [FIRST], tokens: [NATIVE_TOKEN, A] }], readContext())
  expect([block.number, amounts.get(FIRST)?.get(A)]).toEqual([10n, 7n])
})

it('of unlisted tokens that need much gas each has its turn', async () => {
  const { sweep } = sweepOver({ tell: (_token, _owner, query) => hasty(query, 7n) }, { patientTokens: 1 })
  const read = async (owner: string) => {
    const wanted = { owners: [owner], tokens: [NATIVE_TOKEN, A, B], unlisted: new Set([A, B]) }
    const { amounts } = await sweep.read([wanted], readContext())
    return [A, B].filter((token) => amounts.get(owner)?.has(token))
  }
  expect([await read(FIRST), await read(SECOND)]).toEqual([[A], [B]])
})

it('no more unlisted tokens are asked apart than may be asked with much gas', async () => {
  const { sweep, unreadable } = sweepOver({ tell: (_token, _owner, query) => hasty(query, 7n) }, { patientTokens: 1 })
  for (const token of [A, B, C]) for (const owner of [0, 1, 2]) unreadable.trouble(token, ownerAt(owner))
  const wanted = { owners: [FIRST], tokens: [NATIVE_TOKEN, A, B, C], unlisted: new Set([A, B, C]) }
  const { amounts } = await sweep.read([wanted], readContext())
  // One apart, and of those that failed in the common call one.
  expect([...(amounts.get(FIRST)?.keys() ?? [])]).toEqual([NATIVE_TOKEN, A, B])
})

it('a token that burns its gas has not answered an owner who was lost', async () => {
  const owners = Array.from({ length: 16 }, (_, at) => ownerAt(at))
  const { sweep, unreadable } = sweepOver(
    {
      tell: () => undefined,
      before: (query) => {
        if (query.tokens.includes(A) && query.owners.includes(SECOND)) throw new UpstreamUnavailableError('down')
        return undefined
      },
    },
    { pairsPerCall: 1 },
  )
  unreadable.addBurning(A)
  for (const owner of owners) unreadable.trouble(A, owner)
  const { errors } = await sweep.read([{ owners, tokens: [NATIVE_TOKEN, A] }], readContext())
  expect([...errors.keys()]).toEqual([SECOND])
  expect(unreadable.mayBurn(A, SECOND)).toBe(true)
})

it('of owners who were not asked, since the token burns its gas for all, nothing is remembered', async () => {
  const owners = Array.from({ length: 64 }, (_, at) => ownerAt(at))
  const tell = (_token: string, owner: string, query: BalanceQuery): Told =>
    isPatient(query) && owner !== query.owners[0] ? 'unasked' : undefined
  const { sweep, unreadable } = sweepOver({ tell })
  const { failed, errors } = await sweep.read([{ owners, tokens: [NATIVE_TOKEN, A] }], readContext())
  expect([failed.length > 0, errors.size]).toEqual([true, 0])
  const remembered = owners.filter((owner) => unreadable.has(A, owner, owners))
  expect(remembered.length).toBeGreaterThan(0)
  expect(remembered.length).toBeLessThan(owners.length)
})

it('behind a token whose answer fits into no call the others of its owner are read', async () => {
  const { sweep } = sweepOver({
    tell: (_token, _owner, query) => hasty(query, 7n),
    before: (query) => (isPatient(query) && query.tokens[0] === A ? 0 : undefined),
  })
  const { amounts, failed } = await sweep.read([{ owners: [FIRST], tokens: [NATIVE_TOKEN, A, B, C] }], readContext())
  expect(failed).toEqual([{ token: A, owner: FIRST }])
  expect(amounts.get(FIRST)).toEqual(
    new Map([
      [NATIVE_TOKEN, 1n],
      [B, 7n],
      [C, 7n],
    ]),
  )
})

it('a node that finds everything too large is left alone soon', async () => {
  const { asked, sweep } = sweepOver({
    before: ({ tokens }) => {
      if (tokens.includes(NATIVE_TOKEN)) return undefined
      throw new JsonRpcError('out of gas', -32000)
    },
  })
  const owners = Array.from({ length: 200 }, (_, at) => ownerAt(at))
  const wanted = [NATIVE_TOKEN, A].map((token) => ({ owners, tokens: [token] }))
  const { errors } = await sweep.read(wanted, readContext())
  expect(errors.size).toBe(owners.length)
  expect(asked.length).toBeLessThan(100)
})

it('a node that is one block behind has a moment to catch up', async () => {
  let isBehind = true
  const { sweep } = sweepOver({
    before: ({ block }) => {
      if (block === undefined || !isBehind) return undefined
      isBehind = false
      throw new JsonRpcError('header not found', -32000)
    },
  })
  const at = { number: 10n, fingerprint: 10n }
  const { amounts } = await sweep.read([{ owners: [FIRST], tokens: [A] }], readContext(), undefined, { at })
  expect([isBehind, amounts.get(FIRST)?.get(A)]).toEqual([false, 7n])
})

it('with other servers everything is asked again', () => {
  const { unreadable } = sweepOver({})
  unreadable.add(A, FIRST)
  expect(unreadable.has(A, FIRST, [FIRST])).toBe(true)
  unreadable.forget()
  expect(unreadable.has(A, FIRST, [FIRST])).toBe(false)
})
