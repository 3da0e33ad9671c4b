import { describe, expect, it } from 'vitest'
import { type FakeNode, type Front, gorillaCall, startFront, told } from '../../fake-nodes.ts'

const STATUS = [
  ['/ext/bc/P', 'platform.getTxStatus', 'Committed', 'platform.issueTx', '/ext/bc/P'],
  ['/ext/bc/X', 'avm.getTxStatus', 'Accepted', 'avm.issueTx', '/ext/bc/X'],
  ['/ext/bc/X', 'avm.getTxStatus', 'Accepted', 'wallet.issueTx', '/ext/bc/X/wallet'],
  ['/ext/bc/C/avax', 'avax.getAtomicTxStatus', 'Accepted', 'avax.issueTx', '/ext/bc/C/avax'],
] as const

/** Two nodes; `late` says so often that it does not know the transaction, and then like the other that it is accepted. */
async function startLate(front: Front, accepted: string, late: FakeNode, times: number): Promise<() => boolean> {
  let asked = 0
  for (const node of front.nodes)
    node.answer = (call) => {
      if (!/TxStatus$/.test(call.method ?? '')) return undefined
      const isLate = node === late && ++asked <= times
      return told(call, { status: isLate ? 'Processing' : accepted })
    }
  return () => asked > times
}

describe('that a transaction is accepted', () => {
  it.each(STATUS)('is told when every node has accepted it: %s %s', async (path, method, accepted, issue, to) => {
    for (const index of [0, 1]) {
      const front = await startFront(2)
      for (const node of front.nodes) node.answer = (call) => told(call, { txID: 'x' })
      await front.post(to, gorillaCall(issue, '{"tx":"0x00"}'))
      const late = front.nodes[index] as FakeNode
      const hasAccepted = await startLate(front, accepted, late, 4)
      let status = ''
      // A wallet asks until it is so.
      while (status !== accepted) {
        const { text } = await front.post(path, gorillaCall(method, '{"txID":"x"}'))
        status = (JSON.parse(text) as { result: { status: string } }).result.status
      }
      expect(hasAccepted()).toBe(true)
    }
  })

  it('is told at once of one that nobody waits for, and when all have it to who asked too early', async () => {
    const front = await startFront(2)
    const [first, second] = front.nodes as [FakeNode, FakeNode]
    const accepted = new Set<FakeNode>([first, second])
    for (const node of front.nodes)
      node.answer = (call) => told(call, { status: accepted.has(node) ? 'Accepted' : 'Processing' })
    const ask = (id: string) => front.post('/ext/bc/X', gorillaCall('avm.getTxStatus', `{"txID":"${id}"}`))
    const asked = () => front.nodes.flatMap((node) => node.asked).filter(({ method }) => method === 'avm.getTxStatus')
    await ask('old')
    expect(asked()).toHaveLength(1)
    accepted.clear()
    await ask('young')
    expect(asked()).toHaveLength(2)
    accepted.add(first).add(second)
    expect((await ask('young')).text).toContain('Accepted')
    expect(asked()).toHaveLength(4)
  })

  it('is told, too, while a node does not answer or stands still', async () => {
    for (const reply of ['cut', 'Processing']) {
      const front = await startFront(2)
      const [, second] = front.nodes
      for (const node of front.nodes)
        node.answer = async (call) => {
          if (call.method !== 'platform.getTxStatus') return undefined
          if (node !== second) return told(call, { status: 'Committed' })
          // Slow, so that it is not asked first: what it says is an answer, too.
          await new Promise((resolve) => setTimeout(resolve, 400))
          return reply === 'cut' ? 'cut' : told(call, { status: reply })
        }
      const status = gorillaCall('platform.getTxStatus', '{"txID":"x"}')
      await expect.poll(async () => (await front.post('/ext/bc/P', status)).text).toContain('Committed')
    }
  })

  it('makes nobody wait whose transaction is not accepted yet', async () => {
    const front = await startFront(2)
    for (const node of front.nodes)
      node.answer = (call) => (call.method === 'avm.getTxStatus' ? told(call, { status: 'Processing' }) : undefined)
    await front.post('/ext/bc/X', gorillaCall('avm.getTxStatus', '{"txID":"x"}'))
    const asked = front.nodes.flatMap((node) => node.asked).filter(({ method }) => method === 'avm.getTxStatus')
    expect(asked).toHaveLength(1)
  })

  it.each(STATUS)('sends nobody to a node that has not: %s %s', async (path, method, accepted, issue, to) => {
    for (const index of [0, 1]) {
      const front = await startFront(2)
      const late = front.nodes[index]
      let asked = 0
      for (const node of front.nodes)
        node.answer = (call) => {
          if (/issueTx$/.test(call.method ?? '')) return told(call, { txID: 'x' })
          if (!/TxStatus$/.test(call.method ?? '')) return told(call, { utxos: [node === late ? 'old' : 'new'] })
          if (node !== late) return told(call, { status: accepted })
          // So that the other one is asked, even where this one comes first.
          return asked++ === 0 ? 'cut' : told(call, { status: 'Processing' })
        }
      await front.post(to, gorillaCall(issue, '{"tx":"0x00"}'))
      expect((await front.post(path, gorillaCall(method, '{"txID":"x"}'))).text).toContain(accepted)
      const utxos = async (of: string) =>
        (await front.post(of, gorillaCall('avax.getUTXOs', '{"addresses":["x"]}'))).text
      for (let round = 0; round < 5; round += 1) {
        expect(await utxos(path)).toContain('new')
        // What one chain exports shows in the state of another.
        expect(await utxos('/ext/bc/C/avax')).toContain('new')
      }
    }
  })
})
