import { setImmediate as nextTurn } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { type Asked, type FakeNode, gorillaCall, startFront, told } from '../../api/node/fake-nodes.ts'
import { startRedis, untilHeard, whyNoRedis } from '../../support/programs/redis-server.ts'
import { eventually } from '../../support/waiting/eventually.ts'

// Behind a balancer the next call of a client is asked of another process: it must not show what was before.

const missing = whyNoRedis()
/** Of a client, which no probe uses. */
const ID = '777'

/** Two processes over the same two nodes and one Redis, and what it takes to start more. */
async function startTwo() {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const client = new Redis(redis.url)
  const subscriber = client.duplicate()
  onTestFinished(() => {
    for (const one of [client, subscriber]) one.disconnect()
  })
  const texts: string[] = []
  subscriber.on('pmessage', (_pattern, _channel, text: string) => texts.push(text))
  await subscriber.psubscribe('*')
  const front = await startFront(2, { redis: { url: redis.url, timeoutMs: 60_000 } })
  const { url } = await front.beside()
  await untilHeard(redis.url, 2)
  /** Until what was published before is heard by both: Redis has handed it out, and this process has read it. */
  const heard = async (): Promise<void> => {
    for (let round = 0; round < 2; round += 1) await client.ping()
    await nextTurn()
  }
  const at = (base: string) => async (path: string, method: string, params: string) => {
    const body = gorillaCall(method, params, ID)
    const response = await fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return response.text()
  }
  /** One that starts now: `news` is what the others tell it again. */
  const startThird = async (news: string) => {
    const third = await front.beside()
    await eventually(() => {
      const asking = texts.map((text) => text.includes('"asks"'))
      expect(asking.filter(Boolean)).toHaveLength(3)
      expect(texts.slice(asking.lastIndexOf(true)).join()).toContain(news)
    })
    await heard()
    return at(third.url)
  }
  return { redis, nodes: front.nodes, one: at(front.url), another: at(url), heard, startThird }
}

const evmTold = (call: Asked, result: unknown) => ({
  body: `{"jsonrpc":"2.0","id":${/"id":(\d+)/.exec(call.body.toString())?.[1]},"result":${JSON.stringify(result)}}\n`,
})

const isClients = (call: Asked): boolean => call.body.includes(`"id":${ID}`)
it.skipIf(missing)('behind a height that one process told no other shows what was before', async () => {
  for (const index of [0, 1]) {
    const { nodes, one, another, heard } = await startTwo()
    const late = nodes[index] as FakeNode
    let cuts = 0
    for (const node of nodes)
      node.answer = (call) => {
        const isLate = node === late
        if (call.method === 'platform.getUTXOs') return told(call, { utxos: [isLate ? 'old' : 'new'] })
        if (call.method !== 'platform.getHeight') return undefined
        // So that the first process asks the other node, even where this one comes first.
        if (isLate && isClients(call) && cuts++ === 0) return 'cut'
        return told(call, { height: isLate ? '100' : '101' })
      }
    let seen = ''
    while (!seen.includes('101')) seen = await one('/ext/bc/P', 'platform.getHeight', '{}')
    await heard()
    for (let round = 0; round < 4; round += 1) {
      expect(await another('/ext/bc/P', 'platform.getUTXOs', '{"addresses":["x"]}')).toContain('new')
      expect(await another('/ext/bc/P', 'platform.getHeight', '{}')).toContain('"101"')
    }
  }
})

it.skipIf(missing)('a process that starts shows nothing before what others told', async () => {
  for (const index of [0, 1]) {
    const { nodes, one, heard, startThird } = await startTwo()
    const late = nodes[index] as FakeNode
    let cuts = 0
    for (const node of nodes)
      node.answer = (call) => {
        if (call.method === 'platform.getUTXOs') return told(call, { utxos: [node === late ? 'old' : 'new'] })
        if (call.method !== 'platform.getHeight') return undefined
        // So that the first process asks the other node, even where this one comes first.
        if (node === late && isClients(call) && cuts++ === 0) return 'cut'
        return told(call, { height: node === late ? '100' : '101' })
      }
    while (!(await one('/ext/bc/P', 'platform.getHeight', '{}')).includes('101'));
    await heard()
    const third = await startThird('"height":"101"')
    for (let round = 0; round < 4; round += 1)
      expect(await third('/ext/bc/P', 'platform.getUTXOs', '{"addresses":["x"]}')).toContain('new')
  }
})

it.skipIf(missing)('who is told of a block can ask any process at once: all have been sent it before', async () => {
  for (const [path, method, newest] of [
    ['/ext/bc/P', 'platform.getHeight', '107'],
    ['/ext/bc/C/rpc', 'eth_blockNumber', '0x6b'],
  ] as const) {
    const { redis, nodes, one, heard } = await startTwo()
    let top = 100
    for (const node of nodes)
      node.answer = (call) => {
        if (call.method === 'platform.getHeight') return told(call, { height: String(top) })
        return call.method === 'eth_blockNumber' ? evmTold(call, `0x${top.toString(16)}`) : undefined
      }
    await one(path, method, '{}')
    await heard()
    redis.freeze()
    top = 107
    let isThawed = false
    const thaw = setTimeout(() => {
      isThawed = true
      redis.thaw()
    }, 200)
    while (!(await one(path, method, '{}')).includes(newest));
    clearTimeout(thaw)
    expect(isThawed).toBe(true)
  }
})

it.skipIf(missing)('a transaction sent by one process is accepted at another once every node has it', async () => {
  for (const index of [0, 1]) {
    const { nodes, one, another, heard } = await startTwo()
    const late = nodes[index] as FakeNode
    let asked = 0
    for (const node of nodes)
      node.answer = (call) => {
        if (call.method === 'avm.issueTx') return told(call, { txID: 'sent' })
        if (call.method !== 'avm.getTxStatus') return undefined
        return told(call, { status: node === late && ++asked <= 4 ? 'Processing' : 'Accepted' })
      }
    await one('/ext/bc/X', 'avm.issueTx', '{"tx":"0x00"}')
    await heard()
    while (!(await another('/ext/bc/X', 'avm.getTxStatus', '{"txID":"sent"}')).includes('Accepted'));
    expect(asked).toBeGreaterThan(4)
  }
})

it.skipIf(missing)('a node that lacks what one process told is accepted is asked by no other', async () => {
  for (const index of [0, 1]) {
    const { nodes, one, another, heard } = await startTwo()
    const late = nodes[index] as FakeNode
    let cuts = 0
    for (const node of nodes)
      node.answer = (call) => {
        if (call.method === 'avm.issueTx') return told(call, { txID: 'sent' })
        if (call.method === 'avm.getUTXOs') return told(call, { utxos: [node === late ? 'old' : 'new'] })
        if (call.method !== 'avm.getTxStatus') return undefined
        // So that the first process asks the other node, even where this one comes first.
        if (node === late && isClients(call) && cuts++ === 0) return 'cut'
        return told(call, { status: node === late ? 'Processing' : 'Accepted' })
      }
    await one('/ext/bc/X', 'avm.issueTx', '{"tx":"0x00"}')
    expect(await one('/ext/bc/X', 'avm.getTxStatus', '{"txID":"sent"}')).toContain('Accepted')
    await heard()
    for (let round = 0; round < 4; round += 1)
      expect(await another('/ext/bc/X', 'avm.getUTXOs', '{"addresses":["x"]}')).toContain('new')
  }
})

it.skipIf(missing)(
  'behind a block of an EVM chain that one process showed no other shows what was before',
  async () => {
    for (const index of [0, 1]) {
      const { nodes, one, another, heard } = await startTwo()
      const late = nodes[index] as FakeNode
      let top = 100
      for (const node of nodes)
        node.answer = (call) => {
          const height = `0x${(node === late ? 100 : top).toString(16)}`
          if (call.method === 'eth_blockNumber' || call.method === 'eth_getBalance') return evmTold(call, height)
          if (call.method !== 'eth_getBlockByNumber' || call.body.includes('"0x0"')) return undefined
          return evmTold(call, node === late ? null : { number: height, hash: `0x${'ab'.repeat(32)}` })
        }
      const balance = '["0x1111111111111111111111111111111111111111","latest"]'
      for (const ask of [one, another]) expect(await ask('/ext/bc/C/rpc', 'eth_getBalance', balance)).toContain('0x64')
      top = 101
      expect(await one('/ext/bc/C/rpc', 'eth_getBlockByNumber', '["0x65",false]')).toContain('0x65')
      await heard()
      for (let round = 0; round < 4; round += 1) {
        expect(await another('/ext/bc/C/rpc', 'eth_blockNumber', '[]')).toContain('"0x65"')
        expect(await another('/ext/bc/C/rpc', 'eth_getBalance', balance)).toContain('"0x65"')
      }
    }
  },
)
