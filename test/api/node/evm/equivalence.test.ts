import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReplayNode, startReplayNode } from '../../../support/replay-node/index.ts'
import { type EvmStage, startEvmStage } from './stage.ts'

let node: ReplayNode
let stage: EvmStage
beforeAll(async () => {
  node = await startReplayNode({})
  stage = await startEvmStage({ nodes: [node.url], tipCacheMs: 1_000 })
})
afterAll(async () => {
  await stage.close()
  await node.stop()
})

const CALLS: readonly [string, unknown][] = [
  ['eth_chainId', []],
  ['eth_chainId', undefined],
  ['net_version', []],
  ['eth_blockNumber', []],
  ['eth_getBlockByNumber', ['0x10', false]],
  ['eth_getBlockByNumber', ['latest', false]],
  ['eth_getBlockByNumber', ['0xffffff', false]],
  ['eth_getBlockByNumber', ['0x010', false]],
  ['eth_getTransactionReceipt', [`0x${'00'.repeat(31)}01`]],
  ['eth_getBlockReceipts', ['0x1']],
  ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3' }]],
  ['eth_nope', []],
  ['eth_subscribe', ['newHeads']],
  ['eth_getFilterChanges', ['0x1234']],
  ['eth_uninstallFilter', ['0x1234']],
  ['', []],
]
const id = fc.oneof(
  fc.nat().map(String),
  fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('null', 'true', '[1]', '{}', '1.50', '123456789012345678901234567890', '"<&>"', '"\\u2028"'),
)
const space = fc.constantFrom('', '', ' ', '\n', '\t ')

const entry = fc
  .record({
    call: fc.constantFrom(...CALLS),
    id: fc.option(id, { nil: undefined }),
    version: fc.constantFrom('"2.0"', '"2.0"', '"2.0"', '"2.0"', '"1.0"', '2.0', undefined),
    extra: fc.constantFrom('', '', '', '"foo":[{}]', '"ID":7', '"result":1', '"method":"net_version"'),
    space,
    turned: fc.boolean(),
  })
  .map(({ call: [method, params], id: own, version, extra, space: gap, turned }) => {
    const members = [
      version === undefined ? '' : `"jsonrpc":${gap}${version}`,
      own === undefined ? '' : `"id":${own}`,
      `"method":${JSON.stringify(method)}`,
      params === undefined ? '' : `"params":${JSON.stringify(params)}`,
      extra,
    ].filter((member) => member !== '')
    return `{${gap}${(turned ? members.reverse() : members).join(`${gap},`)}}`
  })
const odd = fc.constantFrom(
  '1',
  '"a"',
  'null',
  'true',
  '[]',
  '{}',
  '{"foo":1}',
  '{"jsonrpc":"2.0","id":1,"result":"0x1"}',
)
const batch = fc
  .tuple(fc.array(fc.oneof({ weight: 6, arbitrary: entry }, { weight: 1, arbitrary: odd }), { maxLength: 8 }), space)
  .map(([entries, gap]) => `[${gap}${entries.join(`${gap},${gap}`)}]`)
const whole = fc.oneof({ weight: 3, arbitrary: entry }, { weight: 4, arbitrary: batch }, { weight: 1, arbitrary: odd })
/** Cut, or with something behind it, or with a byte changed. */
const hurt = fc
  .tuple(whole, fc.nat(), fc.constantFrom('none', 'none', 'none', 'cut', 'trail', 'byte'))
  .map(([body, at, how]) => {
    const place = at % Math.max(1, body.length)
    if (how === 'cut') return body.slice(0, place)
    if (how === 'trail') return `${body} ${body}`
    return how === 'byte' ? `${body.slice(0, place)}\u0001${body.slice(place + 1)}` : body
  })

const answerOf = async (url: string, body: string): Promise<unknown[]> => {
  const response = await fetch(`${url}/ext/bc/C/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return [response.status, response.headers.get('content-type'), await response.text()]
}

describe('whatever is asked', () => {
  it('is answered byte for byte as by the node, known before or not', async () => {
    await fc.assert(
      fc.asyncProperty(hurt, async (body) => {
        const wanted = await answerOf(node.url, body)
        expect(await answerOf(stage.url, body)).toEqual(wanted)
        expect(await answerOf(stage.url, body)).toEqual(wanted)
      }),
      { numRuns: 400 },
    )
    // Something was answered without the node, else nothing is proven about that.
    expect(node.counters.methods['eth_chainId'] ?? 0).toBeGreaterThan(0)
  })
})
