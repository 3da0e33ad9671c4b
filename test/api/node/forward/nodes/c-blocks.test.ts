import { expect, it } from 'vitest'
import { recordedLines } from '../../../../support/recorded/recordings.ts'
import {
  type Asked,
  evmCall,
  type FakeNode,
  type Front,
  gorillaCall,
  nodeAt,
  type Reply,
  startFront,
  told,
} from '../../fake-nodes.ts'
import { CLIENT_ID } from './late-node.ts'

const [OLD, NEW] = [100, 101]
const RPC = '/ext/bc/C/rpc'
const AVAX = '/ext/bc/C/avax'
const INDEX = '/ext/index/C/block'

const containers = new Map(
  recordedLines<{ height: number; container: { bytes: string } | null }>('c-blocks').map((one) => [one.height, one]),
)
const hex = (height: number): string => `0x${height.toString(16)}`

/** What a node says that has this block of C, and what P and X exported by as many of theirs. */
function answerAt(height: number, call: Asked): Reply {
  if (call.path.endsWith('/rpc')) {
    const isOfNow = call.method === 'eth_blockNumber' || call.method === 'eth_getBalance'
    return isOfNow ? told(call, { toJSON: () => hex(height) }) : undefined
  }
  const name = call.method?.split('.')[1]
  if (name === 'getHeight') return told(call, { height: String(height) })
  if (name === 'getUTXOs') return told(call, { numFetched: String(height), utxos: [] })
  if (name === 'getAtomicTxStatus') {
    const isThere = height >= NEW
    return told(call, isThere ? { status: 'Accepted', blockHeight: String(NEW) } : { status: 'Processing' })
  }
  if (name !== 'getLastAccepted') return undefined
  return told(call, { id: String(height), ...containers.get(height)?.container, encoding: 'hex', index: '1' })
}

/** One of the ways in which a client is told of a state: where it asks, and the number that stands for it. */
type Way = readonly [path: string, method: string, params: unknown]

const BLOCK_NUMBER: Way = [RPC, 'eth_blockNumber', []]
const BALANCE: Way = [RPC, 'eth_getBalance', ['0x1', 'latest']]
const LAST: Way = [INDEX, 'index.getLastAccepted', { encoding: 'hex' }]
const STATUS: Way = [AVAX, 'avax.getAtomicTxStatus', { txID: 'x' }]
const outputs = (to: 'P' | 'X' | 'C', sourceChain: string): Way => [
  to === 'C' ? AVAX : `/ext/bc/${to}`,
  `${{ P: 'platform', X: 'avm', C: 'avax' }[to]}.getUTXOs`,
  { addresses: ['x'], sourceChain },
]

async function ask(front: Front, [path, method, params]: Way): Promise<string> {
  const call = path === RPC ? evmCall : gorillaCall
  return (await front.post(path, call(method, JSON.stringify(params), CLIENT_ID))).text
}

/** Whether an answer is of a node that has the newest block. */
function isNew(text: string): boolean {
  const { result } = JSON.parse(text) as { result?: string | Record<string, string> }
  if (typeof result === 'string') return result === hex(NEW)
  if (result?.['bytes'] !== undefined) return result['bytes'] === containers.get(NEW)?.container?.bytes
  return (result?.['numFetched'] ?? result?.['blockHeight']) === String(NEW)
}

/** Two nodes, one of which has the newest block since a moment: a client was told of it in this way. */
async function startTold(index: number, way: Way): Promise<Front> {
  const front = await startFront(2)
  const late: FakeNode = nodeAt(front, index)
  let [asked, isThere] = [0, false]
  for (const node of front.nodes)
    node.answer = (call) => {
      // So that the other one is asked, even where this one comes first.
      if (isThere && node === late && call.body.includes(CLIENT_ID) && call.method === way[1] && asked++ === 0)
        return 'cut'
      return answerAt(isThere && node !== late ? NEW : OLD, call)
    }
  // By now it is known how high each node is.
  for (const before of [BALANCE, outputs('C', 'P'), outputs('P', 'X'), outputs('X', 'C'), LAST])
    await ask(front, before)
  isThere = true
  await expect.poll(async () => isNew(await ask(front, way))).toBe(true)
  return front
}

const BEHIND: [told: string, way: Way, next: Way][] = [
  ['the last container', LAST, BLOCK_NUMBER],
  ['the last container', LAST, BALANCE],
  ['the last container', LAST, LAST],
  ['the last container', LAST, outputs('P', 'C')],
  ['the block number', BLOCK_NUMBER, LAST],
  ['the block number', BLOCK_NUMBER, outputs('C', 'P')],
  ['the block number', BLOCK_NUMBER, outputs('X', 'C')],
  ['the block number', BLOCK_NUMBER, outputs('X', '2CA6j5zYzasynPsFeNoqWkmTCt3VScMvXUZHbfDJ8k3oGzAPtU')],
  ['an atomic transaction that nobody waited for', STATUS, BLOCK_NUMBER],
  ['an atomic transaction that nobody waited for', STATUS, BALANCE],
  ['an atomic transaction that nobody waited for', STATUS, outputs('P', 'C')],
  ['outputs that P exported to C', outputs('C', 'P'), outputs('C', 'P')],
  ['outputs that X exported to P', outputs('P', 'X'), outputs('P', 'X')],
  ['outputs that C exported to X', outputs('X', 'C'), outputs('X', 'C')],
  ['outputs that C exported to X', outputs('X', 'C'), BALANCE],
]

it.each(BEHIND.map(([told, way, next]) => [told, `${next[1]} ${JSON.stringify(next[2])}`, way, next] as const))(
  'behind %s nobody is shown the state of before: %s',
  async (_told, _next, way, next) => {
    for (const index of [0, 1]) {
      const front = await startTold(index, way)
      for (let round = 0; round < 5; round += 1) expect(isNew(await ask(front, next))).toBe(true)
    }
  },
)
