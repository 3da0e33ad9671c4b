import { expect, it, onTestFinished, vi } from 'vitest'
import { decodeEnvelope, encodeEnvelope, envelopeId } from '../../src/chains/avalanche/codec/index.ts'
import { idToCb58 } from '../../src/lib/bytes/ids.ts'
import { decodeNodeHex, encodeNodeHex } from '../../src/lib/bytes/node-hex.ts'
import { until } from '../support/waiting/until.ts'
import { digestOf } from './database-dump.ts'
import { aboutContainers, type Lie, type LyingProxy, startLyingProxy } from './lying-proxy.ts'
import { type Stage, startStage } from './stage.ts'

/** A short piece of the recorded network with every kind of block, so that a run takes little time. */
const SHORT = { P: 110, X: 60, C: 40 }

let clean: Promise<string> | undefined
/** What an undisturbed run leaves. */
function cleanDigest(): Promise<string> {
  clean ??= startStage({ nodes: [{ upTo: SHORT }] }).then(async (stage) => {
    await stage.caughtUp()
    return digestOf(stage.sql)
  })
  return clean
}

const indexed = (stage: Stage, name: string): number =>
  Number(stage.indexer.status().streams.find((stream) => stream.name === `recorded:${name}`)?.height ?? -1)

it('follows a moving tip', async () => {
  const expected = await cleanDigest()
  const stage = await startStage({ nodes: [{ upTo: { P: 3, X: 1, C: 2 } }] })
  await stage.caughtUp()
  const [node] = stage.nodes
  // Proposals come without their options, too.
  for (let height = 4; height <= SHORT.P; height += 3) {
    node?.moveTo({ P: height, X: Math.min(SHORT.X, height), C: Math.min(SHORT.C, height) })
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  node?.moveTo(SHORT)
  await stage.caughtUp()
  expect(await digestOf(stage.sql)).toBe(expected)
})

it('goes on by height when the index API is switched off, and says that proposers are unknown', async () => {
  const stage = await startStage({ nodes: [{ upTo: { P: 40, X: 20, C: 20 } }] })
  await stage.caughtUp()
  const [node] = stage.nodes
  if (!node) throw new Error('no node')
  expect(stage.indexer.status().streams.flatMap(({ notes }) => notes)).toEqual([])
  node.faults.indexOff = true
  node.moveTo(SHORT)
  // It had an index, so it may be starting anew, and is waited for.
  const waited = () => stage.indexer.status().streams.every(({ error }) => error?.includes('may have it'))
  await until(waited, 'all three streams wait')
  const now = Date.now
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 120_000)
  onTestFinished(() => clock.mockRestore())
  await stage.caughtUp()
  expect(stage.indexer.status().streams.flatMap(({ notes }) => notes)).toHaveLength(3)
  const [known] = await stage.sql('select count(*) as count from block where outer_id is not null and height > 40')
  expect(known?.['count']).toBe(0n)
  const [blocks] = await stage.sql('select count(*) as count from block')
  expect(blocks?.['count']).toBe(BigInt(SHORT.P + SHORT.X + SHORT.C + 3))
})

it('passes over a node that lags and one without an index', async () => {
  const expected = await cleanDigest()
  const stage = await startStage({
    nodes: [{ upTo: SHORT, faults: { lagBlocks: 15 } }, { upTo: SHORT, faults: { indexOff: true } }, { upTo: SHORT }],
  })
  await stage.caughtUp()
  expect(await digestOf(stage.sql)).toBe(expected)
})

async function startLiar(url = '', lie: Lie): Promise<LyingProxy> {
  const liar = await startLyingProxy(url, lie)
  onTestFinished(() => liar.stop())
  return liar
}

it('stands before a block that it cannot read, says which, and skips nothing', async () => {
  const unknown = aboutContainers((containers) => {
    // A type id that nobody knows; the hash is right, as a newer node's would be.
    for (const container of containers) if (container.index === '49') makeUnknown(container)
  })
  const stage = await startStage({
    chains: ['P'],
    nodes: [{ upTo: SHORT }],
    urls: async ([node]) => [(await startLiar(node?.url, unknown)).url],
    times: { maxRetryMs: 20 },
    pageBlocks: 10,
  })
  const status = () => stage.indexer.status().streams[0]
  await until(() => status()?.phase === 'blocked', 'blocked')
  expect(status()?.error).toMatch(/P block .*unknown type id 99/)
  expect(indexed(stage, 'P')).toBeLessThan(50)
  expect(indexed(stage, 'P')).toBeGreaterThan(30)
})

function makeUnknown(container: { id: string; bytes: string }): void {
  const envelope = decodeEnvelope(decodeNodeHex(container.bytes))
  const innerBlock = Buffer.from(envelope.innerBlock)
  innerBlock.writeUInt32BE(99, 2)
  const changed = { ...envelope, innerBlock }
  const bytes = encodeEnvelope(changed)
  Object.assign(container, { id: idToCb58(envelopeId(changed, bytes)), bytes: encodeNodeHex(bytes) })
}
