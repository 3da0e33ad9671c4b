import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { type Dispatcher, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerAll, evm, itemsOf, post, scriptedChain, startBalanceApi } from '../../support/balances/balance-api.ts'

const A = '0xabcdef0123456789abcdef0123456789abcdef01'
const WALLET = 'avax1yljhuvjkmtu0y5ls6kf4exsdd8gea9mp8jd32r'
const C = '8aDU0Kqh-5d23op-B-r-4YbQFRbsgF9a'
const P = 'Rr9hnPVPxuUvrdCul-vjEsU1zmqKqRDo'
const BTC = '000000000019d6689c085ae165831e93'
const SOL = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const TOKEN = 'token-of-the-app'

let url: string
let app: FastifyInstance
beforeAll(async () => {
  const chains = [
    scriptedChain(
      'eip155:1',
      'evm',
      answerAll(() => evm(1n)),
    ),
  ]
  const started = await startBalanceApi({ chains, appCheck: { mode: 'static', tokens: [TOKEN] } })
  url = started.url
  app = started.app
})
afterAll(() => app.close())

const send = (body: unknown, headers: Record<string, string> = {}) =>
  post(url, body, { headers: { 'x-firebase-appcheck': TOKEN, ...headers } })
const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const evmItem = (changes: object = {}) => ({ namespace: 'eip155', addresses: [A], references: ['1'], ...changes })

describe('bodies that break the rules', () => {
  const wrong: [string, unknown, (string | number)[]][] = [
    ['no object', [], []],
    ['no data', {}, ['data']],
    ['no item', { data: [] }, ['data']],
    ['six items', { data: many(6, evmItem()) }, ['data']],
    ['unknown namespace', { data: [evmItem({ namespace: 'hlcore' })] }, ['data', 0, 'namespace']],
    ['item is no object', { data: [null] }, ['data', 0]],
    ['51 addresses', { data: [evmItem({ addresses: many(51, A) })] }, ['data', 0, 'addresses']],
    ['21 references', { data: [evmItem({ references: many(21, '1') })] }, ['data', 0, 'references']],
    ['empty reference', { data: [evmItem({ references: [''] })] }, ['data', 0, 'references', 0]],
    ['a reference without end', { data: [evmItem({ references: ['9'.repeat(129)] })] }, ['data', 0, 'references', 0]],
    ['no references', { data: [{ namespace: 'eip155', addresses: [A] }] }, ['data', 0, 'references']],
    ['number as reference', { data: [evmItem({ references: [1] })] }, ['data', 0, 'references', 0]],
    ['one text as references', { data: [evmItem({ references: '43114' })] }, ['data', 0, 'references']],
    ['short address', { data: [evmItem({ addresses: ['0x12'] })] }, ['data', 0, 'addresses', 0]],
    ['second item', { data: [evmItem(), evmItem({ addresses: [A, 'x'] })] }, ['data', 1, 'addresses', 1]],
    ['upper-case currency', { data: [evmItem()], currency: 'USD' }, ['currency']],
    ['unknown currency', { data: [evmItem()], currency: 'jpy' }, ['currency']],
    ['flag as text', { data: [evmItem()], showUntrustedTokens: 'true' }, ['showUntrustedTokens']],
    [
      'taproot',
      { data: [{ namespace: 'bip122', references: [BTC], addresses: [`bc1p${'q'.repeat(58)}`] }] },
      ['data', 0, 'addresses', 0],
    ],
    [
      'unknown bitcoin chain',
      { data: [{ namespace: 'bip122', references: ['1'], addresses: ['1BoatSLRHtKNngkdXEeobR76b53LETtpyT'] }] },
      ['data', 0, 'references', 0],
    ],
    [
      '0 in a solana address',
      { data: [{ namespace: 'solana', references: [SOL], addresses: ['0'.repeat(32)] }] },
      ['data', 0, 'addresses', 0],
    ],
    [
      'prefixed wallet address',
      { data: [{ namespace: 'avax', references: [P], addressDetails: [{ id: 'a', addresses: [`P-${WALLET}`] }] }] },
      ['data', 0, 'addressDetails', 0, 'addresses', 0],
    ],
    [
      'custom hrp',
      {
        data: [
          {
            namespace: 'avax',
            references: [P],
            addressDetails: [{ id: 'a', addresses: [`custom1${WALLET.slice(5)}`] }],
          },
        ],
      },
      ['data', 0, 'addressDetails', 0, 'addresses', 0],
    ],
    [
      'wallet without id',
      { data: [{ namespace: 'avax', references: [P], addressDetails: [{ addresses: [WALLET] }] }] },
      ['data', 0, 'addressDetails', 0, 'id'],
    ],
    [
      '1,001 addresses',
      { data: [{ namespace: 'avax', references: [P], addressDetails: [{ id: 'a', addresses: many(1001, WALLET) }] }] },
      ['data', 0, 'addressDetails', 0, 'addresses'],
    ],
    [
      '51 wallets',
      { data: [{ namespace: 'avax', references: [P], addressDetails: many(51, { id: 'a', addresses: [WALLET] }) }] },
      ['data', 0, 'addressDetails'],
    ],
    ['coreth without wallets', { data: [{ namespace: 'avax', references: [C] }] }, ['data', 0, 'addressDetails']],
    [
      'coreth mixed with P',
      { data: [{ namespace: 'avax', references: [C, P], addressDetails: [{ id: 'a', addresses: [WALLET] }] }] },
      ['data', 0, 'references', 1],
    ],
    [
      'short xpub',
      {
        data: [
          { namespace: 'avax', references: [P], extendedPublicKeyDetails: [{ id: 'a', extendedPublicKey: 'xpub123' }] },
        ],
      },
      ['data', 0, 'extendedPublicKeyDetails', 0, 'extendedPublicKey'],
    ],
    [
      'unknown avax reference',
      { data: [{ namespace: 'avax', references: ['devnet-p'], addressDetails: [] }] },
      ['data', 0, 'references', 0],
    ],
  ]

  it.each(wrong)('%s', async (_name, body, path) => {
    const response = await send(body)
    const answer = (await response.json()) as { issues: { path: unknown; message: string; code: string }[] }
    expect(response.status).toBe(400)
    expect(answer).toMatchObject({ message: 'INVALID_PAYLOAD', method: 'POST', url: '/v1/balance/get-balances' })
    expect(answer.issues).toHaveLength(1)
    expect(answer.issues[0]?.path).toEqual(path)
    expect(answer.issues[0]?.message).not.toBe('')
  })

  it('names what is allowed', async () => {
    const answer = (await (await send({ data: [evmItem({ namespace: 'x' })], currency: 'jpy' })).json()) as never
    expect(JSON.stringify(answer)).toContain('eip155, bip122, solana, avax')
    expect(JSON.stringify(answer)).toContain('usd, eur')
  })

  it('says in words what is empty', async () => {
    const text = await (await send({ data: [evmItem({ references: [''], addresses: [] })] })).text()
    expect(text).toContain('must not be empty')
    expect(text).toContain('must hold at least 1 item"')
  })

  it.each(['', '{', '{"data":', 'null', '[]', '"x"'])('JSON %j', async (text) => {
    const response = await send(text)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: 'INVALID_PAYLOAD' })
  })

  it.each([
    ['empty lists', '[],', 3_000_000],
    ['empty objects', '{},', 3_000_000],
    ['members', '{"a":1},', 1_000_000],
    ['members behind a space', '"a" :1,', 100_000],
    ['numbers', '1,', 5_000_000],
  ])('with millions of values are refused before they are read: %s', async (_name, value, count) => {
    const response = await send(`{"data":[${value.repeat(count)}null]}`)
    expect(response.status).toBe(400)
    const said = 'holds more values than any request needs'
    expect(await response.json()).toMatchObject({ issues: [{ code: 'invalid_size', path: [], message: said }] })
  })

  it('with faults in every item are told of the first twenty', async () => {
    const response = await send({ data: many(5, evmItem({ addresses: many(10, '0x') })) })
    expect(((await response.json()) as { issues: unknown[] }).issues).toHaveLength(20)
  })

  it('is not fooled by __proto__ members', async () => {
    const response = await send('{"__proto__":{"data":[]},"data":[]}')
    expect(response.status).toBe(400)
    expect(({} as Record<string, unknown>)['data']).toBeUndefined()
    expect(await response.text()).toContain('__proto__')
  })
})

describe('HTTP', () => {
  it('credential is judged before the body, and an empty header is a missing one', async () => {
    for (const header of [undefined, '', 'wrong', `Bearer ${TOKEN}`]) {
      const response = await post(
        url,
        '{broken',
        header === undefined ? {} : { headers: { 'x-firebase-appcheck': header } },
      )
      expect(response.status).toBe(401)
      expect(await response.json()).toEqual({ message: 'UNAUTHORIZED' })
    }
    const chains = await fetch(`${url}/v1/balance/get-supported-chains`)
    expect(chains.status).toBe(401)
  })

  it('is kept by no cache on the way, which would give one caller what another was told for his credential', async () => {
    for (const headers of [{}, { 'x-firebase-appcheck': TOKEN }]) {
      const chains = await fetch(`${url}/v1/balance/get-supported-chains`, { headers })
      const mistake = await post(url, '{broken', { headers })
      const kept = [chains, mistake].map((answer) => answer.headers.get('cache-control'))
      expect(kept).toEqual(['no-store', 'no-store'])
    }
  })

  it('lists the served chains', async () => {
    const response = await fetch(`${url}/v1/balance/get-supported-chains`, {
      headers: { 'x-firebase-appcheck': TOKEN },
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ caip2Ids: ['eip155:1'] })
  })

  it.each([
    ['/v1/balance/get-balances', 'POST, OPTIONS', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY']],
    ['/v1/balance/get-supported-chains', 'GET, HEAD, OPTIONS', ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY']],
    ['/v1/stake/get-rewards', 'POST, OPTIONS', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY']],
  ])('405 with allow on %s', async (path, allow, methods) => {
    for (const method of methods) {
      const { statusCode, headers, body } = await request(url + path, { method: method as Dispatcher.HttpMethod })
      expect([method, statusCode, headers['allow']]).toEqual([method, 405, allow])
      const text = await body.text()
      if (method !== 'HEAD') expect(JSON.parse(text)).toEqual({ message: 'METHOD_NOT_ALLOWED' })
    }
  })

  it('an unknown path is 404 whatever is sent there', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      const response = await fetch(`${url}/v1/balance/nothing`, {
        method: 'POST',
        body: '{',
        headers: { 'content-type': type },
      })
      expect([type, response.status, await response.json()]).toEqual([type, 404, { message: 'NOT_FOUND' }])
    }
  })

  it('a compressed body is refused as such, not as broken JSON', async () => {
    const body = gzipSync(JSON.stringify({ data: [evmItem()] }))
    const headers = { 'content-type': 'application/json', 'x-firebase-appcheck': TOKEN, 'content-encoding': 'gzip' }
    const response = await fetch(`${url}/v1/balance/get-balances`, { method: 'POST', body, headers })
    expect([response.status, await response.json()]).toEqual([415, { message: 'UNSUPPORTED_MEDIA_TYPE' }])
    expect(response.headers.get('accept-encoding')).toBe('identity')
    const plain = await send({ data: [evmItem()] }, { 'content-encoding': 'identity' })
    expect(plain.status).toBe(200)
  })

  it('404 and 415 in the shape of the API', async () => {
    const missing = await fetch(`${url}/v1/balance/nothing`)
    expect([missing.status, await missing.json()]).toEqual([404, { message: 'NOT_FOUND' }])
    const text = await send('hello', { 'content-type': 'text/plain' })
    expect([text.status, await text.json()]).toEqual([415, { message: 'UNSUPPORTED_MEDIA_TYPE' }])
  })

  it('takes the largest valid body and refuses a larger one with 413', async () => {
    const wallets = Array.from({ length: 50 }, (_, at) => ({ id: `wallet ${at}`, addresses: many(1000, WALLET) }))
    const item = { namespace: 'avax', references: [P], addressDetails: wallets }
    const text = JSON.stringify({ data: many(5, item) })
    expect(text.length).toBeGreaterThan(11_000_000)
    const response = await send(text)
    expect(response.status).toBe(200)
    const items = itemsOf(await response.text())
    expect(items).toHaveLength(50)
    expect(items[0]).toMatchObject({ networkType: 'pvm', error: `[getPvmBalances] unsupported chain id: avax:${P}` })
    // Long bodies are read in several turns: what is wrong with one is told as with any other.
    const filler = 'y'.repeat(300_000)
    for (const wrong of [`{"data":["${filler}"`, `{"data":[],"x":"${filler}"}`]) {
      const refused = await send(wrong)
      expect([refused.status, await refused.json()]).toMatchObject([400, { message: 'INVALID_PAYLOAD' }])
    }
    const tooLarge = await send(`{"data":[],"x":"${'y'.repeat(17_000_000)}"}`)
    expect(tooLarge.status).toBe(413)
    expect(await tooLarge.json()).toEqual({ message: 'PAYLOAD_TOO_LARGE' })
  })

  it('needs no Accept header and ignores Last-Event-ID', async () => {
    const response = await send({ data: [evmItem()] }, { 'last-event-id': '7', accept: '*/*' })
    expect(itemsOf(await response.text())).toHaveLength(1)
  })
})
