import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSharedNews } from '../../src/sharing/index.ts'
import { untilHeard, whyNoRedis } from '../support/programs/redis-server.ts'
import { eventually } from '../support/waiting/eventually.ts'
import { connect, redis } from './shared.ts'

const missing = whyNoRedis()

/** What `docs/deployment.md` lists for a user of the server. */
const MANUAL = '+set +get +del +pttl +incrby +decrby +pexpire +eval +info'

/** Two processes, and what the second one has heard. */
async function startTwo(url: string) {
  const [one, other] = [await connect(url), await connect(url)]
  const heard: string[] = []
  const tell = createSharedNews(one.server, 'told').tell
  createSharedNews(other.server, 'told').listen((text) => heard.push(text))
  return { one, other, tell, heard }
}

describe.skipIf(missing)('news', () => {
  it('come to the other processes, also behind a restart of the server', async () => {
    const server = await redis()
    const { one, other, tell, heard } = await startTwo(server.url)
    await eventually(async () => {
      tell('first')
      expect(heard).toContain('first')
    })
    await server.kill()
    await eventually(async () => expect(one.server.status().state).toBe('alone'))
    tell('nobody hears this')
    await server.restart()
    await eventually(async () => {
      tell('second')
      expect(heard).toContain('second')
    })
    expect(heard).not.toContain('nobody hears this')
    // Its connection for commands comes back by itself, not with the one that listens.
    await eventually(async () => expect(other.server.status().state).toBe('shared'))
  })

  it('are at the connections of all who listen once they count as sent', async () => {
    const { url } = await redis()
    const { server } = await connect(url)
    const { tell } = createSharedNews(server, 'told')
    const heard = [new Set<string>(), new Set<string>(), new Set<string>()]
    for (const own of heard) createSharedNews((await connect(url)).server, 'told').listen((text) => own.add(text))
    await untilHeard(url, heard.length)
    const late: string[] = []
    for (let at = 0; at < 500; at += 1) {
      const text = String(at)
      await tell(text)
      // Two turns, in one of which what is at the connections is read.
      await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
      if (!heard.every((own) => own.has(text))) late.push(text)
    }
    expect(late).toEqual([])
  })

  it('may have been lost before each time that they go both ways: at first, and behind a restart or a full server', async () => {
    const server = await redis()
    const { server: one } = await connect(server.url)
    let joined = 0
    createSharedNews(one, 'told').listen(
      () => undefined,
      () => {
        joined += 1
      },
    )
    await eventually(() => expect(joined).toBe(1))
    await server.kill()
    await eventually(() => expect(one.status().state).toBe('alone'))
    await server.restart()
    await eventually(() => expect(joined).toBe(2))
    const operator = new Redis(server.url)
    onTestFinished(() => operator.disconnect())
    // What it says while it is full is not sent, though it hears the others.
    await operator.config('SET', 'maxmemory', '1')
    await eventually(() => expect(one.status().state).toBe('alone'))
    await operator.config('SET', 'maxmemory', '0')
    await eventually(() => expect(joined).toBe(3))
  })

  it('are heard again where the connection to listen on was dropped without a word, and all else is answered', async () => {
    const { port, url } = await redis()
    const dropped = new Set<Socket>()
    const listening: Socket[] = []
    const between = createServer((socket) => {
      const behind = connectTo(port, '127.0.0.1')
      for (const end of [socket, behind]) end.on('error', () => undefined)
      socket.on('data', (bytes) => {
        if (bytes.includes('subscribe')) listening.push(socket)
        if (!dropped.has(socket)) behind.write(bytes)
      })
      behind.on('data', (bytes) => void (dropped.has(socket) || socket.write(bytes)))
      socket.on('close', () => behind.destroy())
    })
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void between.close())
    const [one, other] = [
      await connect(url),
      await connect(`redis://127.0.0.1:${(between.address() as AddressInfo).port}`, { timeoutMs: 1_000 }),
    ]
    const heard: string[] = []
    createSharedNews(other.server, 'told').listen((text) => heard.push(text))
    const { tell } = createSharedNews(one.server, 'told')
    const hears = (text: string) =>
      eventually(() => {
        void tell(text)
        expect(heard).toContain(text)
      })
    await hears('before')
    for (const socket of listening) dropped.add(socket)
    await hears('behind')
    expect(other.server.status().state).toBe('shared')
  })

  it('are heard as soon as the server lets one listen, which it refused before', async () => {
    const { url } = await redis()
    const operator = new Redis(url)
    await operator.call('ACL', 'SETUSER', 'firn', 'on', '>pw', '~firn:*', '&firn:*', '-@all', ...MANUAL.split(' '))
    const { tell, heard } = await startTwo(url.replace('//', '//firn:pw@'))
    await eventually(async () => expect(JSON.stringify(await operator.call('ACL', 'LOG'))).toContain('subscribe'))
    await operator.call('ACL', 'SETUSER', 'firn', '+publish', '+subscribe')
    await eventually(async () => {
      tell('news')
      expect(heard).toContain('news')
    })
    operator.disconnect()
  })

  it.each([
    ['are not sent by a user who may not, who shares all else', MANUAL, false],
    ['are sent by a user who may', `${MANUAL} +publish +subscribe`, true],
  ])('%s', async (_, permissions, isHeard) => {
    const { url } = await redis()
    const operator = new Redis(url)
    const rights = ['on', '>pw', '~firn:*', '&firn:*', '-@all', ...permissions.split(' ')]
    await operator.call('ACL', 'SETUSER', 'firn', ...rights)
    const { one, tell, heard } = await startTwo(url.replace('//', '//firn:pw@'))
    for (let round = 0; round < 20; round += 1) {
      tell('news')
      expect(await one.counters.add('sum', 1, Date.now() + 60_000)).toBe(round + 1)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(heard.length > 0).toBe(isHeard)
    expect(one.server.status().state).toBe('shared')
    expect(Number(await operator.get('firn:sum'))).toBe(20)
    operator.disconnect()
  })
})
