import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  BadAnswerError,
  BadInputError,
  CancelledError,
  DeadlineError,
  UpstreamUnavailableError,
} from '../../../src/errors.ts'
import { createSafeFetch, redirectOf, type SafeFetchDeps } from '../../../src/upstream/safe-fetch/safe-fetch.ts'
import { type FaultServerOptions, startFaultServer } from '../../support/upstream/fault-server.ts'
import { until } from '../../support/waiting/until.ts'

const LOOPBACK = '127.0.0.1'
const allowLoopback = (address: string): boolean => address === LOOPBACK
const json = (body: string) => ({ headers: { 'content-type': 'application/json; charset=utf-8' }, body })

const start = async (options: FaultServerOptions, deps: SafeFetchDeps = {}) => {
  const server = await startFaultServer(options)
  onTestFinished(() => server.close())
  return { server, fetch: createSafeFetch({ allowAddress: allowLoopback, ...deps }), port: new URL(server.url).port }
}

describe('nothing private is ever reached', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://127.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://①②⑦.0.0.1:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'ftp://127.0.0.1:PORT/',
    'file:///etc/passwd',
    'data:application/json,{}',
    'gopher://127.0.0.1:PORT/',
    'http://user:password@8.8.8.8/',
    'http://:password@8.8.8.8/',
    'http://8.8.8.8:22/',
    'http://8.8.8.8:25/',
    'not a url',
    '',
  ])('%s', async (url) => {
    const { server, port } = await start({ handle: () => json('{"secret":1}') })
    await expect(createSafeFetch()(url.replace('PORT', port))).rejects.toBeInstanceOf(BadInputError)
    expect(server.stats.connections).toBe(0)
  })

  test('a name is refused when any of its addresses is private', async () => {
    const { server, port } = await start({})
    const mixed = async () => [
      { address: '8.8.8.8', family: 4 as const },
      { address: LOOPBACK, family: 4 as const },
    ]
    await expect(createSafeFetch({ resolve: mixed })(`http://mixed.example:${port}/`)).rejects.toBeInstanceOf(
      BadInputError,
    )
    expect(server.stats.connections).toBe(0)
  })

  test('a name is resolved once, and the connection goes to the address that was checked', async () => {
    const { server, port } = await start({ handle: ({ headers }) => json(JSON.stringify(headers.host)) })
    let asked = 0
    const rebinding = async () => {
      asked += 1
      return [{ address: asked === 1 ? LOOPBACK : '10.0.0.1', family: 4 as const }]
    }
    const fetch = createSafeFetch({ allowAddress: allowLoopback, resolve: rebinding })
    const answer = await fetch(`http://rebinding.example:${port}/`)
    expect(answer.body.toString()).toBe(`"rebinding.example:${port}"`)
    expect(asked).toBe(1)
    await expect(fetch(`http://rebinding.example:${port}/`)).rejects.toBeInstanceOf(BadInputError)
    expect(server.stats.requests).toBe(1)
  })

  test.each([
    'http://10.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://0x0a000001/',
    '//10.0.0.1/',
    'file:///etc/passwd',
    'http://u:p@127.0.0.1/',
  ])('a redirect to %s is checked like a first URL', async (location) => {
    const { server, fetch } = await start({ handle: () => ({ status: 302, headers: { location }, body: '' }) })
    await expect(fetch(`${server.url}/a`)).rejects.toBeInstanceOf(BadInputError)
    expect(server.stats.requests).toBe(1)
  })
})

test('a redirect never leads from https to http, but from http to https', () => {
  const secure = new URL('https://a.example/x')
  expect(() => redirectOf(secure, 'http://a.example/x')).toThrow(BadInputError)
  expect(redirectOf(secure, '//b.example/y').href).toBe('https://b.example/y')
  expect(redirectOf(new URL('http://a.example/x'), 'https://a.example/x').href).toBe('https://a.example/x')
})

test('a name whose first address leads nowhere is fetched from its next one', async () => {
  const { port } = await start({ handle: () => json('1') })
  const resolve = async () => [
    { address: '::1', family: 6 as const },
    { address: LOOPBACK, family: 4 as const },
  ]
  const fetch = createSafeFetch({ allowAddress: () => true, resolve })
  expect((await fetch(`http://two.example:${port}/`)).body.toString()).toBe('1')
})

test('whoever leaves while he waits for his turn frees his place in the line', async () => {
  const limits = { maxConcurrent: 1, timeoutMs: 60_000 }
  const faults: FaultServerOptions['faults'] = ({ path }) => (path === '/slow' ? { hang: 'headers' } : {})
  const { server, fetch } = await start({ handle: () => json('1'), faults }, { limits })
  const leaving = new AbortController()
  const first = fetch(`${server.url}/slow`, { signal: leaving.signal }).catch((error: unknown) => error)
  await until(() => server.stats.requests === 1, 'the slow one is asked for')
  const waiting = Array.from({ length: 64 }, () => {
    const patience = new AbortController()
    return { patience, done: fetch(`${server.url}/`, { signal: patience.signal }).catch((error: unknown) => error) }
  })
  await expect(fetch(`${server.url}/`)).rejects.toThrow('too many fetches waiting')
  for (const { patience } of waiting) patience.abort()
  for (const { done } of waiting) expect(await done).toBeInstanceOf(CancelledError)
  const next = fetch(`${server.url}/`)
  leaving.abort()
  expect(await first).toBeInstanceOf(CancelledError)
  expect((await next).body.toString()).toBe('1')
  await expect(fetch(`${server.url}/`, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(CancelledError)
  expect(server.stats.requests).toBe(2)
})

test('whoever waits for his turn hears when it comes', async () => {
  const faults: FaultServerOptions['faults'] = ({ path }) => (path === '/slow' ? { hang: 'headers' } : {})
  const limits = { maxConcurrent: 1, timeoutMs: 60_000 }
  const { server, fetch } = await start({ handle: () => json('1'), faults }, { limits })
  const leaving = new AbortController()
  const begun: string[] = []
  const first = fetch(`${server.url}/slow`, { signal: leaving.signal, onBegin: () => begun.push('first') })
  const next = fetch(`${server.url}/`, { onBegin: () => begun.push('next') })
  await until(() => server.stats.requests === 1, 'the slow one is asked for')
  expect(begun).toEqual(['first'])
  leaving.abort()
  await expect(first).rejects.toBeInstanceOf(CancelledError)
  await next
  expect(begun).toEqual(['first', 'next'])
})

describe('limits', () => {
  test('three redirects are followed, relative ones too, a fourth is not', async () => {
    const { server, fetch } = await start({
      handle: ({ url }) => {
        const left = Number(url?.slice(1))
        return left === 0
          ? json('{"end":true}')
          : { status: 301 + (left % 2) * 6, headers: { location: `/${left - 1}` }, body: '' }
      },
    })
    const answer = await fetch(`${server.url}/3`)
    expect(answer).toMatchObject({ status: 200, contentType: 'application/json', url: `${server.url}/0` })
    await expect(fetch(`${server.url}/4`)).rejects.toBeInstanceOf(BadAnswerError)
    await expect(fetch(`${server.url}/999999`)).rejects.toBeInstanceOf(BadAnswerError)
  })

  test('size, plain and compressed', async () => {
    const { server, fetch } = await start(
      {
        handle: ({ url }) =>
          url === '/zip'
            ? {
                headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
                body: gzipSync(Buffer.alloc(5_000_000, 32)),
              }
            : json(' '.repeat(url === '/big' ? 10_001 : 10_000)),
      },
      { limits: { maxBytes: 10_000 } },
    )
    expect((await fetch(`${server.url}/fits`)).body).toHaveLength(10_000)
    await expect(fetch(`${server.url}/big`)).rejects.toBeInstanceOf(BadAnswerError)
    await expect(fetch(`${server.url}/zip`)).rejects.toBeInstanceOf(BadAnswerError)
  })

  test('time, over all hops together', async () => {
    const { server, fetch } = await start(
      { handle: () => ({ status: 302, headers: { location: '/' }, body: '' }), faults: { latencyMs: 70 } },
      { limits: { timeoutMs: 150, maxRedirects: 20 } },
    )
    // With this time for each hop it would be one redirect too many.
    await expect(fetch(`${server.url}/`)).rejects.toBeInstanceOf(DeadlineError)
  })

  test('time, also behind a redirect and a clock that is set back meanwhile', async () => {
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['Date'] })
    const silent = await start({ faults: { hang: 'headers' } })
    const { server, fetch } = await start(
      {
        handle: () => {
          vi.setSystemTime(Date.now() - 3_600_000)
          return { status: 302, headers: { location: `${silent.server.url}/` }, body: '' }
        },
      },
      { limits: { timeoutMs: 300 } },
    )
    const patience = new Promise((resolve) => setTimeout(resolve, 5_000, 'still waiting').unref())
    await expect(Promise.race([fetch(`${server.url}/`), patience])).rejects.toBeInstanceOf(DeadlineError)
  })

  test('the caller may leave', async () => {
    const { server, fetch } = await start({ faults: { hang: 'headers' } })
    const leaver = new AbortController()
    const left = fetch(`${server.url}/`, { signal: leaver.signal }).catch((error: unknown) => error)
    await until(() => server.stats.requests === 1, 'the request arrives')
    leaver.abort()
    expect(await left).toBeInstanceOf(CancelledError)
    await until(() => server.stats.open === 0, 'the sockets are closed')
  })

  test('a resolver that never answers is a name without address', async () => {
    const fetch = createSafeFetch({ resolve: () => new Promise(() => undefined), limits: { timeoutMs: 60 } })
    await expect(fetch('http://slow.example/')).rejects.toBeInstanceOf(UpstreamUnavailableError)
  })

  test('the caller may leave while a name is looked up', async () => {
    const leaver = new AbortController()
    const fetch = createSafeFetch({ resolve: () => new Promise(() => leaver.abort()) })
    await expect(fetch('http://slow.example/', { signal: leaver.signal })).rejects.toBeInstanceOf(CancelledError)
  })

  test('content type, status, missing host', async () => {
    const { server, fetch } = await start({
      handle: ({ url }) =>
        url === '/svg' ? { headers: { 'content-type': 'image/svg+xml' }, body: '<svg/>' } : { status: 404, body: 'no' },
    })
    await expect(fetch(`${server.url}/svg`)).rejects.toBeInstanceOf(BadAnswerError)
    await expect(fetch(`${server.url}/none`)).rejects.toBeInstanceOf(UpstreamUnavailableError)
    const images = createSafeFetch({ allowAddress: allowLoopback, limits: { contentTypes: ['image/'] } })
    expect((await images(`${server.url}/svg`)).contentType).toBe('image/svg+xml')
    const nowhere = createSafeFetch({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })
    await expect(nowhere('http://nowhere.example/')).rejects.toBeInstanceOf(UpstreamUnavailableError)
  })

  test('no more at once than allowed, and no connection is kept', async () => {
    const { server, fetch } = await start(
      { handle: () => json('{}'), faults: { latencyMs: 20 } },
      { limits: { maxConcurrent: 3 } },
    )
    await Promise.all(Array.from({ length: 12 }, () => fetch(server.url)))
    expect(server.stats.maxInFlight).toBe(3)
    await until(() => server.stats.open === 0, 'the sockets are closed')
  })
})

test('no credentials, cookies or referrer go along', async () => {
  const { server, fetch } = await start({
    handle: ({ url, headers }) =>
      url === '/a'
        ? { status: 302, headers: { location: '/b', 'set-cookie': 'a=b' }, body: '' }
        : json(JSON.stringify(Object.keys(headers))),
  })
  const answer = await fetch(`${server.url}/a`, { accept: 'application/json' })
  expect(JSON.parse(answer.body.toString())).toEqual(['host', 'connection', 'accept', 'accept-encoding', 'user-agent'])
})
