import fc from 'fast-check'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createComputeUnits, createMemoryUsage } from '../../../src/api/data/compute-units.ts'
import { dataApi } from '../../../src/api/data/index.ts'
import type { DataRoute } from '../../../src/api/data/route.ts'
import type { Config, Partially } from '../../../src/config/index.ts'
import { BadAnswerError, BadInputError } from '../../../src/errors.ts'
import { DATA_OPERATIONS, type DataOperation } from '../../../src/schemas/index.ts'
import { type IndexedServer, startIndexedServer } from '../../api/data/indexed-server.ts'
import { createStage } from '../../support/server/stage.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { type Answer, readAnswer, readDocument } from '../document.ts'
import { type Call, examples } from './requests.ts'

const document = readDocument('data')
const stage = createStage()
/** Each may call one operation only, so that every operation is left out of one of these plans. */
const KEYS = { probes: 'a-key-of-the-test', health: 'another-key-of-the-test' }
const PLENTY = { computeUnitsPerMinute: 1_000_000_000, computeUnitsPerDay: 1_000_000_000 }
let indexed: IndexedServer
const urls = { keyed: '', poor: '', broken: '', cut: '', failing: '', refusing: '' }
const doubles: FastifyInstance[] = []

/** The API over handlers that all fail alike: what no healthy server can be brought to. */
async function failingWith(error: () => Error): Promise<string> {
  const app = Fastify()
  doubles.push(app)
  const route = ({ id, method, path }: (typeof document.operations)[number]): DataRoute => ({
    method: method as 'GET',
    url: path.replace('{tokenId}:reindex', ':tokenId(^[^:/]+)::reindex').replaceAll(/\{(\w+)\}/g, ':$1'),
    operationId: id,
    tag: 'Test',
    summary: id,
    weight: 'free',
    response: {},
    handle: () => Promise.reject(error()),
  })
  const units = createComputeUnits({ plans: { default: PLENTY }, apiKeys: [], keyRequired: false }, createMemoryUsage())
  await app.register(dataApi, { pathPrefix: '', computeUnits: units, routes: document.operations.map(route) })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

beforeAll(async () => {
  indexed = await startIndexedServer()
  const serve = async (config: Partially<Config>) => (await stage.serve(config)).url
  const probes = { ...PLENTY, operations: ['live-check'] satisfies DataOperation[] }
  const health = { ...PLENTY, operations: ['data-health-check'] satisfies DataOperation[] }
  urls.keyed = await serve({
    // live-check needs no key; with one it is refused where the plan leaves it out.
    data: {
      keyRequired: true,
      plans: { default: health, probes, health },
      apiKeys: (['probes', 'health'] as const).map((plan) => ({ key: KEYS[plan], plan })),
    },
  })
  urls.poor = await serve({ data: { plans: { default: { computeUnitsPerMinute: 1, computeUnitsPerDay: 1 } } } })
  const dead = (await stage.deadUrl()).replace('http://', '')
  const evm = { name: 'C', testnet: true, upstreams: [{ url: indexed.nodeUrl }], blockTimeMs: 2_000 }
  urls.broken = await serve({
    store: { databaseUrl: `postgres://nobody@${dead}/none` },
    index: { enabled: true, streams: ['testnet:P', 'testnet:C', 'eip155:43113'] },
    chains: {
      evm: { 43113: { ...evm, native: { name: 'Avalanche', symbol: 'AVAX', decimals: 18 } } },
      avalanche: { testnet: { name: 'Recorded', upstreams: [{ url: indexed.nodeUrl }] } },
    },
  } as Partially<Config>)
  urls.cut = await failingWith(() => new BadAnswerError('no answer of this kind'))
  urls.refusing = await failingWith(() => new BadInputError('nothing of this kind'))
  urls.failing = await failingWith(() => new Error('a secret of the server'))
})
afterAll(async () => {
  await indexed?.stop()
  await stage.clear()
  await Promise.all(doubles.map((app) => app.close()))
})

const send = async (url: string, { path, method = 'GET', body }: Call, headers: Record<string, string> = {}) =>
  readAnswer(
    await fetch(url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
    }),
  )

/** What a client does that is told to come again: a busy machine may keep the database from everybody for ten seconds. */
const ask = (call: Call): Promise<Answer> =>
  eventually(async () => {
    const answer = await send(indexed.url, call)
    expect(answer.status, answer.body).not.toBe(503)
    return answer
  })

function check(id: string, answer: Answer): void {
  if (answer.status === 201) {
    expect([id, answer.body, answer.headers.get('content-type')]).toEqual(['reindexNft', '', null])
    return
  }
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  document.check(id, answer)
  if (answer.status >= 400) expect(JSON.parse(answer.body).statusCode).toBe(answer.status)
}

it('can be named in plans, one and all', () => {
  expect(document.operations.map(({ id }) => id).sort()).toEqual([...DATA_OPERATIONS].sort())
})

it('what the document shows as an example of a body can be sent as it is', async () => {
  const shown = document.operations.filter(({ bodySchema }) => bodySchema !== undefined)
  expect(shown).toHaveLength(2)
  for (const { id, bodyExample } of shown) {
    const { path = '' } = examples[id]?.found ?? {}
    const answer = await ask({ path, method: 'POST', body: JSON.stringify(bodyExample) })
    // Nobody was ever active with the key of the example.
    expect([id, answer.status]).toEqual([id, id.startsWith('getLastActivity') ? 404 : 200])
  }
})

describe.each(document.operations.map(({ id, statuses }) => [id, statuses] as const))('%s', (id, statuses) => {
  const { found, wrong, unknown } = examples[id] ?? { found: { path: '' }, unknown: { path: '' } }
  const ways: Record<number, () => Promise<Answer>> = {
    [id === 'reindexNft' ? 201 : 200]: () => ask(found),
    400: () => (wrong ? ask(wrong) : send(urls.refusing, found)),
    401: () => send(urls.keyed, found, id === 'live-check' ? { 'x-glacier-api-key': 'of nobody' } : {}),
    403: () => send(urls.keyed, found, { 'x-glacier-api-key': id === 'data-health-check' ? KEYS.probes : KEYS.health }),
    404: () => ask(unknown),
    429: async () => {
      const first = await send(urls.poor, found)
      return first.status === 429 ? first : send(urls.poor, found)
    },
    500: () => send(urls.failing, found),
    502: () => send(urls.cut, found),
    503: () => send(urls.broken, found),
  }

  it('declares exactly what can be had of it', () => expect(Object.keys(ways).map(Number)).toEqual(statuses))

  it.each(Object.keys(ways).map(Number))('answers %i as the document says', async (status) => {
    const answer = await ways[status]?.()
    if (!answer) throw new Error('not asked')
    expect(answer.status, answer.body).toBe(status)
    check(id, answer)
    expect(answer.body).not.toContain('secret')
    if (status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

/** Values that mean something, nearly mean something, or are rubbish. */
const VALUES = fc.oneof(
  fc.constantFrom(
    '1',
    '10',
    '100',
    '101',
    '1024',
    '0',
    '-1',
    '1.5',
    '1e3',
    '18446744073709551616',
    '',
    'true',
    'false',
  ),
  fc.constantFrom('asc', 'desc', 'amount', 'timestamp', 'failed', 'success', 'fuji', 'testnet', 'mainnet', 'p-chain'),
  fc.constantFrom('NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5', '0x50594eb8a249A1Fcbc44604d4c142DC413eC3385', '43113'),
  fc.string({ unit: 'binary', maxLength: 30 }),
)
const NAMES = fc.constantFrom(
  ...['pageSize', 'pageToken', 'network', 'status', 'addresses', 'blockTimestamp', 'minUtxoAmount', 'includeSpent'],
  ...['sortBy', 'sortOrder', 'assetId', 'startTimestamp', 'endTimestamp', 'rltoken', '__proto__'],
)

describe('whatever is asked', () => {
  it.each(document.operations.map((operation) => [operation.id, operation] as const))(
    '%s answers with what it declares, and never with a failure of its own',
    async (id, { method, path }) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(NAMES, VALUES), { maxLength: 5 }),
          fc.array(VALUES, { minLength: 4, maxLength: 4 }),
          fc.oneof(
            fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
            fc.string(),
          ),
          async (query, members, body) => {
            const named = path.replaceAll(/\{\w+\}/g, () =>
              encodeURIComponent(members.pop() || '1').replaceAll('.', '%2E'),
            )
            const known = fc.sample(fc.boolean(), 1)[0] ? (examples[id]?.found.path.split('?')[0] ?? named) : named
            const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
            const answer = await ask({
              path: `${known}?${search}`,
              method,
              ...(method === 'POST' && id !== 'reindexNft' ? { body } : {}),
            })
            expect(answer.status, answer.body).toBeLessThan(500)
            check(id, answer)
          },
        ),
        { numRuns: 25 },
      )
    },
  )
})
