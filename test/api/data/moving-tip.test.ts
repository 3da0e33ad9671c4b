import { Avalanche } from '@avalanche-sdk/chainkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { trueUtxos } from '../../support/recorded/true-utxos.ts'
import { until } from '../../support/waiting/until.ts'
import { C_CHAIN, type IndexedServer, startIndexedServer } from './indexed-server.ts'
import { everyAddress, placeOf } from './recorded-truth.ts'

/** A server below a path of its own, at an early point of the recorded network, which then goes on. */
let server: IndexedServer
const PREFIX = '/indexed/data'
/** Where the chains stood at one time: a chain that is behind the others brings old news later. */
const EARLY = { P: 278, X: 151, C: 630 }
const END = { P: 371, X: 212, C: 646 }
const NODE = 'NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5'
beforeAll(async () => {
  server = await startIndexedServer({ pathPrefix: PREFIX }, EARLY)
})
afterAll(() => server?.stop())

it('puts the prefix in front of every path, for SDKs too', async () => {
  expect((await fetch(`${server.url}/v1/live-check`)).status).toBe(404)
  expect((await fetch(`${server.url}${PREFIX}/v1/live-check`)).status).toBe(200)
  const missing = await server.get('/v1/nowhere')
  expect([missing.status, missing.body.statusCode]).toEqual([404, 404])
  const { paths, servers } = (await (await fetch(`${server.url}/api-json`)).json()) as {
    paths: Record<string, unknown>
    servers?: { url: string }[]
  }
  expect(await (await fetch(`${server.url}${PREFIX}/api-json`)).json()).toMatchObject({ servers: [{ url: PREFIX }] })
  const base = servers?.[0]?.url ?? ''
  for (const path of Object.keys(paths)) expect(`${base}${path}`).toContain(`${PREFIX}/v1/`)
  const { data } = new Avalanche({ chainId: C_CHAIN, network: 'fuji', enableTelemetry: false })
  const options = { serverURL: `${server.url}${PREFIX}`, retries: { strategy: 'none' as const } }
  expect(await data.liveCheck(options)).toMatchObject({ status: 'ok' })
  const block = await data.primaryNetwork.blocks.get({ blockchainId: 'p-chain', blockId: '5' }, options)
  expect(block.blockNumber).toBe('5')
})

it('no answer is kept on the way, and the page of the document works over plain http', async () => {
  for (const path of ['/v1/live-check', '/v1/blocks', '/v1/blocks?pageSize=0'])
    expect((await server.get(path)).headers.get('cache-control')).toBe('no-store')
  for (const place of ['/api/', '/docs/']) await checkPage(place)
})

async function checkPage(place: string): Promise<void> {
  const page = await fetch(`${server.url}${place}`)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'self'")
  expect(policy).not.toMatch(/upgrade-insecure-requests|https?:/)
  const sources = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source as string)
  expect(sources.length).toBeGreaterThan(3)
  for (const source of sources) expect((await fetch(new URL(source, page.url))).status, source).toBe(200)
}

type Item = Record<string, unknown>
interface List {
  path: string
  of: string
  key: string
}

const utxos = (letter: 'P' | 'X', order: string): List => ({
  path: `${placeOf(letter)}/utxos?pageSize=100&includeSpent=true&${order}`,
  of: 'utxos',
  key: 'utxoId',
})
const addresses = everyAddress(trueUtxos()).slice(0, 60).join(',')
/** The newest come first: whatever arrives later stands before the first page. */
const NEWEST_FIRST: List[] = [
  utxos('P', 'sortBy=timestamp'),
  utxos('X', 'sortBy=timestamp'),
  { path: `${placeOf('P')}/nodes/${NODE}/blocks?pageSize=10`, of: 'blocks', key: 'blockHash' },
]
/** News may stand anywhere; in the lists of all chains too, where the L1 is ahead of C. */
const OTHERS: List[] = [
  { path: '/v1/blocks?pageSize=100', of: 'blocks', key: 'blockHash' },
  { path: '/v1/transactions?pageSize=100', of: 'transactions', key: 'txHash' },
  utxos('P', 'sortBy=timestamp&sortOrder=asc'),
  utxos('X', 'sortBy=amount'),
  utxos('P', 'sortBy=amount&sortOrder=asc'),
]

async function page({ path, of, key }: List, token: string) {
  const query = `${path}&pageToken=${token}${of === 'utxos' ? `&addresses=${addresses}` : ''}`
  const { status, body } = await server.get(query)
  expect(status, JSON.stringify(body).slice(0, 200)).toBe(200)
  return { keys: (body[of] as Item[]).map((item) => String(item[key])), token: String(body.nextPageToken ?? '') }
}

async function from(list: List, token: string): Promise<string[]> {
  const found: string[] = []
  let next = token
  do {
    const { keys, token: following } = await page(list, next)
    found.push(...keys)
    next = following
  } while (next !== '')
  return found
}

it('pages go on where they were while new blocks arrive: nothing twice, nothing left out', async () => {
  const begun = await Promise.all(
    [...NEWEST_FIRST, ...OTHERS].map(async (list) => {
      const first = await page(list, '')
      expect(first.token, list.path).not.toBe('')
      return { list, first, before: await from(list, '') }
    }),
  )
  server.node.moveTo(END)
  for (const letter of ['P', 'X', 'C'] as const) {
    const path = `${placeOf(letter)}/blocks/${END[letter]}`
    await until(async () => (await server.get(path)).status === 200, path, 50)
  }
  for (const { list, first, before } of begun) {
    const found = [...first.keys, ...(await from(list, first.token))]
    expect(new Set(found).size, list.path).toBe(found.length)
    const known = new Set(before)
    expect(
      found.filter((key) => known.has(key)),
      list.path,
    ).toEqual(before)
    if (NEWEST_FIRST.includes(list)) expect(found, list.path).toEqual(before)
    expect((await from(list, '')).length, list.path).toBeGreaterThan(before.length)
  }
})
