import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordedLines } from '../../../support/recorded/recordings.ts'
import { type ReplayNode, startReplayNode } from '../../../support/replay-node/index.ts'
import { type IndexedServer, startIndexedServer } from '../../data/indexed-server.ts'
import { readHealth, untilHealth } from './health-stage.ts'

interface TxLine {
  id: string
  height: number
  hex: string
}
interface BlockLine {
  container: { timestamp: string } | null
}
interface Container {
  id: string
  bytes: string
  timestamp: string
  encoding: string
  index: string
}

const INDEXES = ['P/block', 'X/block', 'C/block'] as const

/** Method and params of calls that cover all six methods, with answers and errors. */
function callsAbout(known: string, last: number): [string, object][] {
  const unknown = '11111111111111111111111111111111LpoYY'
  return [
    ...['hex', 'hexc', 'hexnc', 'json'].map((encoding): [string, object] => ['getLastAccepted', { encoding }]),
    ['getContainerByIndex', { index: 0, encoding: 'hexnc' }],
    ['getContainerByIndex', { index: String(last) }],
    ['getContainerByIndex', { index: last + 1 }],
    ['getContainerByIndex', { index: '18446744073709551615' }],
    ['getContainerByID', { id: known }],
    ['getContainerByID', { id: unknown }],
    ['getIndex', { id: known }],
    ['getIndex', {}],
    ['isAccepted', { id: known }],
    ['isAccepted', { id: unknown }],
    ['getContainerRange', { startIndex: 0, numToFetch: 1024 }],
    ['getContainerRange', { startIndex: last, numToFetch: 1024, encoding: 'HEX' }],
    ['getContainerRange', { startIndex: last + 1, numToFetch: 1 }],
    ['getContainerRange', { startIndex: 0, numToFetch: 1025 }],
    ['getContainerRange', { startIndex: -1, numToFetch: 1 }],
    ['getFoo', {}],
  ]
}

/** Where the P-chain stands in the beginning and at the end of the tests. */
const FIRST = 300
const LAST = 303

describe('the index API of a server with an index of its own', () => {
  let server: IndexedServer
  let other: ReplayNode
  beforeAll(async () => {
    server = await startIndexedServer(undefined, { P: FIRST })
    // What a node with an index says to the same questions.
    other = await startReplayNode({ upTo: { P: LAST } })
  })
  afterAll(async () => {
    await other.stop()
    await server.stop()
  })

  const ask = async (base: string, index: string, method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'a<b', method: `index.${method}`, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${base}/ext/index/${index}`, { method: 'POST', headers, body })
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  }
  const result = async <T>(index: string, method: string, params: object): Promise<T> => {
    const { text } = await ask(server.url, index, method, params)
    return (JSON.parse(text) as { result: T }).result
  }

  it('never shows a container that is not the last of the node any more', async () => {
    for (let height = FIRST + 1; height <= LAST; height += 1) {
      server.node.moveTo({ P: height })
      expect((await result<Container>('P/block', 'getLastAccepted', {})).index).toBe(String(height - 1))
    }
    // From now on the node has no index: what is answered comes from here.
    server.node.faults.indexOff = true
  })

  it.each(INDEXES)('%s is answered byte for byte as by a node', async (index) => {
    expect((await ask(server.node.url, index, 'getLastAccepted', {})).status).toBe(404)
    const last = JSON.parse((await ask(other.url, index, 'getLastAccepted', {})).text) as { result: Container }
    for (const [method, params] of callsAbout(last.result.id, Number(last.result.index)))
      expect(await ask(server.url, index, method, params), `${method} ${JSON.stringify(params)}`).toEqual(
        await ask(other.url, index, method, params),
      )
  })

  it('X/tx holds what the X blocks accepted, in their order and at their times', async () => {
    const times = recordedLines<BlockLine>('x-blocks').map(({ container }) => container?.timestamp)
    const wanted = recordedLines<TxLine>('x-txs')
    const { containers } = await result<{ containers: Container[] }>('X/tx', 'getContainerRange', { numToFetch: 1024 })
    expect(containers).toHaveLength(wanted.length)
    const byId = new Map(wanted.map((tx) => [tx.id, tx] as const))
    for (const [at, container] of containers.entries()) {
      const tx = byId.get(container.id)
      expect(container).toEqual({
        id: tx?.id,
        bytes: tx?.hex,
        timestamp: times[tx?.height ?? 0],
        encoding: 'hex',
        index: String(at),
      })
    }
    const heights = containers.map(({ id }) => byId.get(id)?.height ?? 0)
    expect(heights).toEqual([...heights].sort((a, b) => a - b))
    const [first, last] = [containers[0], containers.at(-1)]
    expect(await result('X/tx', 'getLastAccepted', {})).toEqual(last)
    expect(await result('X/tx', 'getContainerByIndex', {})).toEqual(first)
    expect(await result('X/tx', 'getContainerByID', { id: last?.id })).toEqual(last)
    expect(await result('X/tx', 'getIndex', { id: last?.id })).toEqual({ index: last?.index })
    expect(await result('X/tx', 'isAccepted', { id: first?.id })).toEqual({ isAccepted: true })
    // A block is no transaction.
    const block = await result<Container>('X/block', 'getLastAccepted', {})
    expect(await result('X/tx', 'isAccepted', { id: block.id })).toEqual({ isAccepted: false })
    // Vertices are in no block.
    expect((await ask(server.url, 'X/vtx', 'getLastAccepted', {})).status).toBe(404)
  })

  it('health tells how far the index is, and readiness waits for it', async () => {
    const { checks } = await untilHealth(server.url, (page) => page.healthy)
    expect(checks['index']?.message).toMatchObject({
      'testnet:P': { lastAcceptedHeight: expect.any(Number), age: expect.stringMatching(/s$/) },
      'testnet:X': { lastAcceptedHeight: 212 },
      'testnet:C': { lastAcceptedHeight: 646 },
      'eip155:99373': { lastAcceptedHeight: 130 },
    })
    expect((await readHealth(server.url, 'health/readiness')).status).toBe(200)
  })

  it('while the one node that has the index starts anew, its 404 is no answer: the index is served here', async () => {
    server.node.moveTo({ P: LAST + 1 })
    const { status, text } = await ask(server.url, 'P/block', 'getLastAccepted', {})
    expect([status, JSON.parse(text).error.message]).toEqual([502, 'no node answered'])
    // What no later block changes is answered all the same.
    expect((await result<Container>('P/block', 'getContainerByIndex', { index: LAST - 1 })).index).toBe(
      String(LAST - 1),
    )
  })
})
