import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createTokenLists } from '../../../src/market/index.ts'
import { createListFetch } from '../../../src/market/tokens/list-fetch.ts'

async function placeOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('asks with the user and the password of the URL, and tells them to nobody to whom it is sent on', async () => {
  const told: (string | undefined)[] = []
  const other = await placeOf(({ headers }, response) => {
    told.push(headers.authorization)
    response.end('{}')
  })
  const place = await placeOf(({ headers }, response) => {
    told.push(headers.authorization)
    response.writeHead(302, { location: `http://${other}/list.json` }).end()
  })
  const { fetch, close } = createListFetch()
  onTestFinished(close)
  const { signal } = new AbortController()
  const answer = await fetch(`http://some%40one:pass%20word@${place}/`, { headers: {}, signal, maxBytes: 100 })
  expect(answer).toMatchObject({ status: 200, body: '{}' })
  expect(told).toEqual([`Basic ${Buffer.from('some@one:pass word').toString('base64')}`, undefined])
})

it('a list fetched over https is never continued in clear text, or in no way at all', async () => {
  // The connection is what is tested here, not who vouches for the server.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  const pem = (part: string): string =>
    readFileSync(new URL(`../../fixtures/tls/localhost-${part}.pem`, import.meta.url), 'utf8')
  const told: string[] = []
  const plain = await placeOf((_, response) => void response.end(told.push('plain') && '{}'))
  const server = createTlsServer({ key: pem('key'), cert: pem('cert') }, ({ url = '' }, response) => {
    told.push(url)
    if (url === '/list.json') response.end('{}')
    else response.writeHead(302, { location: decodeURIComponent(url.slice(1)) }).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { fetch, close } = createListFetch()
  onTestFinished(close)
  const request = { headers: {}, signal: new AbortController().signal, maxBytes: 100 }
  const sentTo = (to: string) =>
    fetch(`https://localhost:${(server.address() as AddressInfo).port}/${encodeURIComponent(to)}`, request)
  expect(await sentTo('/list.json')).toMatchObject({ status: 200, body: '{}' })
  for (const to of [`http://${plain}/`, 'ftp://localhost/list.json', 'http://['])
    await expect(sentTo(to)).rejects.toThrow('redirect to nowhere safe')
  expect(told).not.toContain('plain')
})

it('what is wrong with a list is told without what its URL may hold', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const place = await placeOf((_, response) => void response.writeHead(302, { location: 'https://[/key' }).end())
  const cacheDir = await mkdtemp(join(tmpdir(), 'firn-lists-'))
  const list = `http://someone:password@${place}/list.json?key=secret`
  const lists = createTokenLists({ sources: {}, defaultSources: [list], cacheDir, refreshMs: 3_600_000, log })
  onTestFinished(async () => {
    await lists.close()
    await rm(cacheDir, { recursive: true })
  })
  lists.start()
  await expect.poll(() => lines.join('')).toContain('token list could not be refreshed')
  const status = JSON.stringify(lists.status())
  for (const text of [lines.join(''), status]) expect(text).not.toMatch(/someone|password|secret/)
})

it('a list whose server cannot be reached is told of with the reason', async () => {
  const { fetch, close } = createListFetch()
  onTestFinished(close)
  const { signal } = new AbortController()
  const get = (url: string) => fetch(url, { headers: {}, signal, maxBytes: 100 })
  const cut = await placeOf((request) => void request.socket.destroy())
  await expect(get(`http://${cut}/`)).rejects.toThrow('list could not be fetched: connection cut')
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port } = gone.address() as AddressInfo
  await new Promise((done) => gone.close(done))
  await expect(get(`http://127.0.0.1:${port}/`)).rejects.toThrow('list could not be fetched: connection refused')
})

it('a list is fetched also behind redirects whose bodies do not end: they hold none of its few connections', async () => {
  const place = await placeOf(({ url = '' }, response) => {
    const hops = Number(url.slice(1))
    if (hops === 3) response.end('{}')
    else response.writeHead(302, { location: `/${hops + 1}` }).write('moved')
  })
  const { fetch, close } = createListFetch()
  onTestFinished(close)
  const { signal } = new AbortController()
  expect(await fetch(`http://${place}/0`, { headers: {}, signal, maxBytes: 100 })).toMatchObject({ body: '{}' })
})
