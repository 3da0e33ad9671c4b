import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { evmLimits } from '../../../../src/chains/evm/limits.ts'
import { createIndexedDiscovery } from '../../../../src/chains/evm/tokens/indexed-tokens.ts'
import type { OfferedDiscovery, TokensByOwner } from '../../../../src/chains/evm/tokens/token-discovery.ts'
import { CancelledError } from '../../../../src/errors.ts'
import { gate } from '../../../support/waiting/gate.ts'
import { account, amounts, chain, noDiscovery, read, sourceOver, useTokenChain } from '../token-chain.ts'

useTokenChain()

it('tokens that were shown do not look spent when the own index falls behind and nobody else finds any', async () => {
  let complete = true
  const indexedTokens = { isComplete: () => complete, tokensOf: async () => [chain.tokens.spam] }
  const { source } = sourceOver(noDiscovery, { list: [], indexedTokens })
  const held = new Map([[chain.tokens.spam, 5_000n * 10n ** 18n]])
  expect(amounts((await read(source, [account(1)]))[0])).toEqual(held)
  complete = false
  expect(amounts((await read(source, [account(1)]))[0])).toEqual(held)
  // As after a restart.
  const anew = sourceOver(noDiscovery, { list: [], indexedTokens })
  expect(amounts((await read(anew.source, [account(1)]))[0])).toEqual(held)
})

const OWNERS = ['0xa', '0xb']

/** An index that is behind, and a server that finds tokens or does not. */
function stage(isOffered: boolean, lookUp: (owner: string) => Promise<readonly string[]>) {
  const asked: string[] = []
  const tokensOf = (owner: string): Promise<readonly string[]> => {
    asked.push(owner)
    return lookUp(owner)
  }
  const told = new Map(OWNERS.map((owner) => [owner, { ok: true as const, value: { tokens: ['0x1'], more: false } }]))
  const upstream: OfferedDiscovery = { isNear: false, isOffered, firstLook: () => undefined, tokensOf: () => told }
  const discovery = createIndexedDiscovery({ isComplete: () => false, tokensOf }, upstream, evmLimits)
  const look = async (signal = new AbortController().signal) => {
    const context = { signal, deadline: Date.now() + 60_000 }
    return namesOf(await discovery.tokensOf(OWNERS, context))
  }
  return { asked, discovery, look }
}
const namesOf = (found: TokensByOwner): unknown[] =>
  OWNERS.map((owner) => found.get(owner)).map((one) => one?.ok && one.value.tokens)

it('an index that is behind is asked once in a while, and not at all where a server finds tokens', async () => {
  const alone = stage(false, async (owner) => [`${owner}1`])
  expect(await alone.look()).toEqual([['0xa1'], ['0xb1']])
  expect(await alone.look()).toEqual([['0xa1'], ['0xb1']])
  expect(alone.asked).toEqual(OWNERS)
  expect(alone.discovery.isNear).toBe(false)

  const besides = stage(true, async (owner) => [`${owner}1`])
  expect(await besides.look()).toEqual([['0x1'], ['0x1']])
  expect(besides.asked).toEqual([])
})

it('an index that is behind and busy keeps nobody for long; what it says late is there for the next', async () => {
  const busy = gate()
  const late = stage(false, async (owner) => {
    if (owner === '0xa') await Promise.race([busy.opened, sleep(10_000, undefined, { ref: false })])
    return [`${owner}1`]
  })
  // Who waits for it has its tokens.
  expect(await late.look()).toEqual([[], ['0xb1']])
  busy.open()
  expect(await late.look()).toEqual([['0xa1'], ['0xb1']])
  expect(late.asked).toEqual(OWNERS)
})

it('an index that is behind and cannot be read takes no names away that it told while it was complete', async () => {
  let complete = true
  const indexedTokens = {
    isComplete: () => complete,
    // As when the database is away for longer than an index may be old.
    tokensOf: async () => (complete ? [chain.tokens.spam] : Promise.reject(new Error('no database'))),
  }
  const { source } = sourceOver(noDiscovery, { list: [], indexedTokens })
  const held = new Map([[chain.tokens.spam, 5_000n * 10n ** 18n]])
  expect(amounts((await read(source, [account(1)]))[0])).toEqual(held)
  complete = false
  expect(amounts((await read(source, [account(1)]))[0])).toEqual(held)
})

it('an index that was complete and cannot be read takes no names away either; who was told none is an error', async () => {
  let isAway = false
  const indexedTokens = {
    isComplete: () => true,
    // As in the minutes in which the index counts as complete though its database has gone.
    tokensOf: async () => (isAway ? Promise.reject(new Error('no database')) : [chain.tokens.spam]),
  }
  const { source } = sourceOver(noDiscovery, { list: [], indexedTokens })
  const held = new Map([[chain.tokens.spam, 5_000n * 10n ** 18n]])
  expect(amounts((await read(source, [account(1)]))[0])).toEqual(held)
  isAway = true
  expect(amounts((await read(source, [account(1)]))[0])).toEqual(held)
  expect(await read(source, [account(2)])).toEqual(['no database'])
})

it('an owner whose names an index that is behind could not tell may have more tokens, so that there is no total', async () => {
  const indexedTokens = { isComplete: () => false, tokensOf: async () => Promise.reject(new Error('no database')) }
  const { source } = sourceOver(noDiscovery, { list: [], indexedTokens })
  expect(await read(source, [account(1)])).toEqual([expect.objectContaining({ tokens: [], hasMore: true })])
})

it('a reader that leaves while an index is asked that is behind has no answer, which others would be given', async () => {
  const busy = gate()
  const leaving = new AbortController()
  const left = stage(false, () => busy.opened.then(() => [])).look(leaving.signal)
  leaving.abort()
  await expect(left).rejects.toThrow(CancelledError)
  busy.open()
})

it('an index that is behind and cannot be read is no error', async () => {
  const broken = stage(false, async () => Promise.reject(new Error('no database')))
  expect(await broken.look()).toEqual([[], []])
})

it('nor later, when what it told would be looked up again', async () => {
  let isAway = false
  const tokensOf = async () => (isAway ? Promise.reject(new Error('no database')) : ['0x1'])
  const discovery = createIndexedDiscovery({ isComplete: () => true, tokensOf }, NOBODY, evmLimits)
  const context = { signal: new AbortController().signal, deadline: Date.now() + 60_000 }
  const look = async () => namesOf(await discovery.tokensOf(OWNERS, context))
  expect(await look()).toEqual([['0x1'], ['0x1']])
  isAway = true
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + evmLimits.discoveryMs + 1_000)
  onTestFinished(() => clock.mockRestore())
  expect(await look()).toEqual([['0x1'], ['0x1']])
})

/** No server finds tokens. */
const NOBODY: OfferedDiscovery = {
  isNear: false,
  isOffered: false,
  firstLook: () => undefined,
  tokensOf: () => new Map(),
}

it('an owner of whom few tokens were looked up, among many owners of a stranger, has all of them by himself', async () => {
  const many = Array.from({ length: 30 }, (_, at) => `0x${at}`)
  const asked: [string, number][] = []
  const tokensOf = async (owner: string, most: number): Promise<readonly string[]> => {
    asked.push([owner, most])
    return owner === '0xa' ? many.slice(0, most) : []
  }
  const limits = { ...evmLimits, discoveredPerRead: 40 }
  const discovery = createIndexedDiscovery({ isComplete: () => false, tokensOf }, NOBODY, limits)
  const context = { signal: new AbortController().signal, deadline: Date.now() + 8_000 }
  const of = async (owners: readonly string[]) => (await discovery.tokensOf(owners, context)).get('0xa')
  const few = { ok: true, value: { tokens: many.slice(0, 4), more: true } }
  const all = { ok: true, value: { tokens: many, more: false } }
  const crowd = ['0xa', ...'bcdefghij']
  expect(await of(crowd)).toMatchObject(few)
  expect(await of(['0xa'])).toMatchObject(all)
  // And the crowd what is known by then.
  expect(await of(crowd)).toMatchObject(all)
  const most = () => asked.flatMap(([owner, most]) => (owner === '0xa' ? [most] : []))
  expect(most()).toEqual([5, 41])
})

it('who asks alone does not get the few tokens for which a crowd is being looked up, and the crowd none fewer later', async () => {
  const many = Array.from({ length: 30 }, (_, at) => `0x${at}`)
  const asked: number[] = []
  const { opened, open } = gate()
  const tokensOf = async (owner: string, most: number): Promise<readonly string[]> => {
    if (owner !== '0xa') return []
    asked.push(most)
    if (asked.length === 1) await opened
    return many.slice(0, most)
  }
  const limits = { ...evmLimits, discoveredPerRead: 40 }
  const discovery = createIndexedDiscovery({ isComplete: () => false, tokensOf }, NOBODY, limits)
  const context = { signal: new AbortController().signal, deadline: Date.now() + 8_000 }
  const of = async (owners: readonly string[]) => (await discovery.tokensOf(owners, context)).get('0xa')
  const crowd = of(['0xa', ...'bcdefghij'])
  const all = { ok: true, value: { tokens: many, more: false } }
  expect(await of(['0xa'])).toMatchObject(all)
  open()
  await crowd
  // The cache looks at the clock once a millisecond.
  await sleep(5)
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + evmLimits.discoveryMs + 1_000)
  onTestFinished(() => clock.mockRestore())
  expect(await of(['0xa', ...'bcdefghij'])).toMatchObject(all)
  expect(asked).toEqual([5, 41, 41])
})

it('an owner whose tokens a complete index told loses none because few were looked up for a crowd', async () => {
  const many = Array.from({ length: 30 }, (_, at) => `0x${at}`)
  let complete = true
  const tokensOf = async (_owner: string, most: number): Promise<readonly string[]> => {
    if (!complete) throw new Error('away')
    return many.slice(0, most)
  }
  const limits = { ...evmLimits, discoveredPerRead: 40 }
  const discovery = createIndexedDiscovery({ isComplete: () => complete, tokensOf }, NOBODY, limits)
  const context = { signal: new AbortController().signal, deadline: Date.now() + 8_000 }
  const of = async (owners: readonly string[]) => (await discovery.tokensOf(owners, context)).get('0xa')
  await of(['0xa'])
  expect(await of(['0xa', ...'bcdefghij'])).toMatchObject({ value: { more: true } })
  complete = false
  expect(await of(['0xa'])).toMatchObject({ ok: true, value: { tokens: many, more: false } })
})

// As many as are looked up for each of a crowd, or fewer.
it.each([2, 4])(
  'an owner who got more tokens than the %i known keeps those that were looked up for a crowd',
  async (known) => {
    const all = Array.from({ length: 30 }, (_, at) => `0x${at + 1}`)
    let held = all.slice(0, known)
    let [complete, isAway] = [true, false]
    const tokensOf = async (_owner: string, most: number): Promise<readonly string[]> => {
      if (isAway) throw new Error('away')
      return held.slice(0, most)
    }
    const limits = { ...evmLimits, discoveredPerRead: 40 }
    const discovery = createIndexedDiscovery({ isComplete: () => complete, tokensOf }, NOBODY, limits)
    const context = { signal: new AbortController().signal, deadline: Date.now() + 8_000 }
    const crowd = ['0xa', ...'bcdefghij']
    const of = async (owners: readonly string[]) => (await discovery.tokensOf(owners, context)).get('0xa')
    expect(await of(['0xa'])).toMatchObject({ value: { tokens: held, more: false } })
    held = all
    const shown = await of(crowd)
    expect(shown).toMatchObject({ value: { more: true } })
    isAway = true
    expect(await of(crowd)).toEqual(shown)
    complete = false
    expect(await of(crowd)).toEqual(shown)
  },
)

it('an index that is complete is told for whom it is asked', async () => {
  const askers: unknown[] = []
  const tokensOf = async (_owner: string, _most: number, asker: unknown): Promise<string[]> => {
    askers.push(asker)
    return []
  }
  const { source } = sourceOver(noDiscovery, { list: [], indexedTokens: { isComplete: () => true, tokensOf } })
  const { signal } = new AbortController()
  const clients = new Set(['a'])
  await source.readBalances([{ id: account(1) }], { signal, clients, deadline: Date.now() + 8_000 })
  expect(askers).toEqual([expect.objectContaining({ signal, clients })])
})
