import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createElectrumClient, type ElectrumClient } from '../../../../src/chains/bitcoin/electrum/client.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'
import { type ElectrumRequest, electrumLine, type FakeElectrum } from './fake-server.ts'
import { call, type ElectrumStage, electrumStage, good } from './stage.ts'

let { server, second, closing } = {} as ElectrumStage
electrumStage((stage) => ({ server, second, closing } = stage))

const connect = (servers: readonly FakeElectrum[], over: object = {}): ElectrumClient =>
  closing(
    createElectrumClient({
      network: 'mainnet',
      servers: servers.map(({ url }, priority) => ({ url, priority })),
      limits: { backoffMs: 60_000, ...over },
      budget: { requestsPerSecond: 1_000_000, maxConcurrent: 64 },
    }),
  )

const asked = (fake: FakeElectrum) =>
  fake.seen.flatMap(({ method, params }) => (method.endsWith('get_balance') ? params : []))

const letters = ['a', 'b', 'c', 'd', 'e'].map(call)

/** Answers a and b; from then on it does `what`. */
const behindTwo =
  (what: (request: ElectrumRequest, socket: Socket) => string) =>
  (request: ElectrumRequest, socket: Socket): string | undefined => {
    if (!request.method.endsWith('get_balance') || ['a', 'b'].includes(String(request.params[0]))) return undefined
    return what(request, socket)
  }

const endings: [string, Parameters<typeof behindTwo>[0]][] = [
  ['is silent', () => ''],
  [
    'hangs up',
    (_, socket) => {
      socket.end()
      return ''
    },
  ],
  [
    'has had too much and hangs up',
    ({ id }, socket) => {
      const error = { code: -101, message: 'excessive resource usage' }
      if (socket.writable) socket.end(`${JSON.stringify({ id, error })}\n`)
      return ''
    },
  ],
]

describe('an Electrum server that ends in the middle of a round', () => {
  it.each(endings)(
    'what it has answered before it %s stands, and the next is asked for the rest',
    async (_, ending) => {
      server.fault = behindTwo(ending)
      const client = connect([server, second], { answerTimeoutMs: 1_000, connectTimeoutMs: 500 })
      expect(await client.round(letters, readContext())).toEqual(Array(5).fill(good))
      expect(asked(second)).toEqual(['c', 'd', 'e'])
      // It has failed all the same.
      await client.round([call('f')], readContext())
      expect(asked(second)).toEqual(['c', 'd', 'e', 'f'])
    },
  )

  it.each(endings)('the rest are errors of their own where it is the only one and %s', async (_, ending) => {
    server.fault = behindTwo(ending)
    const client = connect([server], { answerTimeoutMs: 1_000, connectTimeoutMs: 500, maxPipelined: 3 })
    const [a, b, c, d, e] = await client.round(letters, readContext())
    expect([a, b]).toEqual([good, good])
    expect([c, d, e]).toMatchObject([{ ok: false }, { ok: false }, { ok: false }])
  })

  it('what went out in another turn stands as well', async () => {
    server.fault = behindTwo(() => '')
    const client = connect([server, second], { answerTimeoutMs: 1_000, connectTimeoutMs: 500, maxPipelined: 2 })
    expect(await client.round(letters, readContext())).toEqual(Array(5).fill(good))
    expect(asked(second)).toEqual(['c', 'd', 'e'])
  })

  it.each([
    ['no JSON', () => '<html>\n'],
    ['an answer nobody asked for', () => electrumLine(99, 1)],
  ])('nothing stands where %s follows: nobody knows whose answers the others are', async (_, ending) => {
    server.fault = behindTwo(ending)
    const client = connect([server, second])
    expect(await client.round(letters, readContext())).toEqual(Array(5).fill(good))
    expect(asked(second)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })
})
