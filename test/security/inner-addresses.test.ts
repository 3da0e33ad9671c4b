import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConfig } from '../../src/config/index.ts'
import { BadInputError, UpstreamUnavailableError } from '../../src/errors.ts'
import type { DueNft, FetchedMetadata } from '../../src/store/index.ts'
import { createSafeFetch, createUpstreamPool, DEFAULT_LIMITS, isPublicWebPlace } from '../../src/upstream/index.ts'
import { createServerNftMetadata } from '../../src/wiring/indexed/nft-metadata.ts'
import { abiString } from '../services/nft-metadata/due-token.ts'
import { createStage } from '../support/server/stage.ts'
import { until } from '../support/waiting/until.ts'
import { INNER_PLACES } from './inner-places.ts'

const stage = createStage()
afterAll(() => stage.clear())

/** What strangers are after: listens on every address of this machine and counts who comes. */
let inner: Server
let port: string
let connections = 0

beforeAll(async () => {
  inner = createServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0)
  await new Promise((resolve) => inner.once('listening', resolve))
  port = String((inner.address() as AddressInfo).port)
})
afterAll(() => void inner.close())

/** The worker as the server wires it, over a chain whose contract names one URI for each token id from 0 on. */
async function metadataOf(uris: readonly string[], allowed: readonly string[] = []): Promise<FetchedMetadata[]> {
  const chain = await stage.upstream({
    answer: ({ params }) => {
      const [call] = params as [{ data?: string; input?: string }]
      return abiString(uris[Number(BigInt(`0x${(call.data ?? call.input ?? '').slice(-64)}`))] ?? '')
    },
  })
  const logger = pino({ level: 'silent' })
  const limits = { ...DEFAULT_LIMITS, requestsPerSecond: 100_000 }
  const pool = createUpstreamPool('eip155:1', [{ url: chain.url }], limits, {})
  const due = uris.map((_uri, index): DueNft => {
    return {
      chainId: 1n,
      contract: index.toString(16).padStart(40, '1'),
      tokenId: BigInt(index),
      standard: 'ERC-721',
      attempts: 0,
      asked: false,
      stream: 1,
      lease: 0n,
    }
  })
  const results = new Map<bigint, FetchedMetadata>()
  const records = {
    giveBack: async (token: DueNft) => void due.push(token),
    takeDue: async (limit: number) => due.splice(0, limit),
    store: async ({ tokenId }: DueNft, result: FetchedMetadata) => void results.set(tokenId, result),
  }
  const config = createConfig({
    data: { nftMetadata: { allowedAddresses: [...allowed] } },
    chains: { catalogue: false },
  })
  const worker = createServerNftMetadata(config, {
    chains: { networks: {}, pools: [pool] },
    store: { nftMetadata: records as never, reader: { evm: { chainIds: async () => new Map() } } as never },
    logger,
  })
  worker.start()
  await until(() => results.size === uris.length, 'all tokens are done')
  await worker.stop()
  await pool.close()
  return uris.map((_uri, index) => results.get(BigInt(index)) as FetchedMetadata)
}

/** That nobody answers there is no refusal: it was asked. */
const REFUSED = ['INVALID_TOKEN_URI', 'INVALID_TOKEN_URI_SCHEME']
const urlOf = ([, url]: readonly [string, string]): string => url.replaceAll('PORT', port)

describe('a token URI that names an inner place', () => {
  it('is not followed, however it is written', async () => {
    const urls = INNER_PLACES.map(urlOf)
    const found = await metadataOf(urls)
    const followed = urls.filter((_url, index) => !REFUSED.includes(found[index]?.status ?? ''))
    expect(followed).toEqual([])
    expect(connections).toBe(0)
  })

  it('is not followed when a public host sends there, at once or in two steps', async () => {
    const urls = INNER_PLACES.map(urlOf).filter((url) => /^\w+:\/\//.test(url) && !/[\n\t\u0100-\uffff]/.test(url))
    const statuses = [301, 302, 303, 307, 308]
    const host = await stage.upstream({
      handle: ({ url = '' }) => {
        const [, step, index = ''] = /^\/(\d)\/(\d+)$/.exec(url) ?? []
        const location = step === '2' ? `/1/${index}` : (urls[Number(index)] ?? '')
        return { status: statuses[Number(index) % statuses.length] ?? 302, headers: { location }, body: '{"name":"x"}' }
      },
    })
    const places = urls.flatMap((_url, index) => [`${host.url}/1/${index}`, `${host.url}/2/${index}`])
    const found = await metadataOf(places, [host.host])
    expect(places.filter((_place, index) => !REFUSED.includes(found[index]?.status ?? ''))).toEqual([])
    // Both ways came as far as the last public hop, so each was refused at its very last one.
    expect(host.stats.requests).toBe(urls.length * 3)
    expect(connections).toBe(0)
  })

  it('is not followed out of a document: images and links are kept as text', async () => {
    const place = `http://127.0.0.1:${port}/`
    const host = await stage.upstream({
      handle: () => ({
        headers: { 'content-type': 'application/json', refresh: `0; url=${place}`, link: `<${place}>; rel=preload` },
        body: JSON.stringify({ name: 'x', image: place, animation_url: place, external_url: place, $ref: place }),
      }),
    })
    const [found] = await metadataOf([`${host.url}/1`], [host.host])
    expect(found).toMatchObject({ status: 'INDEXED', name: 'x', imageUri: place })
    expect(connections).toBe(0)
  })

  it('opens one port of a private address when the operator names it, and no other', async () => {
    const host = await stage.upstream({
      handle: () => ({ headers: { 'content-type': 'application/json' }, body: '{"name":"own gateway"}' }),
    })
    const [own, other] = await metadataOf([`${host.url}/1`, `http://127.0.0.1:${port}/`], [host.host])
    expect(own).toMatchObject({ status: 'INDEXED', name: 'own gateway' })
    expect(other).toMatchObject({ status: 'INVALID_TOKEN_URI' })
    expect(connections).toBe(0)
  })

  it.each(['[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]'])(
    'opens %s when the operator names it, with its port only',
    async (host) => {
      const named = await metadataOf(['http://[::1]:2222/', 'http://[::1]:3333/'], [`${host}:2222`])
      // Nobody answers there: it was asked all the same.
      expect(named.map(({ status }) => REFUSED.includes(status))).toEqual([false, true])
    },
  )
})

describe('a name that resolves to an inner address', () => {
  const addressesOf = (text: string) => [{ address: text, family: text.includes(':') ? (6 as const) : (4 as const) }]

  it.each([
    '127.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fd00::1',
    'fe80::1',
    'fe80::1%eth0',
    'localhost',
    '0x7f000001',
    '127.1',
    '',
  ])('%s is not connected to, alone, first, last or behind a redirect', async (address) => {
    const host = await stage.upstream({
      handle: () => ({ status: 302, headers: { location: `http://second.example:${port}/` }, body: '' }),
    })
    const bad = addressesOf(address)
    const good = addressesOf('8.8.8.8')
    const allowAddress = (text: string, at: number): boolean =>
      isPublicWebPlace(text, at) || (text === '127.0.0.1' && `127.0.0.1:${at}` === host.host)
    for (const answer of [bad, [...good, ...bad], [...bad, ...good], [...good, ...good, ...bad]]) {
      const fetch = createSafeFetch({ resolve: async () => answer })
      await expect(fetch(`http://name.example:${port}/`)).rejects.toBeInstanceOf(BadInputError)
      const resolve = async (name: string) => (name === 'first.example' ? addressesOf('127.0.0.1') : answer)
      const redirected = createSafeFetch({ resolve, allowAddress })
      await expect(redirected(`http://first.example:${host.host.split(':')[1]}/`)).rejects.toBeInstanceOf(BadInputError)
    }
    expect(connections).toBe(0)
  })

  it('without any address is not connected to', async () => {
    const fetch = createSafeFetch({ resolve: async () => [] })
    await expect(fetch(`http://name.example:${port}/`)).rejects.toBeInstanceOf(UpstreamUnavailableError)
  })

  it('only at its second asking is asked once for each hop', async () => {
    const asked: string[] = []
    const host = await stage.upstream({
      handle: ({ url, headers }) =>
        url === '/1'
          ? { status: 302, headers: { location: '/2' }, body: '' }
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(headers.host) },
    })
    const at = host.host.split(':')[1] ?? ''
    const resolve = async (name: string) => {
      asked.push(name)
      return addressesOf(asked.length === 1 ? '127.0.0.1' : '127.0.0.2')
    }
    const fetch = createSafeFetch({ resolve, allowAddress: (address) => address === '127.0.0.1' })
    await expect(fetch(`http://rebinding.example:${at}/1`)).rejects.toBeInstanceOf(BadInputError)
    expect(asked).toEqual(['rebinding.example', 'rebinding.example'])
    expect(host.stats.requests).toBe(1)
  })
})

describe('the rule for ports', () => {
  it('is that of the server too, where private addresses may be named', () => {
    expect([80, 443, 1_024, 8_080, 65_535].every((open) => isPublicWebPlace('8.8.8.8', open))).toBe(true)
    expect([0, 1, 22, 25, 53, 79, 81, 442, 444, 1_023].some((closed) => isPublicWebPlace('8.8.8.8', closed))).toBe(
      false,
    )
    expect(isPublicWebPlace('127.0.0.1', 80)).toBe(false)
  })
})
