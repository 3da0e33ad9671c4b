import { describe, expect, it } from 'vitest'
import { decodeXBlock, openContainer } from '../../../src/chains/avalanche/codec/index.ts'
import { decodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import { cutTransactions } from '../../../src/services/containers/block-transactions.ts'
import { type ContainerSource, createStoredContainers } from '../../../src/services/containers/index.ts'
import type { IndexReader } from '../../../src/store/index.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { gate } from '../../support/waiting/gate.ts'
import { until } from '../../support/waiting/until.ts'

interface Scene {
  height: bigint
  currentAtMs: number
  /** Containers that are there. */
  count: bigint
}

const NOW = 1_000_000

/** An index at a height, of which only progress and numbers are known. */
function sourceOver(scene: Scene, nodeHeight: () => Promise<bigint>, patienceMs = 60_000): ContainerSource {
  const progress = async () => [
    {
      stream: 'testnet:P',
      tip: { height: scene.height, blockId: '00', time: 0n },
      transactions: 0n,
      currentAtMs: BigInt(scene.currentAtMs),
    },
  ]
  const containers = {
    count: async (_: unknown, from: bigint, below: bigint) => (below < scene.count ? below : scene.count) - from,
  } as unknown as IndexReader['containers']
  return createStoredContainers({
    index: { progress, containers },
    network: 'testnet',
    nodeHeight,
    maxAgeMs: 60_000,
    patienceMs,
    now: () => NOW,
  })
}

describe('own containers', () => {
  it('are complete when every block below the tip is there, of chains that are indexed and those of the nodes', async () => {
    const whole = sourceOver({ height: 9n, currentAtMs: NOW, count: 9n }, async () => 9n)
    expect(await whole.complete('P/block')).toBe(true)
    expect(await whole.complete('X/block')).toBe(false)
    expect(await whole.complete('X/vtx')).toBe(false)
    const other = sourceOver({ height: 9n, currentAtMs: -1, count: 9n }, async () => 9n)
    expect(await other.complete('P/block')).toBe(false)
    const holed = sourceOver({ height: 9n, currentAtMs: NOW, count: 8n }, async () => 9n)
    expect(await holed.complete('P/block')).toBe(false)
  })

  it('are current at the tip of the nodes, also when it is reached a moment later', async () => {
    let looks = 0
    const scene = {
      get height() {
        looks += 1
        return looks === 1 ? 9n : 10n
      },
      currentAtMs: NOW - 60_000,
      count: 9n,
    }
    expect(await sourceOver(scene, async () => 10n).current('P/block')).toBe(true)
    expect(looks).toBeGreaterThan(1)
    expect(await sourceOver(scene, async () => 9n).current('P/block')).toBe(true)
  })

  it('are looked at once at a time, however many wait for them: everybody else needs the database, too', async () => {
    const { opened, open } = gate()
    let looks = 0
    const index = {
      async progress() {
        looks += 1
        await opened
        return [
          {
            stream: 'testnet:P',
            tip: { height: 9n, blockId: '00', time: 0n },
            transactions: 0n,
            currentAtMs: BigInt(NOW),
          },
        ]
      },
      containers: {} as IndexReader['containers'],
    }
    const source = createStoredContainers({ index, network: 'testnet', nodeHeight: async () => 9n, maxAgeMs: 0 })
    const waiting = Array.from({ length: 40 }, () => source.current('P/block'))
    await new Promise(setImmediate)
    expect(looks).toBe(1)
    // Nor is a slow look made once more beside itself.
    const begunAt = performance.now()
    await until(() => performance.now() - begunAt > 60, 'more than a step')
    waiting.push(source.current('P/block'))
    await new Promise(setImmediate)
    expect(looks).toBe(1)
    open()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]))
  })

  it('are not waited for while they are read for the first time, or after a long rest: that takes longer than a moment', async () => {
    const source = sourceOver({ height: 9n, currentAtMs: NOW - 60_001, count: 9n }, async () => 10n, 2 ** 30)
    expect(await source.current('P/block')).toBe(false)
    const none = sourceOver({ height: 9n, currentAtMs: NOW, count: 9n }, async () => 10n, 2 ** 30)
    expect(await none.current('X/block')).toBe(false)
  })

  it('are not current when they are waited for in vain, also while the clock of the machine stands still', async () => {
    const source = sourceOver({ height: 9n, currentAtMs: NOW, count: 9n }, async () => 10n, 50)
    expect(await source.current('P/block')).toBe(false)
  })

  it('are not current while the nodes have more and the caller has left', async () => {
    const source = sourceOver({ height: 9n, currentAtMs: NOW, count: 9n }, async () => 10n)
    expect(await source.current('P/block', { signal: AbortSignal.abort() })).toBe(false)
  })

  it('are as current as their age while no node says anything', async () => {
    const silent = () => Promise.reject(new Error('nobody answers'))
    const young = sourceOver({ height: 9n, currentAtMs: NOW - 59_999, count: 9n }, silent)
    expect(await young.current('P/block')).toBe(true)
    const old = sourceOver({ height: 9n, currentAtMs: NOW - 60_001, count: 9n }, silent)
    expect(await old.current('P/block')).toBe(false)
  })

  it('are cut out of a block under their own id only', () => {
    const [line] = recordedLines<{ height: number; container: { bytes: string } | null }>('x-blocks').filter(
      ({ container }) => container !== null,
    )
    const bytes = decodeNodeHex(line?.container?.bytes ?? '')
    const [tx] = decodeXBlock(openContainer(bytes).innerBlock).txs
    const block = { height: 7n, index: 6n, id: '00', bytes, acceptedAt: '' }
    const asked = { id: tx?.id ?? '', index: 0n, height: 7n, position: 0, type: 0, time: 0n }
    expect(cutTransactions([asked], [block]).map((one) => Buffer.from(one.id).toString('hex'))).toEqual([tx?.id])
    expect(() => cutTransactions([{ ...asked, id: '11'.repeat(32) }], [block])).toThrow('does not hold')
    expect(() => cutTransactions([{ ...asked, height: 8n }], [block])).toThrow('is not in the index')
  })

  it('at a position are those of it, not the next ones of an index with a gap', async () => {
    const row = { id: '11'.repeat(32), bytes: Buffer.from('22', 'hex'), acceptedAt: 5n, index: 7n }
    const containers = { range: async () => [row] } as unknown as IndexReader['containers']
    const index = { progress: async () => [], containers }
    const source = createStoredContainers({ index, network: 'testnet', nodeHeight: async () => 9n, maxAgeMs: 0 })
    expect((await source.byIndex('P/block', 7n))?.index).toBe(7n)
    expect(await source.byIndex('P/block', 6n)).toBeUndefined()
  })

  it('weigh as much as their blocks, transactions as the blocks that they are cut out of', async () => {
    const containers = {
      size: async (_: unknown, first: bigint, limit: number) => first * 1_000n + BigInt(limit),
      transactions: { range: async () => [{ height: 5n }, { height: 9n }] },
    } as unknown as IndexReader['containers']
    const index = { progress: async () => [], containers }
    const source = createStoredContainers({ index, network: 'testnet', nodeHeight: async () => 9n, maxAgeMs: 0 })
    expect(await source.size('P/block', 7n, 30)).toBe(7_030n)
    expect(await source.size('X/tx', 100n, 2)).toBe(4_005n)
    expect(await source.size('C/block', 2n ** 63n, 2)).toBe(0n)
  })
})
