import Fastify from 'fastify'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createConfig } from '../../src/config/index.ts'
import type { StreamProgress } from '../../src/store/index.ts'
import { wirePage } from '../../src/wiring/page.ts'

/** The page of a process that only serves, over an index of which `progress` tells. */
async function pageOver(progress: () => Promise<StreamProgress[]>) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  const app = Fastify()
  onTestFinished(() => {
    vi.useRealTimers()
    return app.close()
  })
  const deps = { chains: { byId: new Map() }, identities: {}, store: { reader: { progress } }, indexer: undefined }
  await wirePage(app, createConfig(), deps as never)
  return () => app.inject('/page/index.json')
}

it('says after three seconds that the database does not answer', async () => {
  const ask = await pageOver(() => new Promise(() => {}))
  const answer = ask()
  let over = false
  void answer.then(() => {
    over = true
  })
  await vi.advanceTimersByTimeAsync(2_900)
  expect(over).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  expect(over).toBe(true)
  expect((await answer).statusCode).toBe(503)
})

it('asks the database every two seconds at most, however many pages are open', async () => {
  const progress = vi.fn(async () => [{ stream: 'mainnet:P', transactions: 0n, currentAtMs: 0n }])
  const ask = await pageOver(progress)
  const answers = await Promise.all([ask(), ask(), ask()])
  expect(answers[2]?.json()).toEqual({ enabled: true, role: 'elsewhere', streams: [{ name: 'mainnet:P' }] })
  await vi.advanceTimersByTimeAsync(2_000)
  await ask()
  expect(progress).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  await ask()
  expect(progress).toHaveBeenCalledTimes(2)
})
