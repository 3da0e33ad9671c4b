import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createElectrumClient, type ElectrumClient } from '../../../../src/chains/bitcoin/electrum/client.ts'
import { OverloadedError } from '../../../../src/errors.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'
import { eventually } from '../../../support/waiting/eventually.ts'
import { electrumLine, type FakeElectrum } from './fake-server.ts'
import { call, type ElectrumStage, electrumStage, good } from './stage.ts'

let { server, second, closing } = {} as ElectrumStage
electrumStage((stage) => ({ server, second, closing } = stage))

describe('electrum turns', () => {
  const connect = (servers: readonly FakeElectrum[], budget: object): ElectrumClient =>
    closing(
      createElectrumClient({
        network: 'mainnet',
        servers: servers.map(({ url }) => ({ url })),
        budget: { requestsPerSecond: 1_000_000, maxConcurrent: 64, ...budget },
      }),
    )
  const balances = (fake: FakeElectrum) => fake.seen.filter(({ method }) => method.includes('get_balance'))
  const rounds = (client: ElectrumClient, count: number, context = readContext()) =>
    Promise.all(Array.from({ length: count }, (_, at) => client.round([call(String(at))], context)))

  const refuse: FakeElectrum['fault'] = ({ id, method }) =>
    method.includes('get_balance')
      ? `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -101, message: 'excessive resource usage' } })}\n`
      : undefined

  it('no more begin in a second than a server is to be asked, and no more are under way; the next server is asked meanwhile', async () => {
    const client = connect([server, second], { requestsPerSecond: 3, maxConcurrent: 64 })
    const startedAt = performance.now()
    expect(await rounds(client, 9)).toHaveLength(9)
    const seconds = (performance.now() - startedAt) / 1_000
    expect(balances(server).length).toBeLessThanOrEqual(3 + 3 * seconds)
    expect(balances(server).length + balances(second).length).toBe(9)
    expect(seconds).toBeGreaterThan(0.9)
  })

  it('one server has as many under way as it may, and what waits for too long is no fault of the server', async () => {
    const client = connect([server], { maxConcurrent: 2 })
    const held: (() => void)[] = []
    server.fault = ({ id, method }, socket) => {
      if (!method.includes('get_balance')) return undefined
      held.push(() => void socket.write(electrumLine(id, good.value)))
      return ''
    }
    const asked = rounds(client, 3)
    await eventually(() => expect(held).toHaveLength(2))
    const late = client.round([call('late')], { ...readContext(), deadline: Date.now() + 1_000 })
    await expect(late).rejects.toBeInstanceOf(OverloadedError)
    expect(held).toHaveLength(2)
    for (let next = 0; next < 3; next++) {
      await eventually(() => expect(held.length).toBeGreaterThan(next))
      held[next]?.()
    }
    expect(await asked).toEqual([[good], [good], [good]])
  })

  it('a server that refuses calls for their number is asked less', async () => {
    const client = connect([server], { requestsPerSecond: 1_000 })
    server.fault = refuse
    const [outcome] = await client.round([call('a')], readContext())
    expect(outcome).toMatchObject({ ok: false })
    server.fault = () => undefined
    const before = balances(server).length
    const startedAt = performance.now()
    await rounds(client, 10)
    // From a thousand a second to five at most, and one at once.
    expect(performance.now() - startedAt).toBeGreaterThan(1_000)
    expect(balances(server).length - before).toBe(10)
  })

  it('a server that refuses calls for their number is asked as much as it has answered, and not half as much', async () => {
    // The clock stands still but for what is set here: a turn comes by it alone. The pace is counted by whole seconds.
    let now = Math.floor(Date.now() / 1_000) * 1_000
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const client = connect([server], { requestsPerSecond: 20 })
    expect(await rounds(client, 20)).toEqual(Array(20).fill([good]))
    now += 50
    server.fault = refuse
    await client.round([call('refused')], readContext())
    const before = balances(server).length
    server.fault = ({ method }) => (method.includes('get_balance') ? '' : undefined)
    now += 1_000
    const left = new AbortController()
    const asked = rounds(client, 10, readContext({ signal: left.signal }))
    // Of nine tenths of twenty a second a quarter may go at once; of ten it would be two.
    await eventually(() => expect(balances(server).length - before).toBe(4))
    left.abort()
    await asked.catch(() => undefined)
    expect(balances(server).length - before).toBe(4)
  })

  it('a server that refuses calls for their number and hangs up is asked less, too', async () => {
    const client = connect([server], { requestsPerSecond: 1_000 })
    const refusal = { code: -101, message: 'excessive resource usage' }
    server.fault = ({ id, method }, socket) => {
      if (!method.includes('get_balance')) return undefined
      if (socket.writable) socket.end(`${JSON.stringify({ jsonrpc: '2.0', id, error: refusal })}\n`)
      return ''
    }
    await expect(client.round([call('a'), call('b'), call('c')], readContext())).rejects.toThrow(refusal.message)
    server.fault = () => undefined
    const startedAt = performance.now()
    await rounds(client, 10)
    expect(performance.now() - startedAt).toBeGreaterThan(1_000)
  })

  it('what has its turn when most of the time is over is no fault of the server', async () => {
    const client = connect([server], { maxConcurrent: 1 })
    let answer = () => {}
    server.fault = ({ id, method }, socket) => {
      if (!method.includes('get_balance')) return undefined
      answer = () => void socket.write(electrumLine(id, good.value))
      return ''
    }
    const first = client.round([call('first')], readContext())
    await eventually(() => expect(balances(server)).toHaveLength(1))
    const second = client.round([call('second')], { ...readContext(), deadline: Date.now() + 1_000 })
    const told = expect(second).rejects.toBeInstanceOf(OverloadedError)
    setTimeout(() => answer(), 900)
    await Promise.all([first, told])
  })
})
