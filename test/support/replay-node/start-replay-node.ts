import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { FIXTURES } from '../recorded/recordings.ts'
import { endpointAt } from './endpoints.ts'
import { createEvmEndpoint } from './evm/evm-endpoints.ts'
import { createSubscriptions, type Subscriptions } from './evm/subscriptions.ts'
import { hostAllowed, type NodeAnswersDeps } from './node-answers.ts'
import type { NodeContext } from './node-context.ts'
import { createNodeServices } from './node-services.ts'
import type { Faults, ReplayCounters, ReplayNode, ReplayNodeOptions } from './options.ts'
import { blockFile, type ChainName, type ChainTips, createChainTips } from './recorded/chain-tips.ts'
import { createConversationReplay } from './recorded/conversations.ts'
import { createRecordedFacts } from './recorded/recorded-facts.ts'
import { readNetwork } from './recorded/recorded-network.ts'
import { openRecordings, type Recordings } from './recorded/recordings.ts'
import { answerWith, type RunningChains } from './running-chain.ts'
import { createUtxoSets } from './utxo-chains/utxo-sets.ts'
import type { Answer, Incoming } from './wire/answer.ts'
import { corsHeaders, preflightAnswer } from './wire/cors.ts'
import { rawMembers } from './wire/go-json.ts'
import { NotRecordedError } from './wire/gorilla-rpc.ts'
import { createHttpServer, firstHeaders, type HttpHandlers, parseTarget } from './wire/http-server.ts'

/** Seconds a chain's block was accepted at; the recorded end has the time of the last reading. */
function recordedClock(recordings: Recordings, tips: ChainTips): () => number {
  const truth = (chain: ChainName, height: number): number => {
    if (chain === 'L1') return 0
    const line = JSON.parse(recordings.lines(blockFile(chain)).text(height)) as {
      container: { timestamp: string } | null
    }
    return line.container === null ? 0 : Math.floor(Date.parse(line.container.timestamp) / 1000)
  }
  return () => {
    const chains: readonly ChainName[] = ['P', 'X', 'C']
    const atEnd = chains.every((chain) => tips.height(chain) === tips.last[chain])
    if (atEnd && recordings.has('network/final-state.json')) {
      return recordings.json<{ time: number }>('network/final-state.json').time
    }
    return Math.max(...chains.map((chain) => truth(chain, tips.height(chain))))
  }
}

/** Whether the recorded node had its index on: the block behind genesis has an envelope then. */
const hadIndex = (recordings: Recordings): boolean =>
  (['P', 'X', 'C'] as const).some((chain) => {
    const blocks = recordings.lines(blockFile(chain))
    return blocks.length > 1 && (new Map(rawMembers(blocks.text(1))).get('container') ?? 'null') !== 'null'
  })

function createFaults(initial: Partial<Faults>, tips: ChainTips): Faults {
  const faults: Faults = {
    latencyMs: 0,
    dropNext: 0,
    dropAll: false,
    html: undefined,
    indexOff: false,
    unhealthy: undefined,
    bootstrapping: false,
    onPath: '',
    get lagBlocks() {
      return tips.lagBlocks
    },
    set lagBlocks(blocks: number) {
      tips.setLag(blocks)
    },
  }
  return Object.assign(faults, initial)
}

function countMethods(counters: ReplayCounters, body: Buffer): void {
  for (const match of body.toString('latin1').matchAll(/"method"\s*:\s*"([^"]*)"/g)) {
    const method = match[1] ?? ''
    counters.methods[method] = (counters.methods[method] ?? 0) + 1
  }
}

const PAGE =
  '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'

/** The fault a request meets: an answer, `cut` for a lost connection, undefined for none. */
async function faultFor(faults: Faults, request: Incoming): Promise<Answer | 'cut' | undefined> {
  if (!request.path.includes(faults.onPath)) return undefined
  if (faults.latencyMs > 0) await delay(faults.latencyMs)
  if (faults.dropAll) return 'cut'
  if (faults.dropNext > 0) {
    faults.dropNext--
    return 'cut'
  }
  if (faults.html === undefined) return undefined
  return { status: faults.html, headers: [['Content-Type', 'text/html']], body: PAGE }
}

function createCounters(): ReplayCounters {
  return { requests: 0, replayed: 0, facts: 0, methods: {}, active: 0, mostActive: 0, aborted: 0, issued: [] }
}

interface Parts {
  tips: ChainTips
  counters: ReplayCounters
  faults: Faults
  deps: NodeAnswersDeps
  replay: ReturnType<typeof createConversationReplay>
  running: RunningChains | undefined
}

function assemble(options: ReplayNodeOptions): Parts {
  const recordings = openRecordings(options.recordings ?? FIXTURES)
  const network = readNetwork(recordings)
  const tips = createChainTips(recordings, options.upTo ?? {})
  const counters = createCounters()
  const context: NodeContext = {
    recordings,
    network,
    tips,
    utxos: createUtxoSets(recordings, tips),
    clock: options.clock ?? recordedClock(recordings, tips),
    issued: (chain, bytes) => counters.issued.push({ chain, bytes }),
  }
  const faults = createFaults({ indexOff: !hadIndex(recordings), ...options.faults }, tips)
  const facts = createRecordedFacts(recordings, network, () => counters.facts++)
  const notRecorded = (): never => {
    throw new NotRecordedError('the recordings do not tell')
  }
  const c = createEvmEndpoint(context, 'C', notRecorded)
  const l1 = createEvmEndpoint(context, 'L1', notRecorded)
  const deps: NodeAnswersDeps = {
    network,
    node: createNodeServices(context, faults),
    evm: { ...(c === undefined ? {} : { C: c }), ...(l1 === undefined ? {} : { L1: l1 }) },
    facts: options.facts === false ? () => () => undefined : facts,
    faults,
    allowedHosts: options.allowedHosts ?? ['localhost'],
  }
  const replay = createConversationReplay(recordings, options.conversations ?? [])
  return { tips, counters, faults, deps, replay, running: options.running }
}

async function answerFor(
  { counters, faults, deps, replay, running }: Parts,
  request: Incoming,
): Promise<Answer | undefined> {
  counters.requests++
  counters.active++
  counters.mostActive = Math.max(counters.mostActive, counters.active)
  countMethods(counters, request.body)
  try {
    const fault = await faultFor(faults, request)
    if (fault !== undefined) return fault === 'cut' ? undefined : fault
    const replayed = replay.answer(request)
    if (replayed !== undefined) counters.replayed++
    return replayed ?? preflightAnswer(request) ?? (await answerWith(deps, request, running))
  } finally {
    counters.active--
  }
}

/** Opens a WebSocket where an EVM endpoint has one, and refuses it elsewhere. */
function upgradeTo({ deps, faults }: Parts, subscriptions: Subscriptions): HttpHandlers['upgrade'] {
  return (request, socket, head) => {
    const path = parseTarget(request.url ?? '/')?.path ?? '/'
    const endpoint = endpointAt(deps.network, path)
    const chain = endpoint === 'C/ws' ? deps.evm.C : endpoint === 'L1/ws' ? deps.evm.L1 : undefined
    const welcome = hostAllowed(firstHeaders(request)['host'], deps.allowedHosts)
    if (chain !== undefined && welcome && !faults.dropAll) {
      subscriptions.upgrade(request, socket, head, chain, deps.facts(endpoint === 'C/ws' ? 'C/rpc' : 'L1/rpc'))
      return
    }
    const status = welcome ? '404 Not Found' : '403 Forbidden'
    socket.on('error', () => socket.destroy())
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  }
}

/**
 * Serves a recorded network as a node. Everything is derived from the folder; the chains stand at their recorded ends
 * or where `upTo` says, and `advance` moves them on. Rejects when the folder holds no recordings.
 */
export async function startReplayNode(options: ReplayNodeOptions = {}): Promise<ReplayNode> {
  const parts = assemble(options)
  const { tips, counters, faults, deps } = parts
  const subscriptions = createSubscriptions()
  tips.onMove(() => subscriptions.publish())
  const server = createHttpServer({
    nodeID: deps.network.nodeID,
    common: corsHeaders,
    answer: (request) => answerFor(parts, request),
    aborted: () => counters.aborted++,
    upgrade: upgradeTo(parts, subscriptions),
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    counters,
    faults,
    last: tips.last,
    heights: () => ({ P: tips.height('P'), X: tips.height('X'), C: tips.height('C'), L1: tips.height('L1') }),
    advance: (blocks) => tips.advance(blocks),
    moveTo: (heights) => tips.moveTo(heights),
    async stop() {
      subscriptions.close()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
