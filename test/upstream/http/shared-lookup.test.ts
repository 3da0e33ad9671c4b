import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createUpstreamRegistry } from '../../../src/upstream/http/origin-registry.ts'
import { createSharedLookup } from '../../../src/upstream/http/shared-lookup.ts'

type Ask = NonNullable<Parameters<typeof createSharedLookup>[0]>

/** A system resolver that answers when it is told to. */
function stage() {
  const asked: { host: string; tell: Parameters<Ask>[2] }[] = []
  let time = 0
  const lookup = createSharedLookup(
    (host, _options, tell) => void asked.push({ host, tell }),
    () => time,
  )
  const ask = (host: string): Promise<unknown> =>
    new Promise((resolve) => lookup(host, { all: true }, (error, address) => resolve(error ? error.code : address)))
  const pass = (ms: number): void => {
    time += ms
  }
  return { asked, ask, pass }
}

const HERE = [{ address: '127.0.0.1', family: 4 }]
const silent = Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' })

it('who connects while a name is looked up gets the same answer, and who comes later a new one', async () => {
  const { asked, ask } = stage()
  const both = Promise.all([ask('node.example'), ask('node.example')])
  expect(asked.map(({ host }) => host)).toEqual(['node.example'])
  asked[0]?.tell(null, HERE)
  expect(await both).toEqual([HERE, HERE])

  const later = ask('node.example')
  expect(asked).toHaveLength(2)
  asked[1]?.tell(silent, [])
  expect(await later).toBe('EAI_AGAIN')
})

it('a question that may be lost is asked again after a second', async () => {
  const { asked, ask, pass } = stage()
  const first = ask('node.example')
  pass(1_000)
  const second = ask('node.example')
  const third = ask('node.example')
  expect(asked).toHaveLength(2)
  asked[0]?.tell(silent, [])
  expect(await first).toBe('EAI_AGAIN')
  // What is told of the first question does not end the second.
  const fourth = ask('node.example')
  expect(asked).toHaveLength(2)
  asked[1]?.tell(null, HERE)
  expect(await Promise.all([second, third, fourth])).toEqual([HERE, HERE, HERE])
})

it('names whose servers are silent take no more than half of the places, however often they are asked for', () => {
  const { asked, ask, pass } = stage()
  for (let attempt = 0; attempt < 40; attempt += 1) {
    for (let name = 0; name < 30; name += 1) void ask(`silent-${name}.example`)
    pass(3_000)
  }
  expect(asked).toHaveLength(32)
  void ask('localhost')
  expect(asked.at(-1)?.host).toBe('localhost')
})

it('connections to upstreams are made by it, all of a registry by one', async () => {
  const server = createServer((_, answer) => answer.end('here'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const asked: string[] = []
  const registry = createUpstreamRegistry(undefined, (host, _options, tell) => {
    asked.push(host)
    tell(null, HERE)
  })
  for (const host of ['one.example', 'two.example']) {
    const { dispatcher, release } = registry.lease(`http://${host}:${port}`, { connectTimeoutMs: 3_000 })
    const { body } = await dispatcher.request({ path: '/', method: 'GET' })
    expect(await body.text()).toBe('here')
    await release()
  }
  expect(asked).toEqual(['one.example', 'two.example'])
})
