import { afterEach, expect, it, vi } from 'vitest'
import { loadConfig } from '../../../src/config/index.ts'
import { createIndexedTokens } from '../../../src/wiring/indexed/indexed-tokens.ts'

const OWNER = `0x${'ab'.repeat(20)}`
const TOKEN = 'cd'.repeat(20)

/**
 * A private network whose C-chain id nobody configured; the store holds the one that its node said, and opens only at the
 * attempt that is given.
 */
function tokensOfPrivateNetwork(opensAt = 1, currentAtMs?: bigint, callers: unknown[] = []) {
  let attempts = 0
  const testnet = { name: 'Own', upstreams: [{ url: 'http://127.0.0.1:1' }] }
  const argv = ['--index-enabled', '--chains-catalogue=false', `--chains-avalanche-testnet=${JSON.stringify(testnet)}`]
  const loaded = loadConfig({ argv, env: {}, cwd: '/nowhere' })
  if (loaded.action !== 'run') throw new Error(loaded.text)
  const tip = { height: 1n, blockId: '00', time: 1n }
  return createIndexedTokens(loaded.config, {
    reader: {
      progress: async () => {
        attempts += 1
        if (attempts < opensAt) throw new Error('not open yet')
        const age = { tip, transactions: 0n, currentAtMs: currentAtMs ?? BigInt(Date.now()) }
        // The second one is stored from before, and followed no more.
        return ['testnet:C', 'eip155:999'].map((stream) => ({ stream, ...age }))
      },
      evm: {
        chainIds: async () =>
          new Map([
            ['testnet:C', 54_321n],
            ['eip155:999', 999n],
          ]),
        touchedTokens: async (chainId, _owner, _most, caller) => {
          callers.push(caller)
          return chainId === 43_113n ? [] : [TOKEN]
        },
      },
    },
  })
}

it('a C-chain is known by the id that its node said, and not by the one of the public network', async () => {
  const tokens = tokensOfPrivateNetwork()
  const own = tokens('54321')
  expect(await own?.isComplete()).toBe(true)
  expect(await own?.tokensOf(OWNER, 10)).toEqual([`0x${TOKEN}`])
  expect(tokens('43113')?.isComplete()).toBe(false)
  expect(tokens('999')?.isComplete()).toBe(false)
  expect(await tokens('999')?.tokensOf(OWNER, 10)).toEqual([])
})

it('chains that cannot be an indexed C-chain are not asked of the index, which may be away', () => {
  expect(tokensOfPrivateNetwork()('1')).toBeUndefined()
  const loaded = loadConfig({ argv: ['--index-enabled'], env: {}, cwd: '/nowhere' })
  if (loaded.action !== 'run') throw new Error(loaded.text)
  const never = async () => Promise.reject(new Error('not open'))
  const reader = { progress: never, evm: { chainIds: never, touchedTokens: never } }
  const tokens = createIndexedTokens(loaded.config, { reader })
  expect(['1', '999', '43114', '43113'].map((id) => tokens(id) !== undefined)).toEqual([false, false, true, true])
})

it('the first who asks waits until it is known how far the index is; nobody waits later', async () => {
  const own = tokensOfPrivateNetwork(3)('54321')
  expect(await own?.isComplete()).toBe(true)
  expect(own?.isComplete()).toBe(true)
})

it('a store that does not open keeps nobody for long', async () => {
  const own = tokensOfPrivateNetwork(Number.POSITIVE_INFINITY)('54321')
  expect(await own?.isComplete()).toBe(false)
  expect(own?.isComplete()).toBe(false)
})

afterEach(() => {
  vi.useRealTimers()
})

it('after an hour without readers the first one has its tokens, too: how far the index was is asked once more', async () => {
  const tokens = tokensOfPrivateNetwork()
  const own = tokens('54321')
  expect(await own?.isComplete()).toBe(true)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + 3_600_000)
  expect(await own?.isComplete()).toBe(true)
  expect(own?.isComplete()).toBe(true)
  vi.setSystemTime(Date.now() + 3_600_000)
  // Of a chain that nobody indexes nothing is waited for.
  expect(tokens('999')?.isComplete()).toBe(false)
})

it('an index that stands still is called old also by the first who asks', async () => {
  const own = tokensOfPrivateNetwork(1, BigInt(Date.now()))('54321')
  expect(await own?.isComplete()).toBe(true)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + 3_600_000)
  expect(await own?.isComplete()).toBe(false)
  expect(own?.isComplete()).toBe(false)
})

it('the index is asked in the turns of those who wait, and no longer than they do', async () => {
  const callers: unknown[] = []
  const own = tokensOfPrivateNetwork(1, undefined, callers)('54321')
  await own?.isComplete()
  const asker = { clients: new Set(['a']), signal: new AbortController().signal }
  await own?.tokensOf(OWNER, 10, asker)
  await own?.tokensOf(OWNER, 10)
  expect(callers).toEqual([asker, undefined])
})
