import { expect } from 'vitest'
import type { EvmBalances, Outcome, ReadContext } from '../../../src/chains/capabilities.ts'
import { UpstreamUnavailableError } from '../../../src/errors.ts'
import { createAccountReader } from '../../../src/services/balances/account-reader.ts'
import type { Account, BalanceChain, ChainQuery } from '../../../src/services/balances/types.ts'

export const MAX_STALE_MS = 60_000
export const CACHE_MS = 200
export const CACHE_ENTRIES = 100
export const id = `0x${'ab'.repeat(20)}`
export const queryOf = (...ids: string[]): ChainQuery => ({
  caip2Id: 'eip155:1',
  networkType: 'evm',
  accounts: ids.map((one) => ({ id: one })),
})

export type Answer = Outcome<EvmBalances>
export const holding = (native: bigint): Answer => ({ ok: true, value: { native, tokens: [] } })
export const down: Answer = { ok: false, error: new UpstreamUnavailableError('nobody answers') }

/** A reader of one account, whose clock and chain the test moves; with `wall`, the clock is the machine's. */
export function stage({ wall = false } = {}) {
  const world = {
    now: 1_000_000,
    reads: 0,
    isFull: false,
    resets: 0,
    /** Accounts that fail where the read does not. */
    failing: [] as string[],
    clients: undefined as ReadContext['clients'],
    next: (): Answer | Promise<Answer> => holding(7n),
  }
  const chain: BalanceChain = {
    cacheMs: CACHE_MS,
    source: {
      caip2Id: 'eip155:1',
      networkType: 'evm',
      native: { name: 'Ether', symbol: 'ETH', decimals: 18, internalId: 'NATIVE-eth' },
      readBalances: async (accounts: readonly Account[], { clients }: Pick<ReadContext, 'clients'>) => {
        world.reads += 1
        world.clients = clients
        const answer = await world.next()
        return new Map(accounts.map((account) => [account.id, world.failing.includes(account.id) ? down : answer]))
      },
    },
  }
  const reader = createAccountReader({
    deadlineMs: 5_000,
    maxStaleMs: MAX_STALE_MS,
    cacheEntries: CACHE_ENTRIES,
    isFull: () => world.isFull,
    resets: () => world.resets,
    ...(wall ? {} : { now: () => world.now }),
  })
  const read = async (signal = new AbortController().signal, account = id): Promise<bigint | string> => {
    const [outcome] = await reader.read(chain, queryOf(account), signal)
    if (!outcome) throw new Error('no outcome')
    return outcome.ok ? (outcome.balances as EvmBalances).native : outcome.error.message
  }
  const fresh = () => reader.fresh(chain, queryOf(id))
  return { world, chain, read, reader, fresh, isFresh: () => fresh() !== undefined }
}

/** A read that its only reader leaves before it ends; returns what ends it all the same. */
export async function leave({ world, read }: Pick<ReturnType<typeof stage>, 'world' | 'read'>) {
  let end: (answer: Answer) => void = () => {}
  world.next = () =>
    new Promise((resolve) => {
      end = resolve
    })
  const leaving = new AbortController()
  const left = read(leaving.signal)
  await new Promise(setImmediate)
  leaving.abort()
  await expect(left).rejects.toThrow()
  return end
}
