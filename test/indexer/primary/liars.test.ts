import { expect, it, onTestFinished } from 'vitest'
import { decodeEnvelope, encodeEnvelope, envelopeId } from '../../../src/chains/avalanche/codec/envelope.ts'
import { pFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { createIndexApi } from '../../../src/indexer/primary/sources/index-api.ts'
import { idToCb58 } from '../../../src/lib/bytes/ids.ts'
import { decodeNodeHex, encodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'
import { aboutContainers, type Lie, startLyingProxy } from '../lying-proxy.ts'
import { recordedP } from './recorded-p.ts'

const LIES: Record<string, Lie> = {
  'a byte of a container': aboutContainers((containers) => {
    const [, second] = containers
    if (second) second.bytes = flip(second.bytes, 60)
  }),
  'a byte and the checksum of a signature': aboutContainers((containers) => {
    const [, second] = containers
    if (second) second.bytes = flip(flip(second.bytes, second.bytes.length - 20), second.bytes.length - 3)
  }),
  'the order of containers': aboutContainers((containers) => {
    const [first, second] = containers
    if (first && second) containers.splice(0, 2, second, first)
  }),
  'the order, and their indexes': aboutContainers((containers) => {
    const [first, second] = containers
    if (!first || !second) return
    const { index } = first
    containers.splice(0, 2, { ...second, index }, { ...first, index: second.index })
  }),
  'who proposed a block': aboutContainers((containers) => {
    const [, second] = containers
    const envelope = second && decodeEnvelope(decodeNodeHex(second.bytes))
    if (!envelope || envelope.type === 'option') return
    // Of its own hash, and so of its own id: only the block behind it names the one that was accepted.
    const bytes = encodeEnvelope({ ...envelope, certificate: Buffer.from('of nobody') })
    Object.assign(second, { id: idToCb58(envelopeId(decodeEnvelope(bytes), bytes)), bytes: encodeNodeHex(bytes) })
  }),
  'a container left out': aboutContainers((containers) => {
    containers.splice(1, 1)
    for (const [i, container] of containers.entries()) container.index = String(Number(containers[0]?.index) + i)
  }),
  ids: aboutContainers((containers) => {
    const [first, second] = containers
    if (first && second) second.id = first.id
  }),
  'half an answer': (body, { body: asked }) =>
    asked.includes('getContainerRange') ? body.subarray(0, body.length >> 1) : body,
  'another chain': aboutContainers((containers) => {
    const last = containers.at(-1)
    for (const container of containers) if (last) Object.assign(container, { id: last.id, bytes: last.bytes })
  }),
  'no containers at all': (body, { body: asked }) =>
    asked.includes('getContainerRange') ? Buffer.from('{"jsonrpc":"2.0","result":{"containers":[]},"id":1}') : body,
  'an error that means nothing': (body, { body: asked }) =>
    asked.includes('getContainerRange')
      ? Buffer.from('{"jsonrpc":"2.0","error":{"code":-32000,"message":"closed database","data":null},"id":1}')
      : body,
}

const flip = (hex: string, at: number): string =>
  `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`

it.each(Object.entries(LIES))('believes nobody who lies about %s', async (_, lie) => {
  const { blocks } = await recordedP()
  const node = await startReplayNode()
  const liar = await startLyingProxy(node.url, lie)
  // Without hedging the first in the list is asked first.
  const limits = { ...TEST_LIMITS, hedgeMinMs: 0, headersTimeoutMs: 10_000, bodyTimeoutMs: 10_000 }
  const pool = createUpstreamPool('recorded', [{ url: liar.url }, { url: node.url }], limits)
  onTestFinished(async () => {
    await pool.close()
    await liar.stop()
    await node.stop()
  })
  const api = createIndexApi(pool, pFormat, 100)
  const signal = new AbortController().signal
  const ids: string[] = []
  const outer: (string | undefined)[] = []
  const parents: (string | undefined)[] = []
  let after = { height: 0n, id: blocks[0]?.id ?? '' }
  for (;;) {
    const page = await api.read(after, signal)
    const last = page.blocks.at(-1)
    if (!last) break
    ids.push(...page.blocks.map(({ id }) => id))
    outer.push(...page.blocks.map((block) => block.outer?.id))
    parents.push(...page.blocks.map((block) => block.outer?.parentId))
    after = last
  }
  expect(liar.lies).toBeGreaterThan(0)
  expect(ids).toEqual(blocks.slice(1).map(({ id }) => id))
  expect(parents.slice(1)).toEqual(outer.slice(0, -1))
})

it.each([0, 5])('does not continue behind block %i what a node has behind another one', async (height) => {
  const { blocks } = await recordedP()
  const node = await startReplayNode()
  const pool = createUpstreamPool('recorded', [{ url: node.url }], TEST_LIMITS)
  onTestFinished(async () => {
    await pool.close()
    await node.stop()
  })
  const read = (id: string | undefined) =>
    createIndexApi(pool, pFormat, 10).read({ height: BigInt(height), id: id ?? '' }, new AbortController().signal)
  expect((await read(blocks[height]?.id)).blocks[0]?.id).toBe(blocks[height + 1]?.id)
  await expect(read(blocks[height + 1]?.id)).rejects.toThrow(/another (genesis|block at 5)/)
})
