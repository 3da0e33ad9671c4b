import type { Partially } from '../../../../src/config/index.ts'
import type { Config } from '../../../../src/config/schema.ts'
import { encodeCb58 } from '../../../../src/lib/bytes/cb58.ts'
import { encodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { untilHeard } from '../../../support/programs/redis-server.ts'
import { type Asked, type Front, gorillaCall, nodeAt, type Reply, startFront } from '../fake-nodes.ts'
import { createMovingNodes, failureOf, later, type MovingNode, type MovingReport, noteAnswer } from '../moving-nodes.ts'

// Clients of P, X and their indexes over moving nodes. Block n of a chain holds transaction n, which has the same id,
// and makes one more output.

type Chain = 'P' | 'X'

interface Answer {
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

/** What a client asks, and what it must not be told. */
interface Question {
  path: string
  method: string
  params: object
  chain: Chain
  /** Why this answer is wrong, if it is. The server's own errors are not. */
  fault(answer: Answer): string | undefined | false
  /** The block that this result shows. */
  shows?(result: Record<string, unknown>): unknown
}

const FIRST = 1_000
const SERVICE = { P: 'platform', X: 'avm' } as const
const ACCEPTED = { P: 'Committed', X: 'Accepted' } as const

const idBytes = (chain: Chain, height: number): Buffer => {
  const bytes = Buffer.alloc(32, chain)
  bytes.writeUInt32BE(height)
  return bytes
}
const heights = new Map<string, number>()
function idOf(chain: Chain, height: number): string {
  const id = encodeCb58(idBytes(chain, height))
  heights.set(id, height)
  return id
}
const heightOf = (id: unknown): number => heights.get(String(id)) ?? Number.NaN

/** A standard block without transactions. */
function blockBytes(chain: Chain, height: number): string {
  const [parent, at] = [idBytes(chain, height - 1), Buffer.alloc(8)]
  at.writeBigUInt64BE(BigInt(height))
  const [head, none] = [Buffer.from([0, 0, 0, 0, 0, chain === 'P' ? 32 : 20]), Buffer.alloc(4)]
  return encodeNodeHex(
    Buffer.concat(chain === 'P' ? [head, at, parent, at, none] : [head, parent, at, at, Buffer.alloc(32), none]),
  )
}

const refuse = (message: string): Answer => ({ error: { code: -32000, message } })
const list = (count: number) => ({ numFetched: String(count), utxos: ['0x00'], endIndex: { address: 'a', utxo: 'b' } })

function blockAnswer(chain: Chain, at: number, height: number, encoding: unknown): Answer {
  if (at > height) return refuse('not found')
  const json = { parentID: idOf(chain, at - 1), height: at, txs: [] }
  return { result: { block: encoding === 'json' ? json : blockBytes(chain, at), encoding } }
}

const container = (chain: Chain, at: number) => ({
  id: idOf(chain, at),
  bytes: blockBytes(chain, at),
  timestamp: '2024-01-01T00:00:00Z',
  encoding: 'hex',
  index: String(at - 1),
})

function rangeAnswer(chain: Chain, from: number, height: number): Answer {
  if (from > height) return refuse(`start index (${from - 1}) > last accepted index (${height - 1})`)
  const count = Math.min(10, height - from + 1)
  return { result: { containers: Array.from({ length: count }, (_, at) => container(chain, from + at)) } }
}

/** All that a node with these heights says; it leaves out what it has not got. */
function answerOf(node: MovingNode, chain: Chain, { method = '', body }: Asked): Answer | undefined {
  const { params } = JSON.parse(body.toString()) as { params: Record<string, unknown> }
  const at = (of: unknown): number => node.heights[String(of)] ?? 0
  const height = at(chain)
  const has = heightOf(params['txID'] ?? params['id']) <= height
  const named = method.slice(method.indexOf('.') + 1)
  if (named === 'getHeight') return { result: { height: String(height) } }
  if (named === 'getBalance') return { result: { balance: String(height) } }
  if (named === 'getUTXOs') return { result: list(at(params['sourceChain'] ?? chain)) }
  if (named === 'getRewardUTXOs') return { result: list(has ? 1 : 0) }
  if (named === 'getTx') return has ? { result: { tx: '0x00', encoding: 'hex' } } : refuse('not found')
  if (named === 'getTxStatus') return { result: { status: has ? ACCEPTED[chain] : 'Unknown' } }
  if (named === 'isAccepted') return { result: { isAccepted: has } }
  if (named === 'getLastAccepted') return { result: container(chain, height) }
  if (named === 'getContainerRange') return rangeAnswer(chain, Number(params['startIndex']) + 1, height)
  if (named === 'getBlock') return blockAnswer(chain, heightOf(params['blockID']), height, params['encoding'])
  // The server tells networks apart by their first block.
  if (named !== 'getBlockByHeight' || Number(params['height']) === 0) return undefined
  return blockAnswer(chain, Number(params['height']), height, params['encoding'])
}

async function reply(node: MovingNode, call: Asked): Promise<Reply> {
  const failure = failureOf(node)
  if (failure) return failure
  const chain = /\/(?:bc|index)\/([PX])/.exec(call.path)?.[1] as Chain | undefined
  const answer = chain && answerOf(node, chain, call)
  await later(node)
  const id = /"id":(\d+)/.exec(call.body.toString())?.[1] ?? '1'
  return answer && { body: `${JSON.stringify({ jsonrpc: '2.0', ...answer }).slice(0, -1)},"id":${id}}\n` }
}

/** Words of a node that has not got it; the server's own errors differ. */
const denied = ({ error }: Answer): string | undefined =>
  error && /not found|start index/.test(error.message) ? error.message : undefined

/** What is asked about what clients were told of. */
function questionsAbout(chain: Chain, random: () => number, told: Readonly<Record<string, number>>): Question[] {
  const of = (name: string): number => told[name] ?? 0
  const other = chain === 'P' ? 'X' : 'P'
  // As told when it is asked; meanwhile others may be told more.
  const newest = of(chain)
  const near = newest - Math.floor(random() * random() * 5)
  const encoding = random() < 0.5 ? 'hex' : 'json'
  const addresses = [`${chain}-custom1xyz`]
  const [main, index] = [`/ext/bc/${chain}`, `/ext/index/${chain}/block`]
  const ask = (name: string, params: object, over: Partial<Question> = {}): Question => {
    const path = name.startsWith('index.') ? index : main
    const method = name.startsWith('index.') ? name : `${SERVICE[chain]}.${name}`
    return { path, method, params, chain, fault: denied, ...over }
  }
  const says = (member: string, is: (value: unknown) => boolean) => (answer: Answer) =>
    denied(answer) ?? (answer.result && !is(answer.result[member]) && `${member} ${answer.result[member]}`)
  const since = (member: string, least: number) => says(member, (value) => Number(value) >= least)
  return [
    ask('getHeight', {}, { fault: since('height', newest), shows: ({ height }) => height }),
    ask('getBalance', { addresses, assetID: 'AVAX' }, { fault: since('balance', newest) }),
    ask('getUTXOs', { addresses }, { fault: since('numFetched', newest) }),
    ask('getUTXOs', { addresses, sourceChain: other }, { fault: since('numFetched', of(other)) }),
    ask('getTx', { txID: idOf(chain, near) }),
    ask('getTxStatus', { txID: idOf(chain, near) }, { fault: says('status', (is) => is === ACCEPTED[chain]) }),
    ask('getBlock', { blockID: idOf(chain, near), encoding }),
    ask('getBlockByHeight', { height: near, encoding }),
    ask('index.isAccepted', { id: idOf(chain, near) }, { fault: says('isAccepted', (is) => is === true) }),
    ask(
      'index.getContainerRange',
      { startIndex: String(near - 1), numToFetch: '10', encoding: 'hex' },
      { shows: ({ containers }) => heightOf((containers as { id: string }[]).at(-1)?.id) },
    ),
    ask(
      'index.getLastAccepted',
      { encoding: 'hex' },
      { fault: says('id', (id) => heightOf(id) >= newest), shows: ({ id }) => heightOf(id) },
    ),
    ...(chain === 'P' ? [ask('getRewardUTXOs', { txID: idOf(chain, near) }, { fault: since('numFetched', 1) })] : []),
  ]
}

/** Who guesses right is shown a block that nobody was told of. */
function guesses(chain: Chain, random: () => number, next: number, awaited: Set<string>): Question[] {
  const encoding = random() < 0.5 ? 'hex' : 'json'
  const id = idOf(chain, next)
  const guess = (name: string, params: object, shows: Question['shows'] = () => next): Question => {
    const [path, method] = [`/ext/bc/${chain}`, `${SERVICE[chain]}.${name}`]
    return { path, method, params, chain, fault: () => undefined, shows }
  }
  return [
    guess('getBlockByHeight', { height: String(next), encoding }),
    guess('getBlock', { blockID: id, encoding }),
    guess('getTxStatus', { txID: id }, ({ status }) => {
      if (status === ACCEPTED[chain]) return awaited.has(id) ? next : undefined
      // Transactions that nobody asked about before count as old.
      awaited.add(id)
      return undefined
    }),
  ]
}

const SETTINGS: Partially<Config> = { node: { tipCacheMs: 1_000 }, upstream: { hedgeMinMs: 20, breakerOpenMs: 500 } }

/**
 * Asks so often over three nodes.
 * @param redis what several processes share, among which a balancer chooses; left out = there is one
 */
export async function runMovingPrimary(
  seed: number,
  times: number,
  redis?: { url: string; processes: number },
): Promise<MovingReport> {
  const moving = createMovingNodes(seed, { P: FIRST, X: FIRST })
  moving.isApart = redis !== undefined
  const { random, told } = moving
  const front = await startFront(3, redis ? { ...SETTINGS, redis: { url: redis.url, timeoutMs: 5_000 } } : SETTINGS)
  for (const [at, node] of moving.nodes.entries()) nodeAt(front, at).answer = (call) => reply(node, call)
  const posts = [front.post]
  for (; posts.length < (redis?.processes ?? 1); posts.push((await front.beside()).post));
  if (redis) await untilHeard(redis.url, posts.length)
  const awaited = new Set<string>()
  let id = 1_000_000
  await moving.run(times, async () => {
    const chain = random() < 0.5 ? 'P' : 'X'
    const before = { ...told }
    const next = (told[chain] ?? 0) + 1
    const questions = [...questionsAbout(chain, random, told), ...guesses(chain, random, next, awaited)]
    const question = questions[Math.floor(random() * questions.length)] as Question
    const { path, method, params } = question
    id += 1
    const post = posts[Math.floor(random() * posts.length)] as Front['post']
    const { text } = await post(path, gorillaCall(method, JSON.stringify(params), String(id)))
    // Where a server has no room there is plain text.
    const answer = (text.startsWith('{') ? JSON.parse(text) : {}) as Answer
    const { result } = answer
    const fault = question.fault(answer)
    noteAnswer(moving, {
      isError: result === undefined && denied(answer) === undefined,
      fault: fault ? `${method} ${JSON.stringify(params)}: ${fault}, told ${JSON.stringify(before)}` : undefined,
      chain,
      shows: result && question.shows?.(result),
    })
  })
  return moving.report
}
