import { expect, it } from 'vitest'
import { type Asked, type Front, gorillaCall, nodeAt, type Reply, startFront, told } from '../../fake-nodes.ts'
import { CLIENT_ID } from './late-node.ts'

// Outputs that another chain exported name no height: what was shown must not vanish at a node with fewer blocks.

type Letter = 'P' | 'X' | 'C'

const SERVICE = { P: 'platform', X: 'avm', C: 'avax' } as const
const pathOf = (to: Letter): string => (to === 'C' ? '/ext/bc/C/avax' : `/ext/bc/${to}`)

const isHeight = ({ method }: Asked): boolean => method === 'eth_blockNumber' || method?.endsWith('.getHeight') === true
const isOutputs = ({ method, body }: Asked): boolean =>
  method?.endsWith('.getUTXOs') === true && body.includes(CLIENT_ID)

/** A node with this many blocks of each chain, each of which exports one output. */
function answerAt(height: number, call: Asked): Reply {
  if (call.method === 'eth_blockNumber') return told(call, { toJSON: () => `0x${height.toString(16)}` })
  if (isHeight(call)) return told(call, { height: String(height) })
  return isOutputs(call) ? told(call, { numFetched: String(height), utxos: [] }) : undefined
}

/** How many outputs are shown; NaN = none are. */
async function outputs(front: Front, from: string, to: Letter): Promise<number> {
  const params = JSON.stringify({ addresses: ['x'], sourceChain: from })
  const { text } = await front.post(pathOf(to), gorillaCall(`${SERVICE[to]}.getUTXOs`, params, CLIENT_ID))
  return Number((JSON.parse(text) as { result?: { numFetched: string } }).result?.numFetched)
}

const PAIRS = [
  ['P', 'C'],
  ['X', 'P'],
  ['C', 'X'],
  ['2CA6j5zYzasynPsFeNoqWkmTCt3VScMvXUZHbfDJ8k3oGzAPtU', 'X'],
] as const

it.each(PAIRS)('of a node that died before it told its height others are not ahead: %s to %s', async (from, to) => {
  const front = await startFront(2)
  const [first, other] = [nodeAt(front, 0), nodeAt(front, 1)]
  let isDead = false
  first.answer = (call) => {
    if (isDead) return 'cut'
    isDead = isOutputs(call)
    return answerAt(102, call)
  }
  // Whichever comes first, the other one is asked.
  other.answer = (call) => (!isDead && isOutputs(call) ? 'cut' : answerAt(101, call))
  expect(await outputs(front, from, to)).toBe(101)
  expect(isDead).toBe(true)
})

it.each(PAIRS)('where no other node shows any, they are told all the same: %s to %s', async (from, to) => {
  const front = await startFront(2)
  nodeAt(front, 0).answer = (call) => (isHeight(call) ? 'cut' : answerAt(102, call))
  nodeAt(front, 1).answer = () => 'cut'
  expect(await outputs(front, from, to)).toBe(102)
})

it.each(PAIRS)('nodes that never tell their heights are not asked twice each time: %s to %s', async (from, to) => {
  const front = await startFront(2)
  for (const node of front.nodes)
    node.answer = (call) => (isHeight(call) ? { status: 403, body: 'forbidden' } : answerAt(102, call))
  const asked = () => front.nodes.flatMap((node) => node.asked.filter(isOutputs)).length
  await outputs(front, from, to)
  const before = asked()
  for (const _ of Array(5)) expect(await outputs(front, from, to)).toBe(102)
  expect(asked() - before).toBe(5)
})

it.each(PAIRS)(
  'of a node that does not tell its height nobody is told them, also at once with others: %s to %s',
  async (from, to) => {
    const front = await startFront(2)
    let silent: Front['nodes'][number] | undefined
    for (const node of front.nodes)
      node.answer = (call) => {
        // Whichever comes first.
        if (isOutputs(call)) silent ??= node
        if (node !== silent) return answerAt(101, call)
        return isHeight(call) ? { status: 403, body: 'forbidden' } : answerAt(102, call)
      }
    const each = await Promise.all(Array.from({ length: 8 }, () => outputs(front, from, to)))
    expect(each).toEqual(Array(8).fill(101))
  },
)

it.each([
  ['P', 'X'],
  ['X', 'P'],
  ['X', 'C'],
] as const)(
  'a node that does not tell its height comes before one that lacks what was told: %s to %s',
  async (from, to) => {
    const front = await startFront(2)
    const [behind, silent] = [nodeAt(front, 0), nodeAt(front, 1)]
    const isBlock = ({ method }: Asked): boolean => method?.endsWith('.getBlock') === true
    behind.answer = (call) => (isBlock(call) ? 'cut' : answerAt(101, call))
    silent.answer = (call) => {
      if (isHeight(call)) return { status: 403, body: 'forbidden' }
      return isBlock(call) ? told(call, { block: { height: 102 }, encoding: 'json' }) : answerAt(102, call)
    }
    const block = gorillaCall(`${SERVICE[from]}.getBlock`, '{"blockID":"x","encoding":"json"}', CLIENT_ID)
    expect((await front.post(pathOf(from), block)).text).toContain('102')
    for (const _ of Array(2)) expect(await outputs(front, from, to)).toBe(102)
  },
)
