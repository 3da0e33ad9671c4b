import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { cleanPath } from '../../../src/api/node/http/target.ts'
import { createChainDirectory, type ListedChain } from '../../../src/api/node/routes/chain-directory.ts'
import { ownEndpoint } from '../../../src/api/node/routes/endpoint.ts'
import { createRouter } from '../../../src/api/node/routes/router.ts'
import { PRIMARY_NETWORK_ID } from '../../../src/facts/primary-network.ts'

const X = '2MKu1acJvZmquPwrDGA9n3ySwUfuyYhpuxNgfuQHABtywcqjoQ'
const C = '2VAWjEMo1KuAs7Y1jKpjXDTepd4VNhgV9d5W5LvzPfMRvpn6yQ'
const L1 = '2gUGdvfdCEscRcRiHyZ9voaUaBXmKUcWqqKcB3A78C3AS4kdJd'
const UNKNOWN = '2Z36RnQuk1hvsnFeGWzfZUfXNr7w1SjzmDQ78YxfTVNAkDq3nZ'

const LISTED: readonly ListedChain[] = [
  { id: L1, name: 'lab', subnetID: 'some' },
  { id: C, name: 'C-Chain', subnetID: PRIMARY_NETWORK_ID },
  { id: X, name: 'X-Chain', subnetID: PRIMARY_NETWORK_ID },
]

function stage(list: () => Promise<readonly ListedChain[]> = async () => LISTED, configured: readonly string[] = []) {
  const chains = createChainDirectory({ list, configured })
  const router = createRouter(chains, [ownEndpoint('admin', 'gorilla')])
  const name = async (path: string): Promise<string | undefined> => (await router.resolve(path))?.name
  const path = async (from: string): Promise<string | undefined> => (await router.resolve(from))?.path
  return { chains, router, name, path }
}

describe('routes', () => {
  it.each([
    ['/ext/info', 'info'],
    ['/ext/admin', 'admin'],
    ['/ext/health', 'health'],
    ['/ext/health/readiness', 'health/readiness'],
    ['/ext/index/X/vtx', 'index/X/vtx'],
    ['/ext/P', 'P'],
    ['/ext/platform', 'P'],
    ['/ext/bc/P', 'P'],
    ['/ext/bc/platform', 'P'],
    [`/ext/bc/${PRIMARY_NETWORK_ID}`, 'P'],
    ['/ext/bc/P/proposervm', 'P/proposervm'],
    ['/ext/X', 'X'],
    ['/ext/avm', 'X'],
    ['/ext/bc/avm/wallet', 'X/wallet'],
    [`/ext/bc/${X}`, 'X'],
    ['/ext/C/rpc', 'C/rpc'],
    ['/ext/evm/ws', 'C/ws'],
    ['/ext/bc/evm/avax', 'C/avax'],
    [`/ext/bc/${C}/rpc`, 'C/rpc'],
    [`/ext/bc/${C}/proposervm`, 'C/proposervm'],
    [`/ext/bc/${L1}/rpc`, 'L1/rpc'],
    [`/ext/bc/${L1}/ws`, 'L1/ws'],
    [`/ext/bc/${L1}/validators`, 'L1/validators'],
    [`/ext/bc/${L1}/proposervm`, 'L1/proposervm'],
    [`/ext/bc/${L1}/other/thing`, 'L1/other/thing'],
  ])('%s is %s', async (path, name) => {
    const { chains, name: nameOf } = stage()
    await chains.refresh()
    expect(await nameOf(path)).toBe(name)
  })

  it.each([
    '/ext',
    '/ext/',
    '/ext/bc',
    '/ext/bc/',
    '/ext/bc/C',
    '/ext/bc/C/',
    '/ext/bc/C/rpc/',
    '/ext/bc/c/rpc',
    '/ext/bc/C/RPC',
    '/ext/bc/C/admin',
    '/ext/bc/C/validators',
    `/ext/bc/${L1}/admin`,
    `/ext/bc/${UNKNOWN}/rpc`,
    `/ext/bc/${UNKNOWN.slice(0, -1)}Y/rpc`,
    `/ext/${L1}/rpc`,
    '/ext/bc/X/proposervm',
    '/ext/bc/P/rpc',
    '/ext/index/P/tx',
    '/ext/index/X',
    '/ext/info/',
    '/ext/health/',
    '/ext/vm/evm',
    '/ext/Info',
  ])('%s is nothing', async (path) => {
    const { name } = stage()
    expect(await name(path)).toBeUndefined()
  })

  it('looks for unknown chains on the network, but not more often than every few seconds', async () => {
    let asked = 0
    const { name, path } = stage(async () => {
      asked += 1
      return LISTED
    })
    expect(await name(`/ext/bc/${L1}/rpc`)).toBe('L1/rpc')
    expect(await path(`/ext/bc/${C}/rpc`)).toBe('/ext/bc/C/rpc')
    for (let turn = 0; turn < 5; turn += 1) expect(await name(`/ext/bc/${UNKNOWN}/rpc`)).toBeUndefined()
    expect(asked).toBe(1)
  })

  it('does not say that a chain does not exist when nobody could be asked, even if somebody could before', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const list = vi.fn(async () => LISTED)
    const { chains, name } = stage(list)
    await chains.refresh()
    list.mockRejectedValue(new Error('down'))
    vi.setSystemTime(Date.now() + 6_000)
    for (let turn = 0; turn < 2; turn += 1) expect(await name(`/ext/bc/${UNKNOWN}/rpc`)).toBe('L1/rpc')
  })

  it('waits five seconds for who does not say which chains there are, and takes what is said later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let say: (listed: typeof LISTED) => void = () => undefined
    const { name, path } = stage(() => new Promise((resolve) => (say = resolve)))
    const found = vi.fn()
    void name(`/ext/bc/${UNKNOWN}/rpc`).then(found)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(found.mock.calls).toEqual([['L1/rpc']])
    say(LISTED)
    expect(await path(`/ext/bc/${C}/rpc`)).toBe('/ext/bc/C/rpc')
  })

  it('serves chains that are only configured', async () => {
    const { name } = stage(async () => [], [L1])
    expect(await name(`/ext/bc/${L1}/rpc`)).toBe('L1/rpc')
  })
})

describe('aliases of routes', () => {
  it('cover everything below their base, also what comes later, and each other', async () => {
    const { router, name } = stage()
    router.aliases.add('bc/C', 'myC')
    router.aliases.add('myC', 'bc/my/own')
    router.aliases.add(`bc/${L1}`, 'later')
    expect(await name('/ext/myC/rpc')).toBe('C/rpc')
    expect(await name('/ext/myC/avax')).toBe('C/avax')
    expect(await name('/ext/bc/my/own/ws')).toBe('C/ws')
    expect(await name('/ext/myC')).toBeUndefined()
    expect(await name('/ext/myCC/rpc')).toBeUndefined()
    expect(await name('/ext/bc/C/rpc')).toBe('C/rpc')
    expect(await name('/ext/later/rpc')).toBe('L1/rpc')
  })

  it('stand for a whole path, too, and for no more than that', async () => {
    const { router, name } = stage()
    router.aliases.add('bc/C/rpc', 'short')
    expect(await name('/ext/short')).toBe('C/rpc')
    expect(await name('/ext/short/ws')).toBeUndefined()
    router.aliases.add('/ext/bc/C/rpc', '/ext/long')
    expect(await name('/ext/long')).toBeUndefined()
  })

  it('are refused in the words of a node', () => {
    const { router } = stage()
    router.aliases.add('bc/C', 'myC')
    expect(() => router.aliases.add('bc/P', 'myC')).toThrow(
      'route is either already aliased or already maps to a handle: /ext/myC',
    )
    expect(() => router.aliases.add('bc/X', 'bc/P')).toThrow('already maps to a handle: /ext/bc/P')
    expect(() => router.aliases.add('bc/P', 'platform')).toThrow('already maps to a handle: /ext/platform')
    // Routes are not reserved, only aliases; the refused one is from then on.
    const exists = 'failed to create endpoint as /ext/index/P/block already exists'
    expect(() => router.aliases.add('bc/P', 'index/P/block')).toThrow(exists)
    expect(() => router.aliases.add('nothing', 'index/P/block')).toThrow('already aliased')
    // C has nothing without an extension, so that its alias may be the beginning of something else.
    expect(() => router.aliases.add('bc/C', 'index/X')).not.toThrow()
    expect(() => router.aliases.add('nothing', 'somewhere')).not.toThrow()
  })

  it('take nothing away from what is there', async () => {
    const { router, name } = stage()
    router.aliases.add('bc/C', 'info')
    expect(await name('/ext/info')).toBe('info')
    expect(await name('/ext/info/rpc')).toBe('C/rpc')
    expect(() => router.aliases.add('bc/X', 'admin')).toThrow('failed to create endpoint as /ext/admin already exists')
    expect(await name('/ext/admin')).toBe('admin')
    expect(await name('/ext/admin/wallet')).toBe('X/wallet')
  })

  it('that lead to one path leave it to the older one', async () => {
    const { router, name } = stage()
    router.aliases.add('bc/C', 'mine')
    router.aliases.add('bc/C', 'mine/rpc')
    router.aliases.add('info', 'mine/avax')
    expect(await name('/ext/mine/rpc')).toBe('C/rpc')
    expect(await name('/ext/mine/rpc/rpc')).toBe('C/rpc')
    expect(await name('/ext/mine/avax')).toBe('C/avax')
    router.aliases.add('mine', 'ours')
    router.aliases.add('info', 'ours/rpc')
    expect(await name('/ext/ours/rpc')).toBe('C/rpc')
    router.aliases.add('bc/P', 'yours/rpc')
    router.aliases.add('bc/C', 'yours')
    expect(await name('/ext/yours/rpc')).toBe('P')
    expect(await name('/ext/yours/ws')).toBe('C/ws')
  })

  it('do not make a path of many parts cost more than it is long', async () => {
    const { router, name } = stage()
    router.aliases.add('bc/C', 'mine')
    const lookups = vi.spyOn(Map.prototype, 'get')
    expect(await name(`/ext/${'a/'.repeat(50_000)}b`)).toBeUndefined()
    expect(lookups.mock.calls.length).toBeLessThan(2_000)
    lookups.mockRestore()
  })

  it('are taken when a chain is called so', async () => {
    const { chains, router } = stage()
    await chains.refresh()
    chains.alias(L1, 'lab')
    expect(() => router.aliases.add('bc/P', 'bc/lab')).toThrow('already maps to a handle: /ext/bc/lab')
    expect(() => router.aliases.add('bc/P', `bc/${L1}`)).toThrow('failed to create endpoint')
  })

  it('in a circle end', async () => {
    const { router, name } = stage()
    router.aliases.add('b', 'a')
    router.aliases.add('a', 'b')
    expect(await name('/ext/a/rpc')).toBeUndefined()
  })

  it('of what is served leave it where it is, also for other aliases', async () => {
    const { router, name } = stage()
    expect(() => router.aliases.add('bc/P', 'info')).toThrow('already exists')
    router.aliases.add('bc/C', 'bc/C/rpc')
    router.aliases.add('info', 'about')
    router.aliases.add('bc/C', 'myC')
    expect(await name('/ext/about')).toBe('info')
    expect(await name('/ext/myC/rpc')).toBe('C/rpc')
  })
})

describe('aliases of chains', () => {
  it('are those of the node, then the id, then new ones', async () => {
    const { chains } = stage()
    await chains.refresh()
    chains.alias('C', 'lab')
    chains.alias(C, 'lab-2')
    expect(chains.aliases(C)).toEqual(['C', 'evm', C, 'lab', 'lab-2'])
    expect(chains.aliases(PRIMARY_NETWORK_ID)).toEqual(['P', 'platform', PRIMARY_NETWORK_ID])
    expect(chains.aliases(UNKNOWN)).toBeUndefined()
    expect(chains.lookup('lab')).toBe(C)
  })

  it('may hold slashes', async () => {
    const { chains, router, name } = stage()
    await chains.refresh()
    chains.alias(L1, 'my')
    chains.alias('C', 'my/chain')
    expect(await name('/ext/bc/my/chain/rpc')).toBe('C/rpc')
    expect(await name('/ext/bc/my/chain/avax')).toBe('C/avax')
    expect(await name('/ext/bc/my/chain/avax/')).toBeUndefined()
    expect(await name('/ext/bc/my/rpc')).toBe('L1/rpc')
    expect(await name('/ext/bc/my/other/thing')).toBe('L1/other/thing')
    expect(() => router.aliases.add('bc/P', 'bc/my/chain')).toThrow('already maps to a handle: /ext/bc/my/chain')
  })

  it('given before the id was known mean the id from then on', async () => {
    const { chains } = stage()
    chains.alias('C', 'early')
    await chains.refresh()
    expect(chains.lookup('early')).toBe(C)
    expect(chains.aliases(C)).toEqual(['C', 'evm', C, 'early'])
  })

  it('are refused in the words of a node', async () => {
    const { chains } = stage()
    await chains.refresh()
    expect(() => chains.alias('nope', 'x')).toThrow('there is no ID with alias: nope')
    expect(() => chains.alias('C', 'X')).toThrow('alias already mapped to an ID: X')
    expect(() => chains.alias('nope', 'X')).toThrow('there is no ID with alias: nope')
  })
})

describe('paths', () => {
  it('are cleaned once and for all, and found or not without failing', async () => {
    const { router } = stage()
    const part = fc.constantFrom('ext', 'bc', 'C', 'P', 'rpc', '', '.', '..', 'index', 'X', L1, '%2F', '__proto__', 'é')
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (segments) => {
        const path = `/${segments.join('/')}`
        const clean = cleanPath(path)
        expect(cleanPath(clean)).toBe(clean)
        expect(clean).not.toMatch(/\/\/|\/\.\.?(\/|$)/)
        const endpoint = await router.resolve(clean)
        if (endpoint) expect(endpoint.path.startsWith('/ext/')).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})
