import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { CorethBalances } from '../../../src/chains/capabilities.ts'
import {
  BadAnswerError,
  JsonRpcError,
  UpstreamRateLimitedError,
  UpstreamUnavailableError,
} from '../../../src/errors.ts'
import type { Balances } from '../../../src/services/balances/types.ts'
import { readLikeExtension, readLikePhone } from '../../contract/wallet-readers.ts'
import {
  answerAll,
  ask,
  type BalanceApiSetup,
  evm,
  itemsOf,
  post,
  type Read,
  scriptedChain,
  serveBalances,
} from '../../support/balances/balance-api.ts'

/** What a naive server gets wrong, by the numbers under which the field knows it: framing, credential, items. */

const A = '0xAbCdEf0123456789aBcDeF0123456789abcdef01'
const B = '0x1111111111111111111111111111111111111111'
const WALLET = 'avax1yljhuvjkmtu0y5ls6kf4exsdd8gea9mp8jd32r'
const P = 'Rr9hnPVPxuUvrdCul-vjEsU1zmqKqRDo'
const C = '8aDU0Kqh-5d23op-B-r-4YbQFRbsgF9a'
const FUJI_C = 'YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd'
const evmItem = (references: string[], addresses = [A]) => ({ namespace: 'eip155', addresses, references })
const coreth = (references: string[]) => ({
  namespace: 'avax',
  references,
  addressDetails: [{ id: 'w', addresses: [WALLET] }],
})

const start = async (setup: BalanceApiSetup): Promise<string> => (await serveBalances(setup)).url
const chain = (id: string, read: Read | Balances = evm(1n)) =>
  scriptedChain(`eip155:${id}`, 'evm', typeof read === 'function' ? read : answerAll(() => read))
const delayed =
  (ms: number, read: Read): Read =>
  async (...args) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return read(...args)
  }
const textOf = async (url: string, body: unknown, init?: RequestInit): Promise<string> => {
  const response = await post(url, body, init)
  expect(response.status).toBe(200)
  return response.text()
}

describe('does not make the mistake', () => {
  it('1: CR LF, or no blank line after the last event', async () => {
    const late = delayed(
      40,
      answerAll(() => evm(2n)),
    )
    const url = await start({ chains: [chain('1'), chain('2', late)] })
    for (const references of [['1'], ['1', '2'], ['2', '143']]) {
      const text = await textOf(url, { data: [evmItem(references)] })
      expect(text).not.toContain('\r')
      expect(text.split('\n\n')).toHaveLength(references.length + 1)
      expect(text.endsWith('}\n\n')).toBe(true)
    }
  })

  it('2: heartbeats, end marks and empty objects as data', async () => {
    const late = delayed(
      150,
      answerAll(() => evm(2n)),
    )
    const url = await start({ chains: [chain('1', late)], limits: { keepAliveMs: 20 } })
    const text = await textOf(url, { data: [evmItem(['1'])] })
    const data = text.split('\n').filter((line) => line !== '' && !line.startsWith(':'))
    expect(text).toContain(': ping\n\n')
    expect(data).toHaveLength(1)
    expect(JSON.parse(data[0]?.slice('data: '.length) ?? '')).toMatchObject({ caip2Id: 'eip155:1', id: A })
  })

  it('3: data over several lines', async () => {
    const name = 'line\nbreaks\r\nand\u2028\u2029\u0085\u000b\u000c others'
    const token = { address: '0xaa', name, symbol: '\n\n', decimals: 1, balance: 1n }
    const url = await start({ chains: [chain('1', evm(1n, [token]))] })
    for (const read of [readLikeExtension, readLikePhone]) {
      const { body } = await post(url, { data: [evmItem(['1'])] })
      const items = []
      for await (const item of read(body as ReadableStream<Uint8Array>)) items.push(item)
      expect(items).toMatchObject([{ balances: { erc20TokenBalances: [{ name }] } }])
    }
  })

  it('4: asking for an Accept header', async () => {
    const url = await start({ chains: [chain('1')] })
    const body = JSON.stringify({ data: [evmItem(['1'])] })
    for (const accept of [undefined, '*/*', 'application/json', 'text/html']) {
      const headers = { 'content-type': 'application/json', ...(accept === undefined ? {} : { accept }) }
      const sent = request(`${url}/v1/balance/get-balances`, { method: 'POST', headers }).end(body)
      const [response] = await once(sent, 'response')
      response.resume()
      expect(sent.getHeader('accept')).toBe(accept)
      expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    }
  })

  it('5: an empty credential as a malformed one', async () => {
    const empty = { headers: { 'x-firebase-appcheck': '' } }
    const open = await start({ chains: [chain('1')] })
    expect(itemsOf(await textOf(open, { data: [evmItem(['1'])] }, empty))).toHaveLength(1)
    const guarded = await start({ chains: [], appCheck: { mode: 'static', tokens: ['t'] } })
    const [absent, present] = await Promise.all([post(guarded, {}), post(guarded, {}, empty)])
    expect([present.status, await present.text()]).toEqual([absent.status, await absent.text()])
    expect(present.status).toBe(401)
  })

  it('6: 400 for a chain that is not served, an answer for a namespace that is unknown', async () => {
    const url = await start({ chains: [chain('1')] })
    const items = await ask(url, { data: [evmItem(['143', '1', 'nonsense'])] })
    expect(Object.fromEntries(items.map(({ caip2Id, error }) => [caip2Id, error]))).toEqual({
      'eip155:1': null,
      'eip155:143': '[getEvmBalances] unsupported chain id: 143',
      'eip155:nonsense': '[getEvmBalances] unsupported chain id: nonsense',
    })
    const unknown = [{ ...evmItem(['1']), namespace: 'hlcore' }, coreth(['devnet-p']), coreth([C, 'devnet-p'])]
    for (const item of unknown) expect((await post(url, { data: [evmItem(['1']), item] })).status).toBe(400)
  })

  it('7: a bare error code for a chain that failed', async () => {
    const failures: Read[] = [
      async () => Promise.reject(new TypeError('bug')),
      () => {
        throw new RangeError('bug before the first await')
      },
      async () => Promise.reject(new BadAnswerError('html')),
      async () => Promise.reject(new JsonRpcError('no', -32_000)),
      async () => Promise.reject('not even an error'),
      async () => new Map(),
      async (accounts) => new Map(accounts.map(({ id }) => [id, { ok: false, error: new Error('one account') }])),
      () => new Promise(() => {}),
    ]
    const url = await start({ deadlineMs: 100, chains: failures.map((read, at) => chain(`${at}`, read)) })
    const items = await ask(url, { data: [evmItem(Object.keys(failures), [A, B])] })
    expect(items).toHaveLength(2 * failures.length)
    for (const item of items) {
      expect(item).toMatchObject({ networkType: 'evm', balances: null })
      expect([A, B]).toContain(item.id)
      expect(item.error).toMatch(/^\[getEvmBalances\] \S/)
    }
  })

  it('8: an error for the C-chain where the last answer would do, and answers nobody asked for', async () => {
    const waiting: CorethBalances = { native: 7n, atomicMemoryUnlocked: {}, atomicMemoryLocked: {} }
    let failing = false
    const read: Read = async (...args) => {
      if (failing) throw new UpstreamUnavailableError('down')
      return answerAll(() => waiting)(...args)
    }
    let now = 1_000_000
    const chains = [C, FUJI_C].map((reference) => scriptedChain(`avax:${reference}`, 'coreth', read))
    const url = await start({ chains, now: () => now, maxStaleMs: 60_000 })
    const good = await textOf(url, { data: [coreth([C])] })
    expect(itemsOf(good).map(({ caip2Id }) => caip2Id)).toEqual([`avax:${C}`])
    failing = true
    now += 30_000
    expect(await textOf(url, { data: [coreth([C])] })).toBe(good)
    const [failed] = await ask(url, { data: [coreth([FUJI_C])] })
    expect(failed).toMatchObject({ error: '[getCorethBalances] no upstream of the chain could be reached' })
  })

  it('8: «Rate limit exceeded» when it is not true', async () => {
    const reasons = [new UpstreamRateLimitedError('all'), new UpstreamUnavailableError('429'), new Error('rate limit')]
    const url = await start({ chains: reasons.map((reason, at) => chain(`${at}`, async () => Promise.reject(reason))) })
    const items = await ask(url, { data: [evmItem(['0', '1', '2'])] })
    expect(items.filter(({ error }) => /rate limit/i.test(error ?? '')).map(({ caip2Id }) => caip2Id)).toEqual([
      'eip155:0',
    ])
  })

  it('9: an id other than the one that was sent', async () => {
    const ids = [A, A.toLowerCase(), `0x${A.slice(2).toUpperCase()}`]
    const pvm = { ...zeroPvm, native: 1n }
    const wallets = ['7f1c7c3e-0b1a-4a39', WALLET, 'Zoë 🪙 \\"\n', ' ', '__proto__', 'constructor']
    const url = await start({
      chains: [
        chain('1'),
        scriptedChain(
          `avax:${P}`,
          'pvm',
          answerAll(() => pvm),
        ),
      ],
    })
    const addressDetails = wallets.map((id) => ({ id, addresses: [WALLET] }))
    const items = await ask(url, {
      data: [evmItem(['1'], ids), { namespace: 'avax', references: [P], addressDetails }],
    })
    expect(items.map(({ id }) => id).sort()).toEqual([...ids, ...wallets].sort())
    expect(items.every(({ error }) => error === null)).toBe(true)
  })

  it('12: amounts as anything but integer text, and null for what is unknown', async () => {
    const most = 2n ** 256n - 1n
    const token = { address: '0xaa', name: 'n', symbol: 's', decimals: 255, balance: most }
    const url = await start({
      chains: [
        chain('1', evm(10n ** 40n, [token])),
        scriptedChain(
          'bip122:000000000019d6689c085ae165831e93',
          'btc',
          answerAll(() => ({ confirmed: 0n, unconfirmed: -1n })),
        ),
      ],
    })
    const bitcoin = {
      namespace: 'bip122',
      references: ['000000000019d6689c085ae165831e93'],
      addresses: ['1BoatSLRHtKNngkdXEeobR76b53LETtpyT'],
    }
    const text = await textOf(url, { data: [evmItem(['1']), bitcoin] })
    const amounts = [...text.matchAll(/"(?:balance|unconfirmedBalance)":("?[^,}]*)/g)].map(([, amount]) => amount)
    expect(amounts).toEqual([`"${10n ** 40n}"`, `"${most}"`, '"0"', '"-1"'])
    expect(text.replaceAll('"error":null', '')).not.toContain('null')
  })
})

const zeroPvm = {
  native: 0n,
  unlockedStaked: 0n,
  unlockedUnstaked: 0n,
  unlockedUnstakedMultiSig: 0n,
  lockedStaked: 0n,
  lockedPlatform: 0n,
  lockedStakeable: 0n,
  atomicMemoryUnlocked: {},
  atomicMemoryLocked: {},
}
