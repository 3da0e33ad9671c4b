import type { Logger } from 'pino'
import { expect, it } from 'vitest'
import { createElectrumClient, type ElectrumClient } from '../../../../src/chains/bitcoin/electrum/client.ts'
import { type ElectrumLimits, electrumLimits } from '../../../../src/chains/bitcoin/limits.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'
import { electrumLine } from './fake-server.ts'
import { call, type ElectrumStage, electrumStage, good } from './stage.ts'

let { server, second, closing } = {} as ElectrumStage
electrumStage((stage) => ({ server, second, closing } = stage))

const limits: ElectrumLimits = { ...electrumLimits, backoffMs: 10_000, maxBackoffMs: 60_000 }

/** Over servers of which the first is preferred. */
const connect = (
  urls: readonly string[],
  over: Partial<ElectrumLimits> = {},
  logger?: Pick<Logger, 'debug'>,
): ElectrumClient =>
  closing(
    createElectrumClient({
      network: 'mainnet',
      servers: urls.map((url, priority) => ({ url, priority })),
      limits: { ...limits, ...over },
      budget: { requestsPerSecond: 1_000_000, maxConcurrent: 64 },
      ...(logger ? { logger } : {}),
    }),
  )

it('believes nothing of a round in which a server sent what is no answer, be it in another turn', async () => {
  server.fault = ({ params }) => (params[0] === 'b' ? '<html>\n' : undefined)
  const client = connect([server.url, second.url], { maxPipelined: 1 })
  expect(await client.round([call('a'), call('b')], readContext())).toEqual([good, good])
  expect(second.seen.flatMap(({ method, params }) => (method.endsWith('get_balance') ? params : []))).toEqual([
    'a',
    'b',
  ])
})

it('a server that answers again is asked first again, and its next failure counts as the first', async () => {
  const pauses: unknown[] = []
  const debug = (fields: { host: string; pause: number }): void => {
    if (fields.host === new URL(second.url).host) pauses.push(fields.pause)
  }
  const client = connect([server.url, second.url], {}, { debug } as unknown as Pick<Logger, 'debug'>)
  const broken = () => '<html>\n'
  server.fault = broken
  second.fault = broken
  await expect(client.round([call('a')], readContext())).rejects.toThrow('no JSON')
  second.fault = () => undefined
  expect(await client.round([call('a')], readContext())).toEqual([good])
  const before = server.connections
  expect(await client.round([call('b')], readContext())).toEqual([good])
  expect(server.connections).toBe(before)
  second.fault = broken
  await expect(client.round([call('a')], readContext())).rejects.toThrow('no JSON')
  // The last time it is tried twice, as its connection was kept.
  expect(pauses).toEqual([limits.backoffMs, limits.backoffMs, 2 * limits.backoffMs])
})

it('a reader who leaves behind his answer cuts nothing', async () => {
  const client = connect([server.url])
  const reader = new AbortController()
  expect(await client.round([call('a')], readContext({ signal: reader.signal }))).toEqual([good])
  reader.abort()
  expect(await client.round([call('b')], readContext())).toEqual([good])
  expect(server.connections).toBe(1)
})

it('is cancelled once it was closed, and connects to nobody', async () => {
  const client = connect([server.url])
  client.close()
  await expect(client.round([call('a')], readContext())).rejects.toThrow('cancelled')
  expect(server.connections).toBe(0)
})

it('closes none that rested before a call which takes long', async () => {
  const client = connect([server.url], { idleMs: 30 })
  server.fault = ({ id, params }, socket) => {
    if (params[0] !== 'slow') return undefined
    setTimeout(() => socket.write(electrumLine(id, good.value)), 60)
    return ''
  }
  await client.round([call('a')], readContext())
  expect(await client.round([call('slow')], readContext())).toEqual([good])
  expect(server.connections).toBe(1)
})

it('says so when every server failed', async () => {
  await server.close()
  second.fault = () => '<html>\n'
  const client = connect([server.url, second.url])
  await expect(client.round([call('a')], readContext())).rejects.toThrow('no JSON')
  second.fault = () => undefined
  expect(await client.round([call('a')], readContext())).toEqual([good])
})
