import { describe, expect, it, onTestFinished } from 'vitest'
import { createNodePools } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { ruleOf } from '../../../../../src/api/node/methods/forwarded.ts'
import { type Endpoint, endpointByName } from '../../../../../src/api/node/routes/endpoint.ts'
import { createApp } from '../../../../../src/app.ts'
import { startRedis, whyNoRedis } from '../../../../support/programs/redis-server.ts'
import { TEST_LIMITS } from '../../../../support/upstream/upstream-pool.ts'
import {
  type Asked,
  type Front,
  gorillaCall,
  nodeAt,
  posted,
  postTo,
  type Reply,
  startFront,
} from '../../fake-nodes.ts'
import { testConfig } from '../../recorded-node.ts'
import { createForwarderAlone } from '../forwarder-alone.ts'

const TOTAL = 100
const LIMIT = 10
const ADDRESS = 'P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'

/** The same UTXOs at every node, in an order of its own, in pages as nodes give them. */
function page({ body }: Asked, order: (n: number) => number): Reply {
  const call = JSON.parse(body.toString()) as { params: { startIndex?: { utxo: string }; limit: number } }
  const params = [call.params].flat()[0] as typeof call.params
  const list = Array.from({ length: TOTAL }, (_, n) => `u${order(n)}`)
  const begin = params.startIndex === undefined ? 0 : list.indexOf(params.startIndex.utxo) + 1
  const utxos = list.slice(begin, begin + params.limit)
  const endIndex = { address: ADDRESS, utxo: utxos.at(-1) ?? '11111111111111111111111111111111LpoYY' }
  const result = { numFetched: String(utxos.length), utxos, endIndex, encoding: 'hex' }
  return { body: `${JSON.stringify({ jsonrpc: '2.0', result, id: 1 })}\n` }
}

const orders = [(n: number) => n, (n: number) => (n * 37) % TOTAL]

function startPaging(front: Front): void {
  for (const [index, node] of front.nodes.entries())
    node.answer = (asked) => (asked.method?.endsWith('.getUTXOs') ? page(asked, orders[index] as never) : undefined)
}

interface Page {
  status: number
  utxos: string[]
  endIndex: unknown
}

async function read(front: Front, [path, method]: readonly string[], startIndex?: unknown): Promise<Page> {
  const params = JSON.stringify({ addresses: [ADDRESS], limit: LIMIT, startIndex })
  const { status, text } = await front.post(path as string, gorillaCall(method as string, params))
  const { result } = JSON.parse(text) as { result?: Page }
  return { status, utxos: result?.utxos ?? [], endIndex: result?.endIndex }
}

const LISTS = [
  ['/ext/bc/P', 'platform.getUTXOs'],
  ['/ext/bc/X', 'avm.getUTXOs'],
  ['/ext/bc/C/avax', 'avax.getUTXOs'],
]

/** Reads pages of P as clients at different addresses. */
const reader = (front: Front) => async (client: string, limit: number, startIndex?: unknown) => {
  const [[path, method]] = LISTS as [[string, string]]
  const body = gorillaCall(method, JSON.stringify({ addresses: [ADDRESS], limit, startIndex }))
  const { text } = await front.post(path, body, { 'x-forwarded-for': client })
  return (JSON.parse(text) as { result: Page }).result.utxos
}

const missing = whyNoRedis()

/** The same nodes behind two processes that share what they know. */
async function startTwo(): Promise<[Front, Front]> {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  // A busy machine may take its time.
  const over = { redis: { url: redis.url, timeoutMs: 5_000 }, upstream: { hedgeMinMs: 0 } } as never
  const front = await startFront(2, over)
  const other = await createApp(
    testConfig(
      front.nodes.map(({ url }) => url),
      over,
    ),
  )
  const url = await other.listen()
  onTestFinished(() => other.close())
  return [front, { ...front, url, post: postTo(url) }]
}

describe('pages of UTXOs', () => {
  it.each(LISTS)('come from the node that gave the first one, whoever is preferred meanwhile: %s', async (...list) => {
    const front = await startFront(2)
    startPaging(front)
    const found: string[] = []
    let last = await read(front, list)
    found.push(...last.utxos)
    const [given] = front.nodes.filter(({ asked }) => asked.length > 0)
    // From here on the other node is the better one: this one fails everything but pages.
    const paged = given?.answer
    if (given)
      given.answer = (asked) => (asked.method?.endsWith('.getUTXOs') ? paged?.(asked) : { status: 503, body: '' })
    for (let n = 0; n < 20; n += 1) await front.post(list[0] as string, gorillaCall('platform.sampleValidators'))
    while (last.utxos.length === LIMIT) {
      await front.post(list[0] as string, gorillaCall('platform.sampleValidators'))
      last = await read(front, list, last.endIndex)
      found.push(...last.utxos)
    }
    expect(new Set(found).size).toBe(TOTAL)
    expect(found.length).toBe(TOTAL)
  })

  it.each(LISTS)('come from one of two nodes at one host, though the other is asked first: %s', async (...list) => {
    const [gateway] = (await startFront(1)).nodes
    const places = ['/one', '/two']
    let away = places[0]
    if (gateway)
      gateway.answer = (asked) => {
        const index = places.findIndex((place) => asked.path.startsWith(place))
        if (!asked.method?.endsWith('.getUTXOs')) return undefined
        return places[index] === away ? { status: 503, body: '' } : page(asked, orders[index] as never)
      }
    const app = await createApp(testConfig(places.map((place) => `${gateway?.url}${place}`)))
    const url = await app.listen()
    onTestFinished(() => app.close())
    const front = { url, post: postTo(url) } as Front
    let last = await read(front, list)
    const found = [...last.utxos]
    away = undefined
    while (last.utxos.length === LIMIT) {
      last = await read(front, list, last.endIndex)
      found.push(...last.utxos)
    }
    expect(found).toEqual(Array.from({ length: TOTAL }, (_, n) => `u${orders[1]?.(n)}`))
  })

  it('do not change their node because a page of a stranger ended at the same place of another one', async () => {
    const front = await startFront(2, { http: { trustProxy: true } } as never)
    startPaging(front)
    const [[, method]] = LISTS as [string[]]
    const askAs = reader(front)
    const first = await askAs('192.0.2.1', LIMIT)
    const given = front.nodes.findIndex(({ asked }) => asked.some((one) => one.method === method))
    const own = Array.from({ length: TOTAL }, (_, n) => `u${orders[given]?.(n)}`)
    const others = Array.from({ length: TOTAL }, (_, n) => `u${orders[1 - given]?.(n)}`)
    const utxo = own[LIMIT - 1] as string
    // The stranger reads of the other node, as the first one is away for a moment, up to the same UTXO.
    const [node] = front.nodes.slice(given)
    const paged = node?.answer
    if (node) node.answer = () => ({ status: 503, body: '' })
    expect(await askAs('192.0.2.2', others.indexOf(utxo) + 1)).toEqual(others.slice(0, others.indexOf(utxo) + 1))
    if (node) node.answer = paged as never
    const next = await askAs('192.0.2.1', LIMIT, { address: ADDRESS, utxo })
    expect([first, next]).toEqual([own.slice(0, LIMIT), own.slice(LIMIT, 2 * LIMIT)])
    // Who comes from elsewhere than before goes on at the node of the last page that ended there.
    expect(await askAs('192.0.2.3', 1, { address: ADDRESS, utxo })).toEqual([others[others.indexOf(utxo) + 1]])
  })

  it('are no answer when that node has gone: another one goes on somewhere else', async () => {
    const front = await startFront(2)
    startPaging(front)
    const first = await read(front, LISTS[0] as string[])
    const [given] = front.nodes.filter(({ asked }) => asked.length > 0)
    if (given) given.answer = () => 'cut'
    const next = await read(front, LISTS[0] as string[], first.endIndex)
    expect(next).toMatchObject({ status: 502, utxos: [] })
    // From its start the list is read at the other one.
    const found: string[] = []
    let last = await read(front, LISTS[0] as string[])
    found.push(...last.utxos)
    while (last.utxos.length === LIMIT) {
      last = await read(front, LISTS[0] as string[], last.endIndex)
      found.push(...last.utxos)
    }
    expect(new Set(found).size).toBe(TOTAL)
  })

  it('behind a place that no page of here ended at are forwarded to any node', async () => {
    const front = await startFront(2)
    startPaging(front)
    const next = await read(front, LISTS[0] as string[], { address: ADDRESS, utxo: 'u5' })
    expect(next.utxos.length).toBe(LIMIT)
    expect(nodeAt(front, 0).asked.length + nodeAt(front, 1).asked.length).toBe(1)
  })

  it('are read with their place as a node reads it, and belong to the list in which they ended', async () => {
    const front = await startFront(2)
    startPaging(front)
    const place = (utxo: string) => `{"address":"${ADDRESS}","utxo":"${utxo}"}`
    const first = await read(front, LISTS[0] as string[])
    const end = place(first.utxos.at(-1) as string)
    const [given] = front.nodes.filter(({ asked }) => asked.length > 0)
    if (given) given.answer = () => 'cut'
    // In a list of params, in any letter case, the last one counts: the one who gave that page is gone.
    for (const params of [
      `[{"addresses":["${ADDRESS}"],"limit":10,"startIndex":${end}}]`,
      `{"addresses":["${ADDRESS}"],"limit":10,"startIndex":${place('u5')},"STARTindex":${end}}`,
    ])
      expect((await front.post('/ext/bc/P', gorillaCall('platform.getUTXOs', params))).status).toBe(502)
    // Neither is meant for it: the one that is left goes on.
    const before = `{"addresses":["${ADDRESS}"],"limit":10,"startIndex":${end},"STARTindex":${place('u5')}}`
    expect((await front.post('/ext/bc/P', gorillaCall('platform.getUTXOs', before))).status).toBe(200)
    expect((await read(front, LISTS[1] as string[], JSON.parse(end))).status).toBe(200)
  })

  it('behind a place are asked for each time: what others got there may be of another node', async () => {
    const front = await startFront(1, { node: { tipCacheMs: 600_000 } })
    startPaging(front)
    const times = async (startIndex?: unknown) => {
      nodeAt(front, 0).asked.length = 0
      for (let turn = 0; turn < 2; turn += 1) await read(front, LISTS[0] as string[], startIndex)
      return nodeAt(front, 0).asked.length
    }
    // Once the tip is known a first page is kept.
    await expect.poll(() => times()).toBe(0)
    expect(await times({ address: ADDRESS, utxo: 'u9' })).toBe(2)
  })

  it('of several nodes are not kept for others, who would go on where a stranger did', async () => {
    const front = await startFront(2, { node: { tipCacheMs: 600_000 }, http: { trustProxy: true } } as never)
    startPaging(front)
    const [path, method] = LISTS[0] as [string, string]
    const askAs = reader(front)
    const pages = () => front.nodes.flatMap(({ asked }) => asked.filter((one) => one.method === method)).length
    // Once the tip is known anything else about it is kept.
    const isKept = async (): Promise<boolean> => {
      const heights = () =>
        front.nodes.flatMap(({ asked }) => asked).filter((one) => one.method === 'platform.getSubnet')
      const before = heights().length
      await front.post(path, gorillaCall('platform.getSubnet'))
      return heights().length === before
    }
    await expect.poll(isKept).toBe(true)
    const before = pages()
    await askAs('192.0.2.1', LIMIT)
    await askAs('192.0.2.2', LIMIT)
    expect(pages() - before).toBe(2)
  })

  it.skipIf(missing)('come from that node also when another process is asked for the next one', async () => {
    const [front, other] = await startTwo()
    startPaging(front)
    const first = await read(front, LISTS[0] as string[])
    const [given] = front.nodes.filter(({ asked }) => asked.some(({ method }) => method === 'platform.getUTXOs'))
    // The other process has reasons to prefer the other node, and prefers it in all that is no page.
    const paged = given?.answer
    if (given)
      given.answer = (asked) => (asked.method?.endsWith('.getUTXOs') ? paged?.(asked) : { status: 503, body: '' })
    for (let n = 0; n < 20; n += 1) await other.post('/ext/bc/P', gorillaCall('platform.sampleValidators'))
    const found = [...first.utxos]
    let last = first
    for (let turn = 1; last.utxos.length === LIMIT; turn += 1) {
      last = await read(turn % 2 ? other : front, LISTS[0] as string[], last.endIndex)
      found.push(...last.utxos)
    }
    expect(new Set(found).size).toBe(TOTAL)
    expect(found.length).toBe(TOTAL)
  })

  it('go out when the other processes know who gave them, not before', async () => {
    const front = await startFront(1)
    startPaging(front)
    const pools = createNodePools({ nodes: [{ url: nodeAt(front, 0).url }], evm: {}, limits: TEST_LIMITS, deps: {} })
    onTestFinished(() => pools.close())
    const told: (() => void)[] = []
    const forwarder = createForwarderAlone({
      pools,
      sharedHosts: {
        get: async (keys) => keys.map(() => undefined),
        set: () => new Promise((resolve) => told.push(() => resolve())),
      },
    })
    const [, method] = LISTS[0] as [string, string]
    const params = JSON.stringify({ addresses: [ADDRESS], limit: LIMIT })
    let isOut = false
    const answer = forwarder
      .forward({
        endpoint: endpointByName('P') as Endpoint,
        rule: ruleOf(method),
        method,
        params: Buffer.from(params),
        id: Buffer.from('1'),
        http: posted(gorillaCall(method, params)),
        signal: new AbortController().signal,
      })
      .finally(() => {
        isOut = true
      })
    await expect.poll(() => told.length).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    expect(isOut).toBe(false)
    told[0]?.()
    expect((await answer).body.toString()).toContain('"u9"')
  })
})
