import { describe, expect, it } from 'vitest'
import { PASS_ON } from '../../../../src/api/node/gorilla/local-service.ts'
import { createContainerIndexService } from '../../../../src/api/node/services/container-index.ts'
import { idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { CONTAINER_INDEXES } from '../../../../src/services/containers/index.ts'
import { FIXTURES } from '../../../support/recorded/recordings.ts'
import { bodyOf, type Conversation, readConversations } from '../../../support/replay-node/recorded/conversations.ts'
import { compareReplies, dateOf } from '../../../support/replay-node/recorded/recorded-comparison.ts'
import { openRecordings } from '../../../support/replay-node/recorded/recordings.ts'
import { callLocal } from '../local-call.ts'
import { recordedContainers } from './recorded-containers.ts'

const recordings = openRecordings(FIXTURES)
const source = recordedContainers()
const service = createContainerIndexService(source)
const own = createContainerIndexService()

const endpointOf = ({ request }: Conversation): string => request.path.slice('/ext/'.length)
const isCall = (one: Conversation): boolean =>
  (CONTAINER_INDEXES as readonly string[]).includes(endpointOf(one).slice('index/'.length)) &&
  one.request.method === 'POST' &&
  one.response.status === 200

/** Where we differ on purpose: the specification wants an empty list. */
const asksForNothing = (one: Conversation): boolean =>
  /numToFetch must be in \[1,1024\] but is 0/.test(one.response.body ?? '')
const EMPTY_RANGE = '{"jsonrpc":"2.0","result":{"containers":[]},"id":1}\n'

const call = (params: string, method: string, endpoint = 'index/P/block', from = service) =>
  callLocal(from, endpoint, `{"jsonrpc":"2.0","id":1,"method":"index.${method}","params":${params}}`)
const errorOf = async (answer: ReturnType<typeof call>): Promise<string> =>
  (JSON.parse(String(await answer)) as { error: { message: string } }).error.message

describe('recorded conversations about the index, over own containers', () => {
  const conversations = readConversations(recordings, 'network-moment').filter(isCall)

  it('are there', () => {
    expect(conversations.length).toBeGreaterThan(200)
    expect(conversations.filter(asksForNothing).length).toBeGreaterThan(5)
  })

  it.each(conversations.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    source.at = dateOf(one) + 999
    const answer = await callLocal(service, endpointOf(one), bodyOf(one.request))
    if (asksForNothing(one)) return expect(answer).toBe(EMPTY_RANGE)
    const reply = { status: 200, headers: one.response.headers, body: String(answer) }
    expect(compareReplies(one, reply), `${String(answer)}\n${one.response.body}`).toBe('identical')
  })
})

describe('recorded conversations about an index without containers', () => {
  // The last five minutes of that recording are of a network with blocks of its own.
  const conversations = readConversations(recordings, 'legacy').filter(
    (one) => isCall(one) && !one.name.startsWith('index-with-data'),
  )

  it.each(conversations.map((one) => [`${one.name} ${one.request.body}`, one] as const))('%s', async (_name, one) => {
    source.at = 0
    const answer = await callLocal(service, endpointOf(one), bodyOf(one.request))
    expect(answer).toBe(asksForNothing(one) ? EMPTY_RANGE : one.response.body)
  })
})

describe('getContainerRange', () => {
  it('of more bytes than are put together in memory is an error, and nothing of it is read', async () => {
    const asked: number[] = []
    const heavy = createContainerIndexService({
      ...source,
      size: async (_index, _from, count) => BigInt(count) * 1_000_000n,
      range: async (...[index, from, count]) => {
        asked.push(count)
        return source.range(index, from, count)
      },
    })
    const range = (count: number) =>
      call(`{"startIndex":1,"numToFetch":${count}}`, 'getContainerRange', 'index/P/block', heavy)
    source.at = Number.POSITIVE_INFINITY
    expect(await errorOf(range(68))).toBe('68 containers are more than 67108864 bytes: ask for fewer')
    expect(asked).toEqual([])
    expect(String(await range(67))).toBe(String(await call('{"startIndex":1,"numToFetch":67}', 'getContainerRange')))
    expect(asked).toEqual([67])
  })

  it('of nothing is an empty list, also beyond the end, on an empty index and where a node answers', async () => {
    source.at = Number.POSITIVE_INFINITY
    expect(await call('{"startIndex":99999999,"numToFetch":0}', 'getContainerRange')).toBe(EMPTY_RANGE)
    expect(await call('{}', 'getContainerRange', 'index/X/vtx')).toBe(EMPTY_RANGE)
    expect(await call('{"numToFetch":0}', 'getContainerRange', 'index/C/block', own)).toBe(EMPTY_RANGE)
  })

  it('gives what is left at the end, at most 1,024', async () => {
    source.at = Number.POSITIVE_INFINITY
    const last = await source.lastAccepted('C/block')
    const from = (last?.index ?? 0n) - 1n
    const answer = await call(`{"startIndex":"${from}","numToFetch":1024}`, 'getContainerRange', 'index/C/block')
    const { containers } = (JSON.parse(String(answer)) as { result: { containers: { index: string }[] } }).result
    expect(containers.map(({ index }) => index)).toEqual([String(from), String(from + 1n)])
    const single = await call(`{"startIndex":"${from + 1n}","numToFetch":5}`, 'getContainerRange', 'index/C/block')
    expect(JSON.parse(String(single)).result.containers).toEqual(containers.slice(1))
    expect(await errorOf(call('{"numToFetch":1025}', 'getContainerRange'))).toBe(
      'numToFetch must be in [1,1024] but is 1025',
    )
    expect(
      await errorOf(call(`{"startIndex":"${from + 2n}","numToFetch":1}`, 'getContainerRange', 'index/C/block')),
    ).toBe(`start index (${from + 2n}) > last accepted index (${from + 1n})`)
  })
})

describe('an index that is not at the tip', () => {
  it('counts again once the network was restarted: nothing that a node has told is there any more', async () => {
    const at = { isCurrent: false }
    const restarts: (() => void)[] = []
    const own = { ...source, current: async () => at.isCurrent }
    const service = createContainerIndexService(own, (listener) => void restarts.push(listener))
    const last = await source.lastAccepted('P/block')
    const id = idToCb58('ab'.repeat(32))
    const later = `{"id":"${id}","index":"${(last?.index ?? 0n) + 1n}"}`
    const to = (method: string, params: string) =>
      callLocal(service, 'index/P/block', `{"jsonrpc":"2.0","id":7,"method":"index.${method}","params":${params}}`, {
        ask: async () => later,
      })
    await to('getLastAccepted', '{"encoding":"hex"}')
    at.isCurrent = true
    expect(await to('isAccepted', `{"id":"${id}"}`)).toContain(later)
    for (const restart of restarts) restart()
    expect(await to('isAccepted', `{"id":"${id}"}`)).toContain('"isAccepted":false')
  })

  it('does not deny what a node has told, though another one that is asked for the tip lacks it, too', async () => {
    const asked: [string, unknown][] = []
    const at = { isCurrent: false }
    const last = await source.lastAccepted('P/block')
    const later = `{"id":"${idToCb58('ab'.repeat(32))}","index":"${(last?.index ?? 0n) + 1n}"}`
    const behind = createContainerIndexService({ ...source, current: async () => at.isCurrent })
    const ask = async (method: string, params: unknown) => {
      asked.push([method, params])
      return later
    }
    const to = (method: string, params: string) =>
      callLocal(behind, 'index/P/block', `{"jsonrpc":"2.0","id":7,"method":"index.${method}","params":${params}}`, {
        ask,
      })
    expect(await to('getLastAccepted', '{"encoding":"HEX"}')).toBe(`{"jsonrpc":"2.0","result":${later},"id":7}\n`)
    at.isCurrent = true
    const id = idToCb58('ab'.repeat(32))
    for (const method of ['isAccepted', 'getIndex']) expect(await to(method, `{"id":"${id}"}`)).toContain(later)
    expect(await to('getContainerByID', `{"id":"${id}"}`)).toContain(later)
    expect(asked).toEqual([
      ['index.getLastAccepted', { encoding: 'hex' }],
      ['index.isAccepted', { id }],
      ['index.getIndex', { id }],
      ['index.getContainerByID', { id, encoding: 'hex' }],
    ])
  })
})

describe('an index that is not complete here', () => {
  it("is a node's to answer also when it becomes so while the newest block is waited for: what was read by height has no container", async () => {
    const becoming = createContainerIndexService({
      ...source,
      complete: async () => source.isComplete,
      async current() {
        source.isComplete = false
        return true
      },
    })
    const unknown = idToCb58('ab'.repeat(32))
    try {
      for (const method of ['isAccepted', 'getIndex', 'getContainerByID', 'getLastAccepted']) {
        source.isComplete = true
        expect(await call(`{"id":"${unknown}","encoding":"hex"}`, method, 'index/P/block', becoming)).toBe(PASS_ON)
      }
    } finally {
      source.isComplete = true
    }
  })

  it("is a node's to answer, but wrong arguments are refused at once", async () => {
    source.isComplete = false
    try {
      for (const method of ['getContainerByIndex', 'getContainerByID', 'getLastAccepted', 'getIndex', 'isAccepted'])
        expect(await call('{}', method)).toBe(PASS_ON)
      expect(await call('{"numToFetch":2000}', 'getContainerRange')).toBe(PASS_ON)
      expect(await call('{}', 'getLastAccepted', 'index/P/block', own)).toBe(PASS_ON)
      expect(await errorOf(call('{"id":5}', 'getIndex'))).toMatch(/^couldn't unmarshal an argument/)
      // Methods that answer without bytes have no such argument.
      expect(await call('{"encoding":5}', 'getIndex')).toBe(PASS_ON)
      expect(await call('{"encoding":"x"}', 'isAccepted')).toBe(PASS_ON)
      expect(await errorOf(call('{"encoding":5}', 'getContainerByID'))).toMatch(/^couldn't unmarshal an argument/)
    } finally {
      source.isComplete = true
    }
  })
})
