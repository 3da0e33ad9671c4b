import { describe, expect, it, onTestFinished } from 'vitest'
import { createChainDirectory, type ListedChain } from '../../../../src/api/node/routes/chain-directory.ts'
import { createRouter } from '../../../../src/api/node/routes/router.ts'
import { createAliases } from '../../../../src/services/node-admin/index.ts'
import type { AliasRecords } from '../../../../src/store/index.ts'
import { openTestStore } from '../../../support/store/store.ts'
import { eventually } from '../../../support/waiting/eventually.ts'
import { id32 } from '../fake-nodes.ts'

/** What one process knows of aliases. */
function startProcess(records: AliasRecords, listed: readonly ListedChain[] = []) {
  const chains = createChainDirectory({
    list: async () => listed,
    configured: [],
    primaryIds: { X: id32(1), C: id32(2) },
  })
  const router = createRouter(chains, [])
  const quiet = { error: () => undefined, warn: () => undefined }
  const routes = router.aliases
  const learn = async () => void (await chains.refresh())
  const table = { lookup: chains.lookup, learn, alias: chains.alias, remove: chains.removeAlias }
  const aliases = createAliases({ records, routes, chains: table, refreshMs: 0, logger: quiet })
  const at = async (path: string): Promise<string | undefined> => (await router.resolve(path))?.name
  return { aliases, at, lookup: chains.lookup }
}

async function openRecords(): Promise<AliasRecords> {
  const store = openTestStore()
  onTestFinished(() => store.close())
  return store.aliases
}

describe('an alias that the store does not keep', () => {
  it('is not there, and the next try is as good as the first', async () => {
    const records = await openRecords()
    let isAway = true
    const fails = async (): Promise<never> => {
      throw new Error('the database is away')
    }
    const { aliases, at, lookup } = startProcess({
      ...records,
      addEndpoint: (entry) => (isAway ? fails() : records.addEndpoint(entry)),
      addChain: (entry) => (isAway ? fails() : records.addChain(entry)),
    })
    await expect(aliases.aliasEndpoint('bc/X', 'mine')).rejects.toThrow('away')
    await expect(aliases.aliasChain('C', 'coins')).rejects.toThrow('away')
    expect([await at('/ext/mine'), await at('/ext/bc/coins/rpc'), lookup('coins')]).toEqual(Array(3).fill(undefined))
    isAway = false
    // Also of something else: nothing is left of the first try.
    await aliases.aliasEndpoint('bc/P', 'mine')
    await aliases.aliasChain('C', 'coins')
    expect([await at('/ext/mine'), await at('/ext/bc/coins/rpc'), lookup('coins')]).toEqual(['P', 'C/rpc', id32(2)])
    expect(await records.all()).toMatchObject({
      endpoints: [{ alias: 'mine', endpoint: 'bc/P' }],
      chains: [{ alias: 'coins', chain: id32(2) }],
    })
  })

  it('since another process was first is taken, and is what that one made of it', async () => {
    const records = await openRecords()
    const [one, other] = [startProcess(records), startProcess(records)]
    for (const { aliases } of [one, other]) await aliases.restore()
    await one.aliases.aliasEndpoint('bc/X', 'mine')
    await one.aliases.aliasChain('X', 'coins')
    // Before this process hears of it.
    await expect(other.aliases.aliasEndpoint('bc/P', 'mine')).rejects.toThrow('already aliased')
    await expect(other.aliases.aliasChain('C', 'coins')).rejects.toThrow('alias already mapped to an ID: coins')
    await other.aliases.restore()
    for (const { at, lookup } of [one, other]) {
      expect(await at('/ext/mine')).toBe('X')
      expect(lookup('coins')).toBe(id32(1))
    }
  })

  it('twice in two processes, of the same, is made once', async () => {
    const records = await openRecords()
    const [one, other] = [startProcess(records), startProcess(records)]
    for (const { aliases } of [one, other]) {
      await aliases.aliasEndpoint('bc/X', 'mine')
      await aliases.aliasChain('X', 'coins')
    }
    expect(await other.at('/ext/mine')).toBe('X')
    await expect(one.aliases.aliasEndpoint('bc/X', 'mine')).rejects.toThrow('already aliased')
  })
})

it('an alias of a chain made since a process started is served by it, too: the nodes are asked which chains there are', async () => {
  const records = await openRecords()
  const lab = { id: id32(7), name: 'lab', subnetID: id32(8) }
  const [one, other] = [startProcess(records, [lab]), startProcess(records, [lab])]
  await one.aliases.aliasChain(lab.id, 'lab')
  await other.aliases.restore()
  await eventually(() => expect(other.lookup(lab.id)).toBe(lab.id))
  await other.aliases.restore()
  for (const { at } of [one, other]) expect(await at('/ext/bc/lab/rpc')).toBe('L1/rpc')
})
