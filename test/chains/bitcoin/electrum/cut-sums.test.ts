import { describe, expect, it } from 'vitest'
import { createElectrumClient, type ElectrumClient } from '../../../../src/chains/bitcoin/electrum/client.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'
import { type ElectrumRequest, electrumLine, type FakeElectrum } from './fake-server.ts'
import { call, type ElectrumStage, electrumStage, good } from './stage.ts'

let { server, second, closing } = {} as ElectrumStage
electrumStage((stage) => ({ server, second, closing } = stage))

const connect = (servers: readonly FakeElectrum[]): ElectrumClient =>
  closing(
    createElectrumClient({
      network: 'mainnet',
      servers: servers.map(({ url }, priority) => ({ url, priority })),
      budget: { requestsPerSecond: 1_000_000, maxConcurrent: 64 },
    }),
  )

const asked = (fake: FakeElectrum, method: string) =>
  fake.seen.filter((one) => one.method.endsWith(method)).map(({ params }) => params[0])

/** Answers as the server that calls itself `name`: `huge` has more coins than it reads, `empty` none. */
const as =
  (name: string, status: (request: ElectrumRequest) => string) =>
  (request: ElectrumRequest): string | undefined => {
    if (request.method === 'server.version') return electrumLine(request.id, [name, '1.4.3'])
    if (/get_status|\.subscribe/.test(request.method)) return status(request)
    if (request.method.endsWith('get_balance') && request.params[0] === 'empty')
      return electrumLine(request.id, { confirmed: 0, unconfirmed: 0 })
    return undefined
  }
const statusOf = ({ id, params }: ElectrumRequest) => electrumLine(id, params[0] === 'huge' ? null : 'aa'.repeat(32))
const questions = ['a', 'huge', 'empty'].map(call)
const empty = { ok: true, value: { confirmed: 0, unconfirmed: 0 } }

describe('a Fulcrum server that sums up only a part of the coins', () => {
  it('has told no balance where it has no status of who holds coins', async () => {
    server.fault = as('Fulcrum 2.1.1', statusOf)
    expect(await connect([server]).round(questions, readContext())).toMatchObject([
      good,
      { ok: false, error: { message: 'Electrum: history too large' } },
      empty,
    ])
    expect(asked(server, 'get_status')).toEqual(['a', 'huge'])
  })

  it.each(['Fulcrum 1.12.0', 'Fulcrum 2.1.0', 'Fulcrum 1.9'])(
    '%s is asked by a subscription, given back',
    async (name) => {
      server.fault = as(name, statusOf)
      expect(await connect([server]).round(questions, readContext())).toMatchObject([good, { ok: false }, empty])
      expect(asked(server, 'get_status')).toEqual([])
      expect(asked(server, 'scripthash.subscribe')).toEqual(['a', 'huge'])
      expect(asked(server, 'scripthash.unsubscribe')).toEqual(['a', 'huge'])
    },
  )

  it('is passed over for the next server at that script only, and is not held to be in trouble', async () => {
    server.fault = as('Fulcrum 2.1.1', statusOf)
    const client = connect([server, second])
    expect(await client.round(questions, readContext())).toEqual([good, good, empty])
    expect(asked(second, 'get_balance')).toEqual(['huge'])
    await client.round([call('b')], readContext())
    expect(asked(second, 'get_balance')).toEqual(['huge'])
  })

  it('is believed when it does not know the question', async () => {
    const unknown = ({ id }: ElectrumRequest) =>
      `${JSON.stringify({ id, error: { code: -32601, message: 'Method not found' } })}\n`
    server.fault = as('Fulcrum 1.2.0', unknown)
    expect(await connect([server]).round(questions, readContext())).toEqual([good, good, empty])
  })

  it('is not believed when it hangs up before it has told', async () => {
    server.fault = (request, socket) => {
      const said = as('Fulcrum 2.1.1', statusOf)(request)
      if (!request.method.endsWith('get_status') || request.params[0] === 'a') return said
      socket.end()
      return ''
    }
    const client = connect([server, second])
    expect(await client.round(questions, readContext())).toEqual([good, good, empty])
    expect(asked(second, 'get_balance')).toEqual(['huge'])
  })

  it('is not believed when it hangs up before it could be asked', async () => {
    const answers = as('Fulcrum 2.1.1', statusOf)
    server.fault = (request, socket) => {
      if (request.method.endsWith('get_balance') && request.params[0] === 'empty') {
        socket.end()
        return ''
      }
      return answers(request)
    }
    const client = connect([server, second])
    expect(await client.round(questions, readContext())).toEqual([good, good, good])
    expect(asked(second, 'get_balance')).toEqual(['a', 'huge', 'empty'])
  })

  it('is not believed where it refuses to tell', async () => {
    const refused = ({ id }: ElectrumRequest) =>
      `${JSON.stringify({ id, error: { code: 1, message: 'subscription limit reached' } })}\n`
    server.fault = as('Fulcrum 1.12.0', refused)
    const client = connect([server, second])
    expect(await client.round(questions, readContext())).toEqual([good, good, empty])
    expect(asked(second, 'get_balance')).toEqual(['a', 'huge'])
  })

  it('is the only one that is asked: others sum up all coins or refuse', async () => {
    server.fault = as('ElectrumX 2.0', statusOf)
    expect(await connect([server]).round(questions, readContext())).toEqual([good, good, empty])
    expect(asked(server, 'get_status')).toEqual([])
  })
})
