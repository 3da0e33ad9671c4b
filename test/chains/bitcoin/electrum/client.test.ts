import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createElectrumClient, type ElectrumClient } from '../../../../src/chains/bitcoin/electrum/client.ts'
import type { ElectrumLimits } from '../../../../src/chains/bitcoin/limits.ts'
import { readContext } from '../../../support/balances/balance-reads.ts'
import { eventually } from '../../../support/waiting/eventually.ts'
import { type ElectrumRequest, electrumLine, type FakeElectrum, startFakeElectrum } from './fake-server.ts'
import { call, type ElectrumStage, electrumStage, good } from './stage.ts'

const limits: ElectrumLimits = {
  connectTimeoutMs: 5_000,
  answerTimeoutMs: 5_000,
  idleMs: 60_000,
  lifeMs: 60_000,
  maxLineBytes: 4_096,
  maxPipelined: 10,
  backoffMs: 10_000,
  maxBackoffMs: 60_000,
}
let { server, second, closing } = {} as ElectrumStage
electrumStage((stage) => ({ server, second, closing } = stage))

const connect = (urls: string[], over: Partial<ElectrumLimits> = {}, maxConcurrent = 64): ElectrumClient => {
  const servers = urls.map((url, priority) => ({ url, priority }))
  return closing(
    createElectrumClient({
      network: 'mainnet',
      servers,
      limits: { ...limits, ...over },
      budget: { requestsPerSecond: 1_000_000, maxConcurrent },
    }),
  )
}

const refusal = ({ id }: ElectrumRequest) => `${JSON.stringify({ id, error: { code: 1, message: 'too large' } })}\n`
const check = (answer: unknown) => {
  if (typeof (answer as { confirmed?: unknown }).confirmed !== 'number') throw new Error('no number')
}

describe('electrum client', () => {
  it('leaves a connection that is always in use after a while; what is under way on it is answered', async () => {
    const client = connect([server.url], { lifeMs: 20 })
    let answer = () => {}
    server.fault = ({ id, params }, socket) => {
      if (params[0] !== 'slow') return undefined
      answer = () => void socket.write(electrumLine(id, good.value))
      return ''
    }
    const slow = client.round([call('slow')], readContext())
    await eventually(() => expect(server.seen.some(({ params }) => params[0] === 'slow')).toBe(true))
    await eventually(async () => {
      expect(await client.round([call('quick')], readContext())).toEqual([good])
      expect(server.connections).toBeGreaterThan(1)
    })
    answer()
    expect(await slow).toEqual([good])
    await client.round([call('last')], readContext())
    await eventually(() => expect(server.open.size).toBe(1))
    client.close()
    await eventually(() => expect(server.open.size).toBe(0))
  })

  it('shakes hands once and sends a round in one flight', async () => {
    const client = connect([server.url])
    let held = ''
    server.fault = (request) => {
      if (!request.method.includes('get_balance')) return undefined
      held = electrumLine(request.id, request.params[0]) + held
      // Answers only when all five questions are there, last question first.
      return server.seen.filter(({ method }) => method.includes('get_balance')).length === 5 ? held : ''
    }
    const outcomes = await client.round(['a', 'b', 'c', 'd', 'e'].map(call), readContext())
    expect(outcomes.map((one) => (one.ok ? one.value : one.error))).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(server.seen.slice(0, 2)).toMatchObject([{ method: 'server.version' }, { method: 'blockchain.block.header' }])
    server.fault = () => undefined
    await client.round([call('f')], readContext())
    expect(server.connections).toBe(1)
  })

  it('joins no signal that outlives a round: it would remember each of them', async () => {
    const client = connect([server.url, second.url])
    const any = vi.spyOn(AbortSignal, 'any')
    onTestFinished(() => any.mockRestore())
    for (const name of ['a', 'b', 'c']) expect(await client.round([call(name)], readContext())).toEqual([good])
    const joined = any.mock.calls.flatMap(([signals]) => [...signals])
    expect(joined.length).toBeGreaterThan(3)
    expect(new Set(joined).size).toBe(joined.length)
  })

  it('a round of many calls makes no warning of a leak', async () => {
    const client = connect([server.url], { maxPipelined: 50 })
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    try {
      const outcomes = await client.round(
        Array.from({ length: 50 }, (_, at) => call(String(at))),
        readContext(),
      )
      expect(outcomes).toHaveLength(50)
      // Warnings come a turn later.
      await new Promise(setImmediate)
      expect(warnings).toEqual([])
    } finally {
      process.off('warning', note)
    }
  })

  it('never has more calls in flight than allowed', async () => {
    const client = connect([server.url], { maxPipelined: 2 }, 1)
    let open = 0
    server.fault = ({ id, method }, socket) => {
      if (!method.includes('get_balance')) return undefined
      open += 1
      expect(open).toBeLessThanOrEqual(2)
      setImmediate(() => {
        open -= 1
        socket.write(electrumLine(id, { confirmed: 7, unconfirmed: -2 }))
      })
      return ''
    }
    expect(await client.round(['a', 'b', 'c', 'd', 'e'].map(call), readContext())).toEqual(Array(5).fill(good))
  })

  it('does not wait for the answers of one turn before it takes the next: a server may hold the last of them', async () => {
    const client = connect([server.url], { maxPipelined: 2 })
    const held: (() => void)[] = []
    server.fault = ({ id, method }, socket) => {
      if (!method.includes('get_balance')) return undefined
      held.push(() => void socket.write(electrumLine(id, good.value)))
      return ''
    }
    const asked = client.round(['a', 'b', 'c', 'd', 'e'].map(call), readContext())
    await eventually(() => expect(held).toHaveLength(5))
    for (const answer of held) answer()
    expect(await asked).toEqual(Array(5).fill(good))
  })

  it('gives a refused call its own error', async () => {
    server.fault = ({ id, params }) =>
      params[0] === 'b' ? `${JSON.stringify({ id, error: { code: 1, message: 'history too large' } })}\n` : undefined
    const [a, b] = await connect([server.url]).round([call('a'), call('b')], readContext())
    expect(a).toEqual(good)
    expect(b).toMatchObject({ ok: false, error: { message: 'Electrum: history too large' } })
  })

  it.each([
    ['is refused', refusal],
    ['is none', ({ id }: ElectrumRequest) => electrumLine(id, { confirmed: '7', unconfirmed: 0 })],
  ])('asks the next server for what %s, and for nothing else', async (_, fault) => {
    server.fault = (request) => (request.params[0] === 'b' ? fault(request) : undefined)
    const client = connect([server.url, second.url])
    expect(await client.round([call('a'), call('b'), call('c')], readContext(), check)).toEqual([good, good, good])
    expect(second.seen.flatMap(({ method, params }) => (method.endsWith('get_balance') ? params : []))).toEqual(['b'])
    second.fault = () => '<html>\n'
    const [a, b] = await client.round([call('a'), call('b')], readContext(), check)
    expect(a).toEqual(good)
    expect(b).toMatchObject({ ok: false })
    // Once in each round: a kept connection is tried again only if it died.
    expect(server.seen.filter(({ params }) => params[0] === 'b')).toHaveLength(2)
  })

  it('asks a server that answered with what is none last from then on, but not one that refused a call', async () => {
    const client = connect([server.url, second.url])
    const askedFor = async (name: string): Promise<boolean[]> => {
      expect(await client.round([call(name)], readContext(), check)).toEqual([good])
      return [server, second].map(({ seen }) => seen.some(({ params }) => params[0] === name))
    }
    server.fault = (request) => (request.params[0] === 'a' ? refusal(request) : undefined)
    expect(await askedFor('a')).toEqual([true, true])
    expect(await askedFor('b')).toEqual([true, false])
    server.fault = ({ id, params }) =>
      params[0] === 'c' ? electrumLine(id, { confirmed: '7', unconfirmed: 0 }) : undefined
    expect(await askedFor('c')).toEqual([true, true])
    expect(await askedFor('d')).toEqual([false, true])
  })

  it('keeps what is known when the next server is silent until the end', async () => {
    server.fault = (request) => (request.params[0] === 'b' ? refusal(request) : undefined)
    second.fault = ({ method }) => (method.endsWith('get_balance') ? '' : undefined)
    const client = connect([server.url, second.url])
    const ending = new AbortController()
    const reading = client.round([call('a'), call('b')], readContext({ signal: ending.signal }))
    await expect.poll(() => second.seen.flatMap(({ params }) => params)).toContain('b')
    ending.abort()
    const [a, b] = await reading
    expect(a).toEqual(good)
    expect(b).toMatchObject({ ok: false, error: { message: 'Electrum: too large' } })
  })

  const faults: [string, FakeElectrum['fault']][] = [
    ['an HTML page', () => '<html>\n'],
    ['a line without end', () => 'x'.repeat(5_000)],
    ['an answer nobody asked for', () => electrumLine(99, 1)],
    [
      'half an answer and a cut',
      (_, socket) => {
        if (socket.writable) socket.end('{"id":0,"res')
        return ''
      },
    ],
    ['silence', () => ''],
    [
      'another network',
      ({ id, method }) => (method.includes('header') ? electrumLine(id, '00'.repeat(80)) : undefined),
    ],
    ['neither result nor error', ({ id }) => `{"id":${id}}\n`],
  ]
  it.each(faults)('goes to the next server after %s, and stays there', async (name, fault) => {
    server.fault = fault
    // Only silence is waited out; a loaded machine must not turn the other faults into it.
    const wait = name === 'silence' ? { connectTimeoutMs: 1_500, answerTimeoutMs: 1_500 } : {}
    const client = connect([server.url, second.url], wait)
    expect(await client.round([call('a')], readContext())).toEqual([good])
    const before = server.connections
    expect(await client.round([call('b')], readContext())).toEqual([good])
    expect(server.connections).toBe(before)
  })

  it('opens a new connection after the old one died', async () => {
    const client = connect([server.url])
    await client.round([call('a')], readContext())
    for (const socket of server.open) socket.destroy()
    expect(await client.round([call('b')], readContext())).toEqual([good])
    expect(server.connections).toBe(2)
  })

  it('closes a connection that rests', async () => {
    const client = connect([server.url], { idleMs: 30 })
    await client.round([call('a')], readContext())
    await expect.poll(() => server.open.size).toBe(0)
  })

  it('gives up connecting to a server that does not accept', async () => {
    const deaf = createServer().listen(0, '127.0.0.1')
    deaf.on('connection', (socket) => socket.on('error', () => undefined))
    await new Promise((resolve) => deaf.once('listening', resolve))
    const address = deaf.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const client = connect([`tls://127.0.0.1:${port}`], { connectTimeoutMs: 200 })
    await expect(client.round([call('a')], readContext())).rejects.toThrow('in time')
    client.close()
    deaf.close()
  })

  it('cuts the connection when its only reader leaves, but not under another reader', async () => {
    server.fault = ({ method }) => (method.includes('get_balance') ? '' : undefined)
    const client = connect([server.url], { answerTimeoutMs: 5_000 })
    const [leaving, staying] = [new AbortController(), new AbortController()]
    const first = client.round([call('a')], readContext({ signal: leaving.signal }))
    const other = client.round([call('b')], readContext({ signal: staying.signal }))
    await expect.poll(() => server.seen.length).toBe(4)
    leaving.abort()
    await expect(first).rejects.toThrow('cancelled')
    expect(server.open.size).toBe(1)
    staying.abort()
    await expect(other).rejects.toThrow('cancelled')
    await expect.poll(() => server.open.size).toBe(0)
  })

  it('cuts a handshake that nobody waits for any more', async () => {
    server.fault = () => ''
    // Longer than the test waits: only the reader's leaving may cut it.
    const client = connect([server.url], { connectTimeoutMs: 600_000, answerTimeoutMs: 600_000 })
    const controller = new AbortController()
    const round = client.round([call('a')], readContext({ signal: controller.signal }))
    await expect.poll(() => server.seen.length).toBe(2)
    controller.abort()
    await expect(round).rejects.toThrow('cancelled')
    await expect.poll(() => server.open.size).toBe(0)
  })

  it('ends at the deadline', async () => {
    server.fault = () => ''
    const client = connect([server.url], { answerTimeoutMs: 60_000 })
    await expect(client.round([call('a')], readContext({ deadline: Date.now() + 50 }))).rejects.toThrow('in time')
  })

  it('speaks TLS, and refuses a certificate it cannot trust', async () => {
    const pem = (part: string) =>
      readFileSync(new URL(`../../../fixtures/tls/localhost-${part}.pem`, import.meta.url), 'utf8')
    const secure = await startFakeElectrum({ key: pem('key'), cert: pem('cert') })
    await expect(connect([secure.url]).round([call('a')], readContext())).rejects.toThrow('cannot be reached')
    const fingerprint = new X509Certificate(pem('cert')).fingerprint256
    expect(await connect([`${secure.url}#${fingerprint}`]).round([call('a')], readContext())).toEqual([good])
    expect(secure.seen.length).toBe(3)
    const other = `${secure.url}#${'00'.repeat(32)}`
    await expect(connect([other]).round([call('a')], readContext())).rejects.toThrow('another certificate')
    expect(secure.seen.length).toBe(3)
    await secure.close()
  })
})
