import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { indexAnswers } from './index-ready.ts'

/** Says "not yet" so many times at each path, as often as the path's number says; nothing at all at /silent. */
async function startSlowIndex(): Promise<{ url: string; asked: Map<string, number> }> {
  const asked = new Map<string, number>()
  const server = createServer(({ url = '' }, response) => {
    const times = (asked.get(url) ?? 0) + 1
    asked.set(url, times)
    if (url !== '/silent') response.writeHead(times > Number(url.slice(1)) ? 200 : 503).end('{}')
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
  expect(await indexAnswers([`${url}/2`, `${url}/0`], 60_000)).toBe(true)
  expect(Object.fromEntries(asked)).toEqual({ '/2': 3, '/0': 1 })
})

it.each(['never', 'silent'])('who starts is not kept for longer than it is willing to wait: %s', async (name) => {
  const { url } = await startSlowIndex()
  expect(await indexAnswers([`${url}/0`, `${url}/${name === 'never' ? '1000000' : name}`], 600)).toBe(false)
  expect(await indexAnswers([`${url}/1000000`], -5)).toBe(false)
})
