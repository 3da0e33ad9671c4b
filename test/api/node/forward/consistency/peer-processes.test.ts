import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ForwardCall } from '../../../../../src/api/node/forward/call.ts'
import {
  createPeerProcesses,
  type PeerMessage,
  type SharedNews,
} from '../../../../../src/api/node/forward/consistency/peer-processes.ts'
import { createNodePools, type NodePools } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { TEST_LIMITS } from '../../../../support/upstream/upstream-pool.ts'
import { until } from '../../../../support/waiting/until.ts'
import { createForwarderAlone } from '../forwarder-alone.ts'

/** What one says all hear, whoever says it. */
function startNews(): SharedNews {
  const listeners: ((text: string) => void)[] = []
  return {
    tell: (text) => {
      for (const listener of listeners) listener(text)
      return undefined
    },
    listen: (listener) => void listeners.push(listener),
  }
}

/** Of the only process. */
const nothing = { tell: () => undefined, sent: () => undefined, recall: () => undefined }

const listen = (news: SharedNews): { heard: PeerMessage[]; tell(told: PeerMessage): void } => {
  const heard: PeerMessage[] = []
  const peers = createPeerProcesses(news)
  peers.hear((told) => heard.push(told))
  return { heard, tell: peers.tell }
}

it('others hear what one process tells, and it does not hear itself', () => {
  const news = startNews()
  const [one, another] = [listen(news), listen(news)]
  one.tell({ kind: 'height', endpoint: 'P', method: 'platform.getHeight', height: '101', host: 'a:9650' })
  another.tell({ kind: 'awaited', id: 'sent' })
  expect(another.heard).toMatchObject([{ kind: 'height', height: '101', host: 'a:9650' }])
  expect(one.heard).toMatchObject([{ kind: 'awaited', id: 'sent' }])
})

it('messages on their way are waited for, but not behind one that was lost until the next has gone out', async () => {
  const ways: ((isSent: boolean) => void)[] = []
  const tell = () => new Promise<boolean>((resolve) => ways.push(resolve))
  const one = createPeerProcesses({ tell, listen: () => undefined })
  const arrive = async (isSent: boolean): Promise<void> => {
    const waiting = one.sent()
    ways.shift()?.(isSent)
    await waiting
    await nextTurn()
  }
  expect(one.sent()).toBeUndefined()
  for (const id of ['first', 'second']) one.tell({ kind: 'awaited', id })
  expect(one.sent()).toBeInstanceOf(Promise)
  await Promise.all([one.sent(), arrive(true), arrive(true)])
  expect(one.sent()).toBeUndefined()
  for (const id of ['lost', 'third']) one.tell({ kind: 'awaited', id })
  ways.shift()?.(false)
  await nextTurn()
  expect(one.sent()).toBeUndefined()
  await arrive(true)
  one.tell({ kind: 'awaited', id: 'fourth' })
  expect(one.sent()).toBeInstanceOf(Promise)
})

it('who starts, or lost messages, is told again what others know, once for all that ask at a time', async () => {
  const news = startNews()
  const joins: (() => void)[] = []
  const start = (known: readonly PeerMessage[]) => {
    const heard: PeerMessage[] = []
    const peers = createPeerProcesses({
      tell: news.tell,
      listen: (listener, onJoined = () => undefined) => {
        news.listen(listener)
        joins.push(onJoined)
      },
    })
    peers.hear((told) => heard.push(told))
    peers.recall(() => known)
    return heard
  }
  const height: PeerMessage = { kind: 'height', endpoint: 'P', method: 'platform.getHeight', height: '101' }
  const heard = [start([height]), start([{ kind: 'awaited', id: 'sent' }]), start([])]
  for (const join of joins) join()
  await until(() => heard.every((told) => told.some(({ kind }) => kind !== 'asks')), 'an answer')
  for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  expect(heard.map((told) => told.filter(({ kind }) => kind === 'height').length)).toEqual([0, 1, 1])
  expect(heard.map((told) => told.filter(({ kind }) => kind === 'awaited').length)).toEqual([1, 0, 1])
})

it.each([
  ['no JSON', 'height'],
  ['no object', '["height"]'],
  ['a kind of a later version', '{"kind":"weather","id":"x"}'],
  ['a height that is none', '{"kind":"height","endpoint":"P","method":"m","height":"-1","host":"a"}'],
  ['a height of a node that is no text', '{"kind":"height","endpoint":"P","method":"m","height":"1","host":1}'],
  ['nodes that are no texts', '{"kind":"lacking","endpoint":"P","method":"m","body":"","hosts":[1]}'],
  ['a block of a chain without an id', '{"kind":"block","path":"/ext/bc/x/rpc","height":"1","source":{}}'],
  ['a block of no chain', '{"kind":"block","path":"/ext/bc/C/rpc","height":"1"}'],
])('%s is not heard', (_, text) => {
  const news = startNews()
  const { heard } = listen(news)
  news.tell(text)
  expect(heard).toEqual([])
})

it('no message ends the process: of a chain that cannot be, or with more nodes than a call takes arguments', async () => {
  const news = startNews()
  const peers = createPeerProcesses(news)
  const pools = createNodePools({ nodes: [{ url: 'http://127.0.0.1:9' }], evm: {}, limits: TEST_LIMITS, deps: {} })
  peers.hear((told) => {
    if (told.kind === 'block') pools.group(told.source)
  })
  const heard: PeerMessage[] = []
  peers.hear((told) => heard.push(told))
  const source = { blockchainId: 'constructor', extension: 'rpc' }
  const hosts = Array.from({ length: 200_000 }, (_, at) => `node-${at}`)
  news.tell(JSON.stringify({ kind: 'block', path: '/ext/bc/constructor/rpc', height: '1', source, by: 'x' }))
  news.tell(JSON.stringify({ kind: 'lacking', endpoint: 'X', method: 'avm.getTxStatus', body: '{}', hosts, by: 'x' }))
  expect(heard.map(({ kind }) => kind)).toEqual(['block', 'lacking'])
  await pools.close()
})

it.each([
  ['as it is asked', '', [{ kind: 'lacking', method: 'avm.getTxStatus', hosts: ['two'] }]],
  // A part of it would be no question.
  ['not where it is long', ' '.repeat(1_024), []],
])('the question that a node has to answer differently is told %s', async (_, filling, expected) => {
  const answer = { host: 'one', status: 200, headers: {}, body: Buffer.from('{"result":{"status":"Accepted"}}') }
  const rpc = async () => ({ height: '1' })
  const pool = { head: () => undefined, status: () => [], exchange: async () => answer, rpc }
  const group = {
    pool,
    path: () => '',
    hosts: ['one', 'two'],
    members: () => ['one', 'two'].map((host) => ({ host, pool, path: () => '' })),
  }
  const told: PeerMessage[] = []
  const listeners: ((heard: PeerMessage) => void)[] = []
  const forwarder = createForwarderAlone({
    pools: { group: () => group, onReset: () => undefined } as unknown as NodePools,
    peers: { ...nothing, tell: (news) => told.push(news), hear: (one) => listeners.push(one) },
  })
  for (const listener of listeners) listener({ kind: 'awaited', id: 'sent' })
  const params = Buffer.from('{"txID":"sent"}')
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"avm.getTxStatus","params":${params}}${filling}`)
  const rule = { target: 'any', news: true, finalWhen: ['"status":"Accepted"'] }
  const endpoint = { path: '/ext/bc/X', dialect: 'gorilla', name: 'X', source: 'X' }
  const http = { method: 'POST', contentType: 'application/json', contentEncoding: undefined, query: '', body }
  const { signal } = new AbortController()
  await forwarder.forward({ endpoint, rule, http, params, signal, method: 'avm.getTxStatus' } as unknown as ForwardCall)
  expect(told).toMatchObject(expected)
  if (expected.length > 0) expect(told).toMatchObject([{ body: body.toString() }])
})

it('what is kept of the tip is asked anew once a client of another process was told more, and once the chain begins anew', async () => {
  let asked = 0
  const answer = {
    host: 'one',
    status: 200,
    headers: {},
    body: Buffer.from('{"jsonrpc":"2.0","result":{"balance":"1"},"id":1}\n'),
  }
  const exchange = async () => {
    asked += 1
    return answer
  }
  let head: bigint | undefined = 100n
  const pool = { head: () => head, status: () => [], exchange, rpc: async () => ({ height: '100' }) }
  const member = { host: 'one', pool, path: () => '' }
  const group = { pool, path: () => '', hosts: ['one'], members: () => [member] }
  const listeners: ((heard: PeerMessage) => void)[] = []
  const anew: (() => void)[] = []
  const forwarder = createForwarderAlone({
    pools: { group: () => group, onReset: (one: () => void) => anew.push(one) } as unknown as NodePools,
    tipCacheMs: 600_000,
    peers: { ...nothing, hear: (one) => listeners.push(one) },
  })
  const [params, id] = [Buffer.from('{}'), Buffer.from('1')]
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"platform.getBalance","params":${params}}`)
  const endpoint = { path: '/ext/bc/P', dialect: 'gorilla', name: 'P', source: 'P' }
  const http = { method: 'POST', contentType: 'application/json', contentEncoding: undefined, query: '', body }
  const call = { endpoint, rule: { target: 'any', finality: 'tip' }, http, params, id, isClean: () => true }
  const { signal } = new AbortController()
  /** How often the node is asked for two calls. */
  const ask = async (): Promise<number> => {
    const before = asked
    for (let time = 0; time < 2; time++)
      await forwarder.forward({ ...call, signal, method: 'platform.getBalance' } as unknown as ForwardCall)
    return asked - before
  }
  const hear = (told: PeerMessage): void => {
    for (const listener of listeners) listener(told)
  }
  expect([await ask(), await ask()]).toEqual([1, 0])
  hear({ kind: 'height', endpoint: 'P', method: 'platform.getHeight', height: '101', host: 'one' })
  expect(await ask()).toBe(1)
  hear({ kind: 'lacking', endpoint: 'P', method: 'platform.getTxStatus', body: '{}', hosts: [] })
  expect(await ask()).toBe(1)
  for (const begin of anew) begin()
  expect(await ask()).toBe(1)
  // Nobody can say when it changes.
  head = undefined
  expect(await ask()).toBe(2)
})
