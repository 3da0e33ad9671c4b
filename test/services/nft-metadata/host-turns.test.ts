import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { UpstreamRateLimitedError } from '../../../src/errors.ts'
import { createHostTurns } from '../../../src/services/nft-metadata/host-turns.ts'
import { MetadataFailure } from '../../../src/services/nft-metadata/metadata-failure.ts'
import { retrySeconds } from '../../../src/services/nft-metadata/retry-plan.ts'
import { createSafeFetch } from '../../../src/upstream/index.ts'
import { gate } from '../../support/waiting/gate.ts'

const DAY_MS = 86_400_000

it('hosts that ask to be left alone for a day are no load for the others, however many names a contract makes up', async () => {
  let reads = 0
  const hosts = createHostTurns(4, () => {
    reads += 1
    return 1_000_000
  })
  const limited = async () => {
    throw new UpstreamRateLimitedError('status 429', DAY_MS)
  }
  const ask = (host: string) => hosts.run(host, async () => 'asked').catch(() => 'left alone')
  for (let name = 0; name < 10_001; name++) await hosts.run(`${name}.example`, limited).catch(() => undefined)
  reads = 0
  expect(await ask('other.example')).toBe('asked')
  expect(reads).toBeLessThan(5)
  // The one that said so longest ago is asked again, the rest is remembered.
  expect([await ask('0.example'), await ask('1.example'), await ask('10000.example')]).toEqual([
    'asked',
    'left alone',
    'left alone',
  ])
})

it('a host that asked to be left alone is asked again once its time is over', async () => {
  let ms = 1_000_000
  const hosts = createHostTurns(1, () => ms)
  const limited = async () => {
    throw new UpstreamRateLimitedError('status 429', 5_000)
  }
  await expect(hosts.run('a.example', limited)).rejects.toMatchObject({ retryAfterMs: 5_000 })
  ms += 4_000
  await expect(hosts.run('a.example', async () => 'asked')).rejects.toMatchObject({ retryAfterMs: 1_000 })
  ms += 1_000
  expect(await hosts.run('a.example', async () => 'asked')).toBe('asked')
})

it('a host is left alone for the longest time that it asked for, whichever of its answers came last', async () => {
  let ms = 1_000_000
  const hosts = createHostTurns(2, () => ms)
  const told = [gate(), gate()]
  const asked = [60_000, 1_000].map((wait, at) =>
    hosts.run('a.example', async () => {
      await told[at]?.opened
      throw new UpstreamRateLimitedError('status 429', wait)
    }),
  )
  for (const [at, one] of asked.entries()) {
    told[at]?.open()
    await expect(one).rejects.toThrow('429')
  }
  ms += 2_000
  await expect(hosts.run('a.example', async () => 'asked')).rejects.toMatchObject({ retryAfterMs: 58_000 })
})

it('a token is tried again after a day, however much longer its host asks to be left alone', () => {
  expect(retrySeconds(new MetadataFailure('THROTTLED_TOKEN_URI', 'status 429', 10 * DAY_MS), 0)).toBe(86_400)
})

it('what somebody waits for is asked of a host before all that nobody waits for', async () => {
  const hosts = createHostTurns(1)
  const held = gate()
  const done: string[] = []
  const ask = (name: string, first: boolean) => hosts.run('a.example', async () => void done.push(name), first)
  const running = hosts.run('a.example', () => held.opened)
  const all = [ask('one', false), ask('other', false), ask('awaited', true)]
  held.open()
  await Promise.all([running, ...all])
  expect(done).toEqual(['awaited', 'one', 'other'])
})

it('a host is not left alone for a day because a document of a stranger led from there to a host of his own that said so', async () => {
  const gateway = createServer((_request, response) => {
    response.writeHead(302, { location: `http://localhost:${(own.address() as AddressInfo).port}/1.json` }).end()
  }).listen(0, '127.0.0.1')
  const own = createServer((_request, response) => {
    response.writeHead(429, { 'retry-after': '86400' }).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void [gateway, own].map((server) => server.close()))
  await Promise.all([gateway, own].map((server) => once(server, 'listening')))
  const host = `127.0.0.1:${(gateway.address() as AddressInfo).port}`
  const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }]
  const fetch = createSafeFetch({ resolve, allowAddress: () => true })
  const hosts = createHostTurns(4)
  const limited = { retryAfterMs: DAY_MS }
  await expect(hosts.run(host, () => fetch(`http://${host}/ipfs/1`))).rejects.toMatchObject(limited)
  expect(await hosts.run(host, async () => 'asked')).toBe('asked')
  const elsewhere = `localhost:${(own.address() as AddressInfo).port}`
  await expect(hosts.run(elsewhere, async () => 'asked')).rejects.toThrow('rate limited')
})
