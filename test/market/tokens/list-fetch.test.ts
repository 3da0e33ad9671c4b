import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
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
