import { describe, expect, it } from 'vitest'
import type { ForwardCall } from '../../../../../src/api/node/forward/call.ts'
import { shownBlock, shownBlockOfC } from '../../../../../src/api/node/forward/consistency/shown-block.ts'
import { ruleOf } from '../../../../../src/api/node/methods/forwarded.ts'
import { endpointByName } from '../../../../../src/api/node/routes/endpoint.ts'
import { blockHeight } from '../../../../../src/chains/avalanche/codec/index.ts'
import { encodeNodeHex } from '../../../../../src/lib/bytes/node-hex.ts'
import { recordedLines } from '../../../../support/recorded/recordings.ts'

interface RecordedBlock {
  height: number
  hex: string
  json: object
  container: { bytes: string } | null
}

const shown = (endpoint: string, method: string, answer: object, status = 200) => {
  const call = { endpoint: endpointByName(endpoint), method, rule: ruleOf(method) } as unknown as ForwardCall
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...answer, id: { height: '9', block: '0x00' } }))
  const block = shownBlock(call, { status, body }, blockHeight)
  return block && [block.height, block.asked.method, block.asked.endpoint.path]
}

describe.each([
  ['P', 'p-blocks', 'platform'],
  ['X', 'x-blocks', 'avm'],
] as const)('of a block of %s that is shown, nodes are asked whether they have its height', (chain, file, service) => {
  const blocks = recordedLines<RecordedBlock>(file)
  const wanted = (height: number) => [BigInt(height), `${service}.getHeight`, `/ext/bc/${chain}`]

  it('as hex with a checksum or without, and as JSON', () => {
    for (const { height, hex, json } of blocks)
      for (const method of [`${service}.getBlock`, `${service}.getBlockByHeight`]) {
        const says = (block: unknown, encoding: string) => shown(chain, method, { result: { block, encoding } })
        expect(says(hex, 'hex')).toEqual(wanted(height))
        expect(says(hex.slice(0, -8), 'hexnc')).toEqual(wanted(height))
        expect(says(json, 'json')).toEqual(wanted(height))
      }
  })

  it('in containers, the last of which counts', () => {
    const index = `index/${chain}/block`
    const containers = blocks.flatMap(({ height, container }) => (container ? [{ ...container, height }] : []))
    for (const [at, { bytes, height }] of containers.entries()) {
      const one = { bytes, encoding: 'hex', index: String(at) }
      for (const method of ['getLastAccepted', 'getContainerByIndex', 'getContainerByID'])
        expect(shown(index, `index.${method}`, { result: one })).toEqual(wanted(height))
      const first = { ...one, bytes: containers[0]?.bytes }
      expect(shown(index, 'index.getContainerRange', { result: { containers: [first, one] } })).toEqual(wanted(height))
    }
  })
})

it('a block of P that proposes something, which has its transactions before its height', () => {
  const txs = [
    { unsignedTx: { memo: '0x', height: 3, outputs: Array.from({ length: 9 }, () => ({ amount: '1'.repeat(60) })) } },
  ]
  const block = { time: 1, txs, parentID: 'x', height: 745, id: 'y', tx: { unsignedTx: { txID: 'z' } } }
  for (const method of ['platform.getBlock', 'platform.getBlockByHeight'])
    expect(shown('P', method, { result: { block, encoding: 'json' } })?.[0]).toBe(745n)
})

it('of C in containers, the last of which counts: the first one is not wrapped', () => {
  const blocks = recordedLines<RecordedBlock>('c-blocks')
  const containers = blocks.flatMap(({ height, container }) => (container ? [{ ...container, height }] : []))
  const [first] = containers
  const shownOfC = (method: string, result: object, endpoint = 'index/C/block') => {
    const call = { endpoint: endpointByName(endpoint), method, rule: ruleOf(method) } as unknown as ForwardCall
    return shownBlockOfC(call, { status: 200, body: Buffer.from(JSON.stringify({ result })) }, blockHeight)
  }
  expect(containers.length).toBeGreaterThan(600)
  for (const { height, bytes } of containers) {
    const one = { bytes, encoding: 'hex', index: '1' }
    for (const method of ['getLastAccepted', 'getContainerByIndex', 'getContainerByID'])
      expect(shownOfC(`index.${method}`, one)).toBe(BigInt(height))
    expect(shownOfC('index.getContainerRange', { containers: [first, one] })).toBe(BigInt(height))
  }
  expect(shownOfC('index.getLastAccepted', { ...first, encoding: 'hex' }, 'index/X/tx')).toBeUndefined()
  expect(shownOfC('index.isAccepted', { ...first, encoding: 'hex' })).toBeUndefined()
  // A list that is no block.
  const bytes = encodeNodeHex(Buffer.from([0xc1, 0x05]))
  expect(shownOfC('index.getLastAccepted', { bytes, encoding: 'hex' })).toBeUndefined()
})

it('what shows no block of P or X tells no height', () => {
  const bytes = (recordedLines<RecordedBlock>('p-blocks')[5] as RecordedBlock).hex
  const one = { result: { bytes, encoding: 'hex' } }
  expect(shown('index/P/block', 'index.getLastAccepted', one)).toBeDefined()
  for (const endpoint of ['index/X/tx', 'index/X/vtx', 'index/C/block'])
    expect(shown(endpoint, 'index.getLastAccepted', one)).toBeUndefined()
  expect(shown('P', 'platform.getTx', { result: { tx: bytes, encoding: 'hex' } })).toBeUndefined()
  const error = { error: { code: -32000, message: '"height":"7"', data: { block: bytes, height: '7' } } }
  for (const method of ['platform.getBlock', 'platform.getHeight']) expect(shown('P', method, error)).toBeUndefined()
  expect(shown('P', 'platform.getHeight', { result: { height: '7' } }, 503)).toBeUndefined()
  expect(shown('P', 'platform.getBlock', { result: { block: `${bytes.slice(0, -2)}00`, encoding: 'hex' } })).toBe(
    undefined,
  )
  const random = encodeNodeHex(Buffer.alloc(60, 7))
  expect(shown('P', 'platform.getBlock', { result: { block: random, encoding: 'hex' } })).toBeUndefined()
  expect(shown('index/P/block', 'index.getContainerRange', { result: { containers: [] } })).toBeUndefined()
})
