import { evmCall, gorillaCall, nodeAt, startFront } from '../fake-nodes.ts'
import { createMovingNodes, type MovingReport, noteAnswer } from '../moving-nodes.ts'
import {
  CHAINS,
  type Chain,
  createMemory,
  FIRST,
  hashOf,
  heightOf,
  hex,
  idOf,
  type Memory,
  replyOf,
} from './moving-memory.ts'

// Clients that move funds between P, X and C over moving nodes: what was exported and imported, and C's blocks behind it.

interface Answer {
  result?: unknown
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
  shows?(result: unknown): unknown
}

/** What clients know when one asks. */
interface Known {
  random: () => number
  memory: Memory
  told: Readonly<Record<Chain, number>>
  /** Outputs that any client was shown, by the chains they go from and to. */
  arrived: Map<string, Set<number>>
  /** Transactions that were sent, or asked for too early. */
  awaited: Set<string>
}

const SERVICE = { P: 'platform', X: 'avm', C: 'avax' } as const
const PATH = { P: '/ext/bc/P', X: '/ext/bc/X', C: '/ext/bc/C/avax' } as const
const INDEX = '/ext/index/C/block'
const RPC = '/ext/bc/C/rpc'
const ACCEPTED = { P: 'Committed', X: 'Accepted', C: 'Accepted' } as const

/** Words of a node that has not got it; the server's own errors differ. */
const denied = ({ error }: Answer): string | undefined =>
  error && /not found|could not find|start index/.test(error.message) ? error.message : undefined
const isNull = (answer: Answer): string | undefined => denied(answer) ?? (answer.result === null ? 'null' : undefined)
const memberOf = (result: unknown, name: string): unknown => (result as Record<string, unknown> | null)?.[name]
const says = (member: string, is: (value: unknown) => boolean) => (answer: Answer) =>
  denied(answer) ??
  (answer.result !== undefined && !is(memberOf(answer.result, member)) && JSON.stringify(answer.result))

/** What is exported from one chain and not imported at another yet. */
function outputs(from: Chain, to: Chain, { memory, told, arrived }: Known): Question {
  const key = `${from}${to}`
  const before = new Set(arrived.get(key))
  const [exported, imported] = [told[from], told[to]]
  const fault = ({ result }: Answer): string | undefined => {
    if (result === undefined) return undefined
    const shown = new Set((memberOf(result, 'utxos') as string[]).map(Number))
    const now = arrived.get(key) ?? new Set()
    arrived.set(key, now)
    for (const output of shown) now.add(output)
    for (const output of shown) {
      const block = memory.importedIn(from, to, output)
      if (block !== undefined && block <= imported) return `${output} is back, imported in ${block}`
    }
    for (let output = FIRST + 1; output <= exported; output += 1)
      if (!shown.has(output) && memory.importedIn(from, to, output) === undefined) return `${output} left out`
    for (const output of before)
      if (!shown.has(output) && memory.importedIn(from, to, output) === undefined) return `${output} vanished`
    return undefined
  }
  const params = { addresses: [`${to}-custom1xyz`], sourceChain: from }
  return { path: PATH[to], method: `${SERVICE[to]}.getUTXOs`, params, chain: to, fault }
}

/** A transaction that is sent and asked for until it is accepted, and one that was told. */
function transactions(chain: Chain, { random, told, awaited }: Known): Question[] {
  const [next, near] = [told[chain] + 1, told[chain] - Math.floor(random() * random() * 5)]
  const status = chain === 'C' ? 'getAtomicTxStatus' : 'getTxStatus'
  const ask = (name: string, params: object, over: Partial<Question> = {}): Question => {
    const method = `${SERVICE[chain]}.${name}`
    return { path: PATH[chain], method, params, chain, fault: () => undefined, ...over }
  }
  const acceptedIn = (id: string, height: number) => (result: unknown) => {
    if (memberOf(result, 'status') !== ACCEPTED[chain]) return void awaited.add(id)
    // Transactions of P and X that nobody asked about before count as old.
    return chain === 'C' || awaited.has(id) ? height : undefined
  }
  const nextId = idOf(chain, next)
  const found = ask('getAtomicTx', { txID: idOf(chain, near) }, { fault: denied })
  const guess = ask('getAtomicTx', { txID: nextId }, { shows: (result) => memberOf(result, 'blockHeight') })
  return [
    ask('issueTx', { tx: '0x00' }, { shows: (result) => void awaited.add(String(memberOf(result, 'txID'))) }),
    ask(status, { txID: nextId }, { shows: acceptedIn(nextId, next) }),
    ask(status, { txID: idOf(chain, near) }, { fault: says('status', (is) => is === ACCEPTED[chain]) }),
    ...(chain === 'C' ? [found, guess] : []),
  ]
}

const heightQuestion = (chain: 'P' | 'X', { told }: Known): Question => ({
  path: PATH[chain],
  method: `${SERVICE[chain]}.getHeight`,
  params: {},
  chain,
  fault: says('height', (height) => Number(height) >= told[chain]),
  shows: (result) => memberOf(result, 'height'),
})

/** C as its EVM and its index show it. */
function ofC({ random, told }: Known): Question[] {
  const newest = told.C
  const [near, next] = [newest - Math.floor(random() * random() * 5), newest + 1]
  const ask = (path: string, method: string, params: object, over: Partial<Question> = {}): Question => ({
    ...{ path, method, params, chain: 'C', fault: isNull },
    ...over,
  })
  const since = ({ result }: Answer) => result !== undefined && Number(result) < newest && `${Number(result)}`
  const indexed = (id: unknown): boolean => heightOf(id) >= newest
  const shown = (result: unknown) => heightOf(memberOf(result, 'id'))
  return [
    ask(RPC, 'eth_blockNumber', [], { fault: since, shows: Number }),
    ask(RPC, 'eth_getBalance', ['0x1', 'latest'], { fault: since }),
    ask(RPC, 'eth_getBlockByNumber', [hex(near), false]),
    ask(RPC, 'eth_getBlockByHash', [hashOf(near), false]),
    ask(RPC, 'eth_getTransactionReceipt', [hashOf(near)]),
    ask(RPC, 'eth_getTransactionReceipt', [hashOf(next)], {
      fault: () => undefined,
      shows: (result) => (result ? next : undefined),
    }),
    ask(INDEX, 'index.isAccepted', { id: idOf('C', near) }, { fault: says('isAccepted', (is) => is === true) }),
    ask(INDEX, 'index.getContainerByID', { id: idOf('C', near), encoding: 'hex' }),
    ask(INDEX, 'index.getLastAccepted', { encoding: 'hex' }, { fault: says('id', indexed), shows: shown }),
    ask(
      INDEX,
      'index.getContainerRange',
      { startIndex: String(near - 1), numToFetch: '10', encoding: 'hex' },
      { shows: (result) => heightOf((memberOf(result, 'containers') as { id: string }[]).at(-1)?.id) },
    ),
  ]
}

function questionOf(known: Known): Question {
  const { random } = known
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const [from, to] = [pick(CHAINS), pick(CHAINS)]
  const kind = random()
  if (kind < 0.4 && from !== to) return outputs(from, to, known)
  if (kind < 0.6) return pick(transactions(to, known))
  return kind < 0.7 && to !== 'C' ? heightQuestion(to, known) : pick(ofC(known))
}

/** Asks so often over three nodes. */
export async function runMovingAtomic(seed: number, times: number): Promise<MovingReport> {
  let random = (): number => 0
  const memory = createMemory(() => random())
  const moving = createMovingNodes(seed, { P: FIRST, X: FIRST, C: FIRST }, memory.blocks)
  random = moving.random
  const front = await startFront(3, { node: { tipCacheMs: 1_000 }, upstream: { hedgeMinMs: 20, breakerOpenMs: 500 } })
  for (const [at, node] of moving.nodes.entries()) nodeAt(front, at).answer = (call) => replyOf(node, memory, call)
  const [arrived, awaited] = [new Map<string, Set<number>>(), new Set<string>()]
  let id = 1_000_000
  await moving.run(times, async () => {
    const told = { ...moving.told } as Record<Chain, number>
    const question = questionOf({ random, memory, told, arrived, awaited })
    const { path, method, params, chain } = question
    id += 1
    const call = path === RPC ? evmCall : gorillaCall
    const { text } = await front.post(path, call(method, JSON.stringify(params), String(id)))
    // A server that has too much to do says so in plain text.
    const answer = (text.startsWith('{') ? JSON.parse(text) : {}) as Answer
    const { result } = answer
    const fault = question.fault(answer)
    noteAnswer(moving, {
      isError: result === undefined && denied(answer) === undefined,
      fault: fault ? `${method} ${JSON.stringify(params)}: ${fault}, told ${JSON.stringify(told)}` : undefined,
      chain,
      shows: result === undefined ? undefined : question.shows?.(result),
    })
  })
  return moving.report
}
