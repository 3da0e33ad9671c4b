import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { FIXTURES } from '../recorded/recordings.ts'
import { type ReplayNode, type ReplayNodeOptions, startReplayNode } from './index.ts'
import { bodyOf, type ConversationSet, readConversations } from './recorded/conversations.ts'
import { sendRecorded } from './recorded/recorded-comparison.ts'
import { openRecordings } from './recorded/recordings.ts'

const recordings = openRecordings(FIXTURES)

const running: ReplayNode[] = []
afterEach(async () => {
  for (const node of running.splice(0)) await node.stop()
})

async function start(options: ReplayNodeOptions = {}): Promise<ReplayNode> {
  const node = await startReplayNode(options)
  running.push(node)
  return node
}

async function post(node: ReplayNode, path: string, body: string): Promise<Response> {
  return fetch(node.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

async function call(node: ReplayNode, path: string, method: string, params: unknown = {}): Promise<unknown> {
  const response = await post(node, path, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
  return answer.error === undefined ? answer.result : answer.error.message
}

describe('word for word', () => {
  it.each<ConversationSet>(['auth', 'keystore', 'legacy', 'network-once', 'l1', 'network'])(
    'replays %s',
    async (set) => {
      const node = await start({ conversations: [set] })
      let replayed = 0
      for (const one of readConversations(recordings, set)) {
        // What needs a raw socket to be sent is out of reach for a client library.
        if (one.name.startsWith('http/')) continue
        if (one.request.headers.some(([name]) => /^(transfer-encoding|upgrade)$/i.test(name))) continue
        const reply = await sendRecorded(node, one)
        expect([one.name, reply.status, reply.body]).toEqual([
          one.name,
          one.response.status,
          bodyOf(one.response).toString('utf8'),
        ])
        replayed++
      }
      expect(node.counters.replayed).toBe(replayed)
      expect(replayed).toBeGreaterThan(40)
    },
  )
})

describe('a moving chain', () => {
  it('accepts blocks in the order the recorded node accepted them', async () => {
    const node = await start({ upTo: { P: 10, X: 3, C: 580, L1: 2 } })
    expect(await call(node, '/ext/bc/P', 'platform.getHeight')).toEqual({ height: '10' })
    expect(await call(node, '/ext/bc/P', 'platform.getBlockByHeight', { height: 11 })).toBe(
      "couldn't get block at height 11: not found",
    )
    const moved = node.advance(5)
    expect(moved).toHaveLength(5)
    const { P, X, C, L1 } = node.heights()
    expect(P + X + C + L1).toBe(10 + 3 + 580 + 2 + 5)
    node.moveTo({ P: 11 })
    expect(await call(node, '/ext/index/P/block', 'index.getLastAccepted')).toMatchObject({ index: '10' })
    node.advance(100_000)
    expect(node.heights()).toEqual(node.last)
  })

  it('interleaves the chains by the time of acceptance', async () => {
    const from = { P: 10, X: 3, C: 580 }
    const node = await start({ upTo: from })
    const accepted = (['P', 'X', 'C'] as const).flatMap((chain) =>
      [...recordings.lines(`network/${chain.toLowerCase()}-blocks.ndjson.gz`)]
        .slice(from[chain] + 1)
        .map((line) => ({ chain, at: /"timestamp":\s*"(2[^"]+)","encoding"/.exec(line)?.[1] ?? '' })),
    )
    const expected = accepted.sort((a, b) => (a.at < b.at ? -1 : 1)).slice(0, 200)
    expect(new Set(expected.map(({ chain }) => chain)).size).toBe(3)
    expect(node.advance(200)).toEqual(expected.map(({ chain }) => chain))
  })

  it('spends and creates UTXOs with it', async () => {
    const node = await start({ upTo: { P: 0, X: 0, C: 0 } })
    const { keys } = recordings.json<{ keys: Record<string, { address: string }> }>('network/network.json')
    const owner = keys['-1']?.address ?? ''
    const before = await call(node, '/ext/bc/P', 'platform.getBalance', { addresses: [`P-${owner}`] })
    node.moveTo(node.last)
    const after = await call(node, '/ext/bc/P', 'platform.getBalance', { addresses: [`P-${owner}`] })
    expect(before).toMatchObject({ balance: '30000000000000000' })
    expect(after).not.toEqual(before)
  })

  it('sends new heads over the WebSocket, gives the block number of the tip, and follows lag', async () => {
    const node = await start({ upTo: { C: 5 } })
    const socket = new WebSocket(`${node.url.replace('http', 'ws')}/ext/bc/C/ws`)
    const messages: { id?: number; result?: unknown; params?: { result: { number: string } } }[] = []
    socket.on('message', (data) => messages.push(JSON.parse(String(data)) as (typeof messages)[number]))
    await once(socket, 'open')
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    await once(socket, 'message')
    node.moveTo({ C: 6 })
    await once(socket, 'message')
    socket.terminate()
    expect(messages[0]?.id).toBe(1)
    expect(messages[1]?.params?.result.number).toBe('0x6')
    node.faults.lagBlocks = 2
    expect(await call(node, '/ext/bc/C/rpc', 'eth_blockNumber', [])).toBe('0x4')
    expect(await call(node, '/ext/bc/C/rpc', 'eth_getBlockByNumber', ['0x5', false])).toBe(
      'cannot query unfinalized data',
    )
  })
})

describe('faults', () => {
  it('cut, delay and replace answers', async () => {
    const node = await start({ faults: { dropNext: 1 } })
    await expect(call(node, '/ext/info', 'info.getNetworkID')).rejects.toThrow()
    expect(await call(node, '/ext/info', 'info.getNetworkID')).toEqual({ networkID: '5' })
    node.faults.html = 502
    node.faults.onPath = '/ext/bc/X'
    const page = await post(node, '/ext/bc/X', '{}')
    expect([page.status, (await page.text()).startsWith('<!DOCTYPE html>')]).toEqual([502, true])
    expect(await call(node, '/ext/bc/P', 'platform.getHeight')).toEqual({ height: String(node.last.P) })
  })

  it('switch the index off, health to failing and chains to bootstrapping', async () => {
    const node = await start({ faults: { indexOff: true, unhealthy: 'not connected to enough stake' } })
    expect((await post(node, '/ext/index/P/block', '{}')).status).toBe(404)
    const health = await fetch(`${node.url}/ext/health`)
    expect(health.status).toBe(503)
    expect(await health.json()).toMatchObject({ healthy: false })
    expect((await fetch(`${node.url}/ext/health/liveness`)).status).toBe(200)
    node.faults.bootstrapping = true
    const refused = await post(node, '/ext/bc/P', '{}')
    expect([refused.status, await refused.text()]).toEqual([
      503,
      'API call rejected because chain is not done bootstrapping\n',
    ])
  })
})

describe('a client', () => {
  it('is counted, and so is what it sends', async () => {
    const node = await start()
    await post(
      node,
      '/ext/bc/C/rpc',
      '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","id":2,"method":"eth_chainId"}]',
    )
    expect(node.counters.requests).toBe(1)
    expect(node.counters.methods['eth_chainId']).toBe(2)
    const tx = `0x00000000${'00'.repeat(100)}`
    const issued = await call(node, '/ext/bc/X', 'avm.issueTx', { tx, encoding: 'hexnc' })
    expect(issued).toHaveProperty('txID')
    expect(node.counters.issued).toEqual([{ chain: 'X', bytes: tx }])
  })

  it('gets recorded reads of contracts only while facts are on', async () => {
    const asked = readConversations(recordings, 'network').find((one) => one.name === 'c/eth_call/revert-with-reason')
    if (asked === undefined) throw new Error('the conversation is gone')
    const [withFacts, without] = [await start(), await start({ facts: false })]
    expect((await sendRecorded(withFacts, asked)).body).toBe(asked.response.body)
    expect((await sendRecorded(without, asked)).body).toContain('missing trie node')
    expect(withFacts.counters.facts).toBe(1)
  })
})

describe('another folder', () => {
  it('is enough without conversations and L1, and a wrong one is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'replay-'))
    try {
      cpSync(join(FIXTURES, 'network'), join(folder, 'network'), { recursive: true })
      rmSync(join(folder, 'network', 'conversations.ndjson.gz'))
      const node = await start({ recordings: folder })
      expect(await call(node, '/ext/info', 'info.getNodeID')).toHaveProperty('nodePOP')
      expect(await call(node, '/ext/bc/C/rpc', 'eth_chainId', [])).toMatch(/^0x/)
      await expect(startReplayNode({ recordings: join(folder, 'network') })).rejects.toThrow('holds no recordings')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('is served by the standalone process', async () => {
    const main = fileURLToPath(new URL('./main.ts', import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', main, '--recordings', FIXTURES, '--up-to', 'P=7'])
    try {
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
      const url = /^ready (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(chunk.toString())?.[1]
      expect(url).toBeDefined()
      const body = '{"jsonrpc":"2.0","id":1,"method":"platform.getHeight"}'
      const response = await fetch(`${url}/ext/bc/P`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      expect(await response.text()).toBe('{"jsonrpc":"2.0","result":{"height":"7"},"id":1}\n')
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })
})
