import { describe, expect, it } from 'vitest'
import { BadAnswerError, UpstreamRateLimitedError } from '../../../src/errors.ts'
import type { IdentityProbe } from '../../../src/upstream/index.ts'
import type { FaultServerOptions } from '../../support/upstream/fault-server.ts'
import { startTestPool, type TestPool } from '../../support/upstream/upstream-pool.ts'

const identity: IdentityProbe = {
  network: 'the main network',
  path: '',
  rpc: 'whoami',
  parse: (answer) => (typeof answer === 'string' ? answer : undefined),
  matches: (network) => network === 'main',
}
const serverOf = (network: unknown, balance: number, more: Partial<FaultServerOptions> = {}): FaultServerOptions => ({
  answer: ({ method }) => (method === 'whoami' ? network : balance),
  ...more,
})
/** Reads until the condition holds; each answer has to be that of the server that never moved. */
const until = async (condition: () => boolean, what: string, read: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 100; !condition(); n += 1) {
    if (n > 10_000) throw new Error(`never happened: ${what}`)
    expect(await read(n)).toBe(8)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
const balance = ({ pool }: TestPool) => pool.rpc('', 'balance', [])
const asked = ({ servers }: TestPool, at: number) => servers[at]?.stats.seen.map(({ method }) => method) ?? []

describe('a pool that knows its network', () => {
  it('never takes the answer of a server of another network, whoever else is in trouble', async () => {
    const started = await startTestPool([serverOf('main', 7), serverOf('test', 0)], { deps: { identity } })
    expect(await balance(started)).toBe(7)
    started.servers[0]?.set({ status: 500 })
    await expect(balance(started)).rejects.toThrow('status 500')
    started.servers[0]?.set({})
    expect(await balance(started)).toBe(7)
  })

  it('goes on to the next when the first is of another network, and asks that one nothing more', async () => {
    const started = await startTestPool([serverOf('test', 0), serverOf('main', 7)], { deps: { identity } })
    for (let at = 0; at < 5; at++) expect(await balance(started)).toBe(7)
    expect(asked(started, 0).sort()).toEqual(['balance', 'whoami'])
    expect(asked(started, 1).filter((method) => method === 'whoami')).toHaveLength(1)
    expect(started.pool.status()).toMatchObject([
      { healthy: false, foreign: true },
      { healthy: true, foreign: false },
    ])
  })

  it('asks the next, also for what is sent only once, and behind more than may fail in one read', async () => {
    const foreign = Array.from({ length: 4 }, () => serverOf('test', 0))
    const started = await startTestPool([...foreign, serverOf('main', 7)], { deps: { identity } })
    expect(await balance(started)).toBe(7)
    expect(await started.pool.rpc('', 'balance', [], { idempotent: false })).toBe(7)
  })

  it('says so when there is no other', async () => {
    const started = await startTestPool([serverOf('test', 0)], { deps: { identity } })
    for (let at = 0; at < 2; at++) {
      const error = await balance(started).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(BadAnswerError)
      expect(String(error)).toContain('server is not on the main network')
    }
  })

  it('believes a server that cannot tell, and one that is in trouble when it is asked', async () => {
    for (const server of [
      serverOf({ no: 'name' }, 7),
      serverOf('test', 7, { faults: { rpcError: { code: -32_601, message: 'not found', methods: ['whoami'] } } }),
    ]) {
      const started = await startTestPool([server], { deps: { identity } })
      expect(await balance(started)).toBe(7)
    }
  })

  it('tells a rate limit of its own servers, not the network of others', async () => {
    const started = await startTestPool([serverOf('test', 0), serverOf('main', 7)], { deps: { identity } })
    expect(await balance(started)).toBe(7)
    started.servers[1]?.set({ rateLimited: { retryAfterSeconds: 60 } })
    const late = started.pool.rpc('', 'balance', [1], { deadline: Date.now() + 30_000 })
    expect(await late.catch((reason: unknown) => reason)).toBeInstanceOf(UpstreamRateLimitedError)
  })

  it('does not follow the height of another network', async () => {
    const headProbe = {
      path: '',
      method: 'height',
      params: [],
      parse: (height: unknown) => BigInt(String(height)),
      intervalMs: 20,
    }
    const heights = (network: string, height: number): FaultServerOptions => ({
      answer: ({ method }) => (method === 'whoami' ? network : height),
    })
    const started = await startTestPool([heights('main', 100), heights('test', 900)], {
      deps: { identity, headProbe },
    })
    await balance(started)
    started.servers[0]?.set({ status: 500 })
    await balance(started).catch(() => {})
    started.servers[0]?.set({})
    const until = Date.now() + 10_000
    while (started.pool.status()[0]?.lagBlocks !== 0 && Date.now() < until) {
      await balance(started).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(started.pool.status()[0]?.lagBlocks).toBe(0)
  })

  it('asks a server again that was away: its address may be that of another network by then', async () => {
    let network = 'main'
    const moved = {
      answer: ({ method }: { method: string }) => (method === 'whoami' ? network : network === 'main' ? 7 : 0),
    }
    const started = await startTestPool([moved, serverOf('main', 8)], {
      deps: { identity },
      limits: { breakerFailures: 1, breakerOpenMs: 20 },
      // The first is preferred however fast the other is.
      spec: (_url, index) => ({ priority: index }),
    })
    const [first] = started.servers
    const read = (n: number) => started.pool.rpc('', 'balance', [n])
    expect(await read(0)).toBe(7)
    first?.set({ status: 500 })
    expect(await read(1)).toBe(8)
    network = 'test'
    first?.set({})
    await until(() => asked(started, 0).filter((method) => method === 'whoami').length > 1, 'it is asked again', read)
    for (let n = 0; n < 20; n += 1) expect(await read(n)).toBe(8)
    expect(started.pool.status()[0]?.healthy).toBe(false)
  })

  it('asks again whenever no connection was left, before an answer counts', async () => {
    let network = 'main'
    const answer = ({ method }: { method: string }) => (method === 'whoami' ? network : 0)
    const started = await startTestPool([{ answer }], { deps: { identity } })
    expect(await balance(started)).toBe(0)
    const [server] = started.servers
    const comesBackAs = async (name: string) => {
      await server?.down()
      network = name
      await server?.up()
    }
    const told = () => balance(started).catch(String)
    await comesBackAs('test')
    await expect.poll(told).toContain('server is not on the main network')
    await comesBackAs('main')
    await expect.poll(told).toBe(0)
    expect(asked(started, 0).filter((method) => method === 'whoami')).toHaveLength(3)
  })

  it('does not ask at each call one that closes each connection', async () => {
    const handle: FaultServerOptions['handle'] = (_, body) => ({
      headers: { connection: 'close' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: body.includes('whoami') ? 'main' : 7 }),
    })
    const started = await startTestPool([{ handle }], { deps: { identity } })
    for (let at = 0; at < 20; at++) expect(await balance(started)).toBe(7)
    expect(started.servers[0]?.stats.connections).toBe(21)
  })

  it('asks again when the tip fell, which shows another chain behind the same gateway', async () => {
    let chain = { network: 'main', height: 100 }
    const answers: Record<string, () => unknown> = { whoami: () => chain.network, height: () => chain.height }
    const parse = (height: unknown): bigint => BigInt(String(height))
    const headProbe = { path: '', method: 'height', params: [], parse, intervalMs: 10 }
    const started = await startTestPool([{ answer: ({ method }) => answers[method]?.() ?? 0 }], {
      deps: { identity, headProbe },
    })
    const questions = () => asked(started, 0).filter((method) => method === 'whoami').length
    const heard = async (height: number) => {
      while (started.pool.status()[0]?.height !== BigInt(height)) {
        await balance(started).catch(() => {})
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    await heard(100)
    chain = { network: 'main', height: 98 }
    await heard(98)
    expect(questions()).toBe(1)
    chain = { network: 'test', height: 3 }
    await heard(3)
    await expect(balance(started)).rejects.toThrow('server is not on the main network')
    expect(questions()).toBe(2)
  })

  it('holds nobody who has left', async () => {
    let tell: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      tell = resolve
    })
    const started = await startTestPool(
      [serverOf('main', 7, { faults: ({ body }) => (body.includes('whoami') ? { held } : {}) })],
      { deps: { identity } },
    )
    const controller = new AbortController()
    const leaving = started.pool.rpc('', 'balance', [], { signal: controller.signal })
    const staying = balance(started)
    controller.abort()
    await expect(leaving).rejects.toThrow()
    tell()
    expect(await staying).toBe(7)
  })
})

describe('networks that go by one identity', () => {
  /** The first that tells its genesis decides. */
  const byGenesis = (): IdentityProbe => {
    let expected: string | undefined
    return {
      ...identity,
      genesis: {
        path: '',
        rpc: 'genesis',
        params: { height: '0' },
        parse: (answer) => (typeof answer === 'string' ? answer : undefined),
      },
      matches(network, genesis) {
        if (network !== 'main' || genesis === undefined) return network === 'main'
        expected ??= genesis
        return genesis === expected
      },
    }
  }
  const withGenesis = (genesis: unknown, told: number, network = 'main'): FaultServerOptions => ({
    answer: ({ method }) => (method === 'whoami' ? network : method === 'genesis' ? genesis : told),
  })
  const start = (servers: FaultServerOptions[]) => startTestPool(servers, { deps: { identity: byGenesis() } })

  it('are told apart by their genesis', async () => {
    const started = await start([withGenesis('a', 7), withGenesis('b', 0)])
    expect(await balance(started)).toBe(7)
    started.servers[0]?.set({ status: 500 })
    await expect(balance(started)).rejects.toThrow('status 500')
    expect(started.servers[1]?.stats.seen.find(({ method }) => method === 'genesis')?.params).toEqual({ height: '0' })
  })

  it('a server of another network decides nothing, and who does not tell is believed', async () => {
    const started = await start([withGenesis('b', 0, 'test'), withGenesis({}, 7), withGenesis('a', 7)])
    for (let at = 0; at < 3; at++) expect(await balance(started)).toBe(7)
    started.servers[1]?.set({ status: 500 })
    for (let at = 0; at < 3; at++) expect(await balance(started)).toBe(7)
  })

  it('who was right is asked for both at once when it comes back, as somebody waits for it', async () => {
    const together: string[] = []
    const started = await start([withGenesis('a', 7)])
    expect(await balance(started)).toBe(7)
    const [server] = started.servers
    await server?.down()
    await server?.up()
    let tell: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      tell = resolve
    })
    server?.set(({ body }) => {
      if (body.includes('whoami') || body.includes('genesis'))
        together.push(body.includes('whoami') ? 'who' : 'genesis')
      if (together.length === 2) tell()
      return body.includes('whoami') ? { held } : {}
    })
    await expect
      .poll(async () => [await balance(started).catch(String), together.sort()])
      .toEqual([7, ['genesis', 'who']])
  })

  it('who told its genesis before and does not yet when it comes back is asked again soon', async () => {
    for (const notYet of [{ status: 404 }, { rpcError: { code: -32_000, message: 'not yet', methods: ['genesis'] } }]) {
      let genesis = 'a'
      const answer = ({ method }: { method: string }) =>
        method === 'whoami' ? 'main' : method === 'genesis' ? genesis : genesis === 'a' ? 7 : 0
      const started = await start([{ answer }])
      expect(await balance(started)).toBe(7)
      const [server] = started.servers
      await server?.down()
      await server?.up()
      let early = 0
      server?.set(({ body }) => {
        if (!body.includes('genesis')) return {}
        early += 1
        return notYet
      })
      const told = () => balance(started).catch(String)
      await expect.poll(async () => [await told(), early > 0]).toEqual([7, true])
      genesis = 'b'
      server?.set()
      await expect.poll(told).toContain('not on the main network')
    }
  })

  it('a server of another network is none of ours, also where it does not answer for its genesis', async () => {
    const handle: FaultServerOptions['handle'] = (_, body) =>
      body.includes('"genesis"') ? { status: 404, body: 'no such path' } : undefined
    const foreign = { ...withGenesis('b', 0, 'test'), handle }
    const started = await start([foreign, withGenesis('a', 7)])
    for (let at = 0; at < 3; at++) expect(await balance(started)).toBe(7)
    started.servers[1]?.set({ status: 500 })
    await expect(balance(started)).rejects.toThrow()
  })
})
