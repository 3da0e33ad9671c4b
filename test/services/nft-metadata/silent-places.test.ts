import { expect, it, onTestFinished, vi } from 'vitest'
import { UpstreamUnavailableError } from '../../../src/errors.ts'
import { createHostTurns } from '../../../src/services/nft-metadata/host-turns.ts'
import { fetchMetadata } from '../../../src/services/nft-metadata/metadata-fetch.ts'
import { PUBLIC_GATEWAYS } from '../../../src/services/nft-metadata/metadata-place.ts'
import { createSilentPlaces } from '../../../src/services/nft-metadata/silent-places.ts'
import { gate } from '../../support/waiting/gate.ts'
import { abiString, DUE } from './due-token.ts'

const DEAD = '22'.repeat(20)

/** Collections behind one gateway, on a clock that only answers move: one is found nowhere, which takes its time. */
function startGateway(tookMs = 10_000) {
  const clock = { ms: 1_000_000 }
  const asked: string[] = []
  const now = () => clock.ms
  const deps = {
    call: async (_chain: bigint, { to }: { to: string }) => abiString(`ipfs://${to.slice(2)}/1`),
    fetch: async (url: string) => {
      asked.push(url.includes(DEAD) ? 'dead' : 'other')
      if (!url.includes(DEAD)) return { body: Buffer.from('{"name":"a"}'), mediaType: 'application/json' }
      clock.ms += tookMs
      throw new UpstreamUnavailableError('no answer within 10 s')
    },
    hosts: createHostTurns(4, now),
    silent: createSilentPlaces(now),
    took: () => {},
    gateways: PUBLIC_GATEWAYS,
    maxBytes: 4_096,
    now: () => 1n,
  }
  const statusOf = async (token: { contract?: string; asked?: boolean; chainId?: bigint }) =>
    (await fetchMetadata({ ...DUE, ...token }, deps, new AbortController().signal)).status
  return { clock, asked, statusOf, hosts: deps.hosts }
}

it('a collection that is waited for in vain keeps nobody waiting: it is left alone for a minute, its gateway is not', async () => {
  const { clock, asked, statusOf } = startGateway()
  for (let turn = 0; turn < 40; turn++) expect(await statusOf({ contract: DEAD })).toBe('UNREACHABLE_TOKEN_URI')
  expect(asked).toEqual(Array(4).fill('dead'))
  expect(await statusOf({})).toBe('INDEXED')
  // Somebody waits for this one.
  await statusOf({ contract: DEAD, asked: true })
  expect(asked.slice(4)).toEqual(['other', 'dead'])
  clock.ms += 60_000
  for (let turn = 0; turn < 3; turn++) await statusOf({ contract: DEAD })
  expect(asked.slice(6)).toEqual(['dead'])
})

it('a collection that is left alone is not in the line of its host: its tokens would take the places of others there', async () => {
  const { statusOf, hosts } = startGateway()
  for (let turn = 0; turn < 4; turn++) await statusOf({ contract: DEAD })
  const held = gate()
  const others = Array.from({ length: 4 }, () => hosts.run('ipfs.io', () => held.opened))
  expect(await statusOf({ contract: DEAD })).toBe('UNREACHABLE_TOKEN_URI')
  held.open()
  await Promise.all(others)
})

it('a place that answers now and then is not left alone', async () => {
  let ms = 1_000_000
  const places = createSilentPlaces(() => ms)
  const inVain = async (): Promise<never> => {
    ms += 10_000
    throw new UpstreamUnavailableError('no answer within 10 s')
  }
  for (let turn = 0; turn < 3; turn++) await expect(places.ask('one', inVain)).rejects.toThrow('within 10 s')
  await places.ask('one', async () => 'answered')
  await expect(places.ask('one', inVain)).rejects.toThrow('within 10 s')
  expect(() => places.check('one')).not.toThrow()
})

it('what fails at once is asked on', async () => {
  const { asked, statusOf } = startGateway(100)
  for (let turn = 0; turn < 10; turn++) await statusOf({ contract: DEAD })
  expect(asked).toHaveLength(10)
})

it('the time in which other documents are fetched first is not that of a collection', async () => {
  const clock = { ms: 1_000_000 }
  const took: number[] = []
  let asked = 0
  const deps = {
    call: async () => abiString('ipfs://one/1'),
    fetch: async (_url: string, { onBegin }: { onBegin: () => void }) => {
      asked += 1
      clock.ms += 10_000
      vi.advanceTimersByTime(10_000)
      onBegin()
      throw new UpstreamUnavailableError('status 500')
    },
    hosts: createHostTurns(4, () => clock.ms),
    silent: createSilentPlaces(() => clock.ms),
    took: (_contract: string, ms: number) => void took.push(ms),
    gateways: PUBLIC_GATEWAYS,
    maxBytes: 4_096,
    now: () => 1n,
  }
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let turn = 0; turn < 8; turn++) await fetchMetadata(DUE, deps, new AbortController().signal)
  expect(asked).toBe(8)
  expect(took).toEqual(Array(8).fill(0))
})
