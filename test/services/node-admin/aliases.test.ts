import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAliases } from '../../../src/services/node-admin/index.ts'
import { gate } from '../../support/gate.ts'

const unreachable = async (): Promise<never> => {
  throw new Error('the store was asked')
}
const records = { all: unreachable, generation: unreachable, addEndpoint: unreachable, addChain: unreachable }
const quiet = { error: () => undefined, warn: () => undefined }

describe('aliases that no database keeps and no path has', () => {
  const added: string[] = []
  const aliases = createAliases({
    records,
    routes: { add: (_endpoint, alias) => void added.push(alias) },
    chains: { lookup: (alias) => alias, alias: (_chain, alias) => void added.push(alias) },
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
      routes: { add: () => undefined },
      chains: { lookup: (alias) => alias, alias: () => undefined },
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
