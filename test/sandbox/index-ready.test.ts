import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { indexAnswers } from './index-ready.ts'

/**
 * Says "not yet" so many times at each path, as often as the path's number says; nothing at all at /silent. Its health
 * is that of a server whose index comes to the tip while it is asked for the third time.
 */
async function startSlowIndex(): Promise<{ url: string; asked: Map<string, number> }> {
  const asked = new Map<string, number>()
  const server = createServer(({ url = '' }, response) => {
    const times = (asked.get(url) ?? 0) + 1
    asked.set(url, times)
    const index = times < 3 ? { error: 'not indexed yet' } : {}
    if (url === '/ext/health') response.writeHead(times < 3 ? 503 : 200).end(JSON.stringify({ checks: { index } }))
    else if (url !== '/silent') response.writeHead(times > Number(url.slice(1)) ? 200 : 503).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

it('an index can be asked once nothing of it is "not yet" any more', async () => {
  const { url, asked } = await startSlowIndex()
  expect(await indexAnswers(url, { urls: [`${url}/2`, `${url}/0`] }, 60_000)).toBe(true)
  // Each "not yet" is a line in the log: it is asked once it is said to be at the tip.
  expect(Object.fromEntries(asked)).toEqual({ '/ext/health': 3, '/2': 3, '/0': 1 })
  expect([...asked.keys()][0]).toBe('/ext/health')
})

it('a health report that nobody is shown says nothing of the index', async () => {
  const server = createServer((_, response) => {
    response.writeHead(401).end('{"error":"auth token not provided"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await indexAnswers(url, { urls: [`${url}/0`] }, 600)).toBe(false)
})

it('where there is no index nothing is asked', async () => {
  const { url, asked } = await startSlowIndex()
  expect(await indexAnswers(url, { urls: [] }, 60_000)).toBe(true)
  expect(asked.size).toBe(0)
})

it.each(['never', 'silent'])('who starts is not kept for longer than it is willing to wait: %s', async (name) => {
  const { url } = await startSlowIndex()
  expect(await indexAnswers(url, { urls: [`${url}/0`, `${url}/${name === 'never' ? '1000000' : name}`] }, 600)).toBe(
    false,
  )
  expect(await indexAnswers(url, { urls: [`${url}/1000000`] }, -5)).toBe(false)
})
