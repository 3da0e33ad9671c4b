import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAliases } from '../../../src/services/node-admin/index.ts'
import { gate } from '../../support/waiting/gate.ts'

const unreachable = async (): Promise<never> => {
  throw new Error('the store was asked')
}
const records = { all: unreachable, generation: unreachable, addEndpoint: unreachable, addChain: unreachable }
const quiet = { error: () => undefined, warn: () => undefined }

describe('aliases that no database keeps and no path has', () => {
  const added: string[] = []
  const aliases = createAliases({
    records,
    routes: { add: (_endpoint, alias) => void added.push(alias), has: () => false, remove: () => undefined },
    chains: {
      lookup: (alias) => alias,
      learn: unreachable,
      alias: (_chain, alias) => void added.push(alias),
      remove: () => undefined,
    },
    refreshMs: 0,
    logger: quiet,
  })

  it.each([
    ['as an alias', () => aliases.aliasEndpoint('bc/C', 'a\0')],
    ['as an endpoint', () => aliases.aliasEndpoint('bc/\0', 'b')],
    ['as an alias of a chain', () => aliases.aliasChain('C', '\0')],
  ])('are refused before anything is changed: %s', async (_where, work) => {
    await expect(work()).rejects.toThrow('alias contains a zero byte')
    expect(added).toEqual([])
  })
})

it('a chain is not given a name under which an endpoint is served, also not one from the store', async () => {
  const named: string[] = []
  const warned: unknown[] = []
  const aliases = createAliases({
    records: {
      generation: async () => 1n,
      all: async () => ({ generation: 1n, endpoints: [], chains: [{ alias: 'mine', chain: 'X' }] }),
      addEndpoint: async ({ endpoint }) => ({ added: true, endpoint }),
      addChain: async ({ chain }) => ({ added: true, chain }),
    },
    routes: { add: () => undefined, has: (alias) => alias === 'bc/mine', remove: () => undefined },
    chains: {
      lookup: (alias) => (['X', 'C'].includes(alias) ? alias : undefined),
      learn: unreachable,
      alias: (_chain, alias) => void named.push(alias),
      remove: () => undefined,
    },
    refreshMs: 0,
    logger: { ...quiet, warn: (...words: unknown[]) => void warned.push(words) },
  })
  await expect(aliases.aliasChain('X', 'mine')).rejects.toThrow(
    'route is either already aliased or already maps to a handle: /ext/bc/mine',
  )
  await aliases.restore()
  expect(warned).toHaveLength(1)
  await aliases.aliasChain('X', 'other')
  // What is wrong before is the chain table's to say: an unknown chain, a name that is taken.
  await aliases.aliasChain('X', 'C')
  expect(named).toEqual(['other', 'C'])
})

describe('looking for the aliases of other processes', () => {
  afterEach(() => void vi.useRealTimers())

  it('ends with close, also in the middle of a look', async () => {
    vi.useFakeTimers()
    const [asked, held] = [gate(), gate()]
    const generation = async (): Promise<bigint> => {
      asked.open()
      await held.opened
      return 0n
    }
    const aliases = createAliases({
      records: { ...records, generation, all: async () => ({ generation: 0n, endpoints: [], chains: [] }) },
      routes: { add: () => undefined, has: () => false, remove: () => undefined },
      chains: { lookup: (alias) => alias, learn: unreachable, alias: () => undefined, remove: () => undefined },
      refreshMs: 1_000,
      logger: quiet,
    })
    await aliases.restore()
    vi.advanceTimersByTime(1_000)
    await asked.opened
    aliases.close()
    held.open()
    await aliases.restore()
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('aliases of chains and of endpoints that look alike are both restored, and none that looks like the path without a token', async () => {
  const routes: string[] = []
  const named: string[] = []
  const aliases = createAliases({
    records: {
      ...records,
      all: async () => ({
        generation: 1n,
        endpoints: ['x', 'my/auth'].map((alias) => ({ alias, endpoint: 'bc/X' })),
        chains: ['/ext/x', 'auth'].map((alias) => ({ alias, chain: 'X' })),
      }),
    },
    routes: { add: (_endpoint, alias) => void routes.push(alias), has: () => false, remove: () => undefined },
    chains: {
      lookup: (alias) => (alias === 'X' ? 'X' : undefined),
      learn: unreachable,
      alias: (_chain, alias) => void named.push(alias),
      remove: () => undefined,
    },
    refreshMs: 0,
    logger: quiet,
  })
  await aliases.restore()
  expect([routes, named]).toEqual([['x'], ['/ext/x']])
})
