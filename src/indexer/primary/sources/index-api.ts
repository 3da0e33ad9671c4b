import { isAscii } from 'node:buffer'
import { BadAnswerError, CancelledError, FirnError, messageOf } from '../../../errors.ts'
import type { AnswerVerdict, RawResponse, UpstreamPool } from '../../../upstream/types.ts'
import type { Page, StreamTip } from '../../runner/stream.ts'
import { StreamBlockedError } from '../../runner/stream-errors.ts'
import { readContainers } from './container-page.ts'
import type { ChainFormat } from './formats.ts'
import type { SourceBlock } from './source-block.ts'
import { createStartingNodes, type StartingNodes } from './starting-nodes.ts'

/** No node of the pool has the index of this chain, or the part that is needed. */
export class IndexOffError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'INDEX_OFF', retryable: true })
  }
}

/** No node that answered has the index, but not every one did. */
export class IndexUnknownError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'INDEX_UNKNOWN', retryable: true })
  }
}

export interface IndexApi<T> {
  /**
   * The blocks after `after` from the nodes' index of accepted containers.
   * @throws IndexOffError when no node has it, IndexUnknownError when one that said nothing may have it
   */
  read(after: StreamTip, signal: AbortSignal): Promise<IndexPage<T>>
}

export interface IndexPage<T> extends Page<SourceBlock<T>> {
  /** The node whose index it is. */
  readonly host: string | undefined
}

/** The index ends before the stored blocks: on lagging nodes, and on nodes whose index has a gap. */
export class IndexBehindError extends BadAnswerError {}

/** The node's own limit. */
const MAX_CONTAINERS = 1_024
/** A proposal and its option have to fit into one page. */
const FEWEST = 2
/**
 * So many containers fit into one answer and a node's memory, however large: since Helicon a P block may be a megabyte.
 */
const SAFE = 8
/** Target size of pages in bytes of JSON, so that large blocks do not fill the memory. */
const PAGE_BYTES = 8_388_608
const CALL_MS = 60_000
const SERVER_ERRORS = 500

type Reading<T> =
  | { kind: 'blocks'; blocks: SourceBlock<T>[]; full: boolean; host?: string }
  | { kind: 'off'; reason: string; silent?: readonly string[]; doubtful?: readonly string[] }
  | { kind: 'rate-limited' | 'bad' | 'blocked'; reason: string }
  | { kind: 'behind'; reason: string; last?: bigint }
  | { kind: 'shifted'; reason: string; shift: bigint }

export function createIndexApi<T>(
  pool: UpstreamPool,
  format: ChainFormat<T>,
  pageBlocks = MAX_CONTAINERS,
): IndexApi<T> {
  const path = `/ext/index/${format.letter}/block`
  const most = Math.max(FEWEST, Math.min(pageBlocks, MAX_CONTAINERS))
  let count = most
  /** Containers below this height did not arrive in a page of many: too large, or too late. */
  let heavyBelow = 0n
  /** Nodes that started indexing late, or paused it, hold the block of height h at h − 1 − shift. */
  let shift = 0n
  const starting = createStartingNodes(pool, format.letter)

  const ask = async (after: StreamTip, signal: AbortSignal): Promise<Reading<T>> => {
    // The container of the stored tip is included: it shows that the node is on our chain and counts as we do.
    const overlap = after.height > 0n
    const startIndex = after.height - shift - (overlap ? 1n : 0n)
    if (startIndex < 0n) return { kind: 'off', reason: 'the index begins later' }
    const numToFetch = Math.min(count + (overlap ? 1 : 0), MAX_CONTAINERS)
    const asked = { after, overlap, startIndex, numToFetch }
    let answered = false
    const answer = await exchange(pool, path, asked, signal, starting, (response) => {
      // A gateway's timeout in front of the node is not an answer from the node.
      answered ||= response.status < SERVER_ERRORS
      return readAnswer(format, response, asked)
    }).catch((error: unknown) => {
      // An aborted read (no database to write to, say) says nothing about the page's size.
      if (signal.aborted) throw error
      if (!answered) heavyBelow = maxOf(heavyBelow, after.height + BigInt(numToFetch))
      count = Math.max(FEWEST, Math.min(count >> 1, answered ? most : SAFE))
      throw error
    })
    const { reading, bytes } = answer
    // A node builds its whole answer even if nobody waits any more, so it is not asked for as much there again.
    const limit = after.height < heavyBelow ? Math.min(SAFE, most) : most
    if (reading.kind === 'blocks') count = Math.min(limit, nextCount(reading.blocks.length, bytes))
    return reading
  }

  /** Checks the end of an index that is shorter than expected: whether it counts differently. */
  const recount = async (after: StreamTip, last: bigint, signal: AbortSignal): Promise<boolean> => {
    const before = shift
    shift = after.height - 1n - last
    const reading = await ask(after, signal)
    if (reading.kind === 'shifted') shift = reading.shift
    else if (reading.kind !== 'blocks') shift = before
    return shift !== before
  }

  return {
    async read(after, signal) {
      let reading = await ask(after, signal)
      if (reading.kind === 'off' && (await starting.settle(reading.doubtful ?? [], signal)))
        reading = await ask(after, signal)
      if (reading.kind === 'behind' && reading.last !== undefined && (await recount(after, reading.last, signal)))
        reading = await ask(after, signal)
      if (reading.kind === 'shifted' && reading.shift !== shift) {
        shift = reading.shift
        reading = await ask(after, signal)
      }
      if (reading.kind === 'behind') throw new IndexBehindError(`${path}: ${reading.reason}`)
      if (reading.kind === 'off') throw offError(`${path}: ${reading.reason}`, reading.silent)
      if (reading.kind !== 'blocks') throw new IndexOffError(`${path}: ${reading.reason}`)
      const { blocks, full, host } = reading
      const tip = blocks.at(-1)?.height ?? after.height
      return { blocks, tip: full ? tip + 1n : tip, host }
    },
  }
}

/** One request; the pool tries another node after every answer that does not match it. */
async function exchange<T>(
  pool: UpstreamPool,
  path: string,
  { startIndex, numToFetch }: Asked,
  signal: AbortSignal,
  starting: StartingNodes,
  read: (response: RawResponse) => Reading<T>,
): Promise<{ reading: Reading<T>; bytes: number }> {
  const params = { startIndex: String(startIndex), numToFetch: String(numToFetch), encoding: 'hex' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'index.getContainerRange', params })
  const readings = new Map<RawResponse, Reading<T>>()
  const judge = (response: RawResponse): AnswerVerdict => {
    const reading = read(response)
    readings.set(response, reading)
    return verdictOf(reading)
  }
  try {
    const headers = { 'content-type': 'application/json' }
    const options = { signal, deadline: Date.now() + CALL_MS, judge, keepsRoom: true }
    const response = await pool.exchange({ method: 'POST', path, headers, body }, options)
    const reading = readings.get(response) ?? read(response)
    if (reading.kind === 'off') Object.assign(reading, unheardIn(pool, [...readings.keys()], starting))
    if (reading.kind === 'blocks') {
      reading.host = response.host
      starting.served(response.host)
    }
    return { reading, bytes: response.body.length }
  } catch (error) {
    if (error instanceof CancelledError) throw error
    // A block that cannot be understood says more than that no node helped.
    const blocked = [...readings.values()].find(({ kind }) => kind === 'blocked')
    if (blocked && 'reason' in blocked) throw new StreamBlockedError(blocked.reason, error)
    throw error
  }
}

/**
 * Hosts that said nothing about their index this time: nodes that are being started, say. Doubtful are those among them
 * that answered 404.
 */
function unheardIn(
  pool: UpstreamPool,
  answers: readonly RawResponse[],
  starting: StartingNodes,
): { silent: string[]; doubtful: string[] } {
  const heard = new Set<string>()
  const doubtful = new Set<string>()
  for (const { host, status } of answers) {
    if (status === 404 && starting.isDoubtful(host)) doubtful.add(host)
    else if (status < SERVER_ERRORS && status !== 429) heard.add(host)
  }
  return { silent: pool.status().flatMap(({ host }) => (heard.has(host) ? [] : [host])), doubtful: [...doubtful] }
}

const offError = (reason: string, silent: readonly string[] = []): FirnError =>
  silent.length === 0
    ? new IndexOffError(reason)
    : new IndexUnknownError(`${reason}; ${silent.join(', ')} may have it and did not answer`)

const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** How many to request next, from the size of the last answer. */
function nextCount(containers: number, bytes: number): number {
  if (containers === 0) return MAX_CONTAINERS
  return Math.max(FEWEST, Math.min(MAX_CONTAINERS, Math.floor((PAGE_BYTES * containers) / bytes)))
}

function verdictOf(reading: Reading<unknown>): AnswerVerdict {
  if (reading.kind === 'blocks') return { kind: 'answer' }
  const { kind, reason } = reading
  if (kind === 'rate-limited') return { kind: 'retry', reason, rateLimited: true }
  // Having no index, or an older tip, is not a node's fault.
  return { kind: 'retry', reason, behind: kind === 'off' || kind === 'behind' || kind === 'shifted' }
}

interface Asked {
  after: StreamTip
  overlap: boolean
  startIndex: bigint
  numToFetch: number
}

function readAnswer<T>(format: ChainFormat<T>, response: RawResponse, asked: Asked): Reading<T> {
  const { status, body } = response
  if (status === 429) return { kind: 'rate-limited', reason: 'rate limited' }
  if (status === 404 || status === 403) return { kind: 'off', reason: 'the index API is not there' }
  if (status !== 200) return { kind: 'bad', reason: `status ${status}` }
  try {
    const answer = JSON.parse(textOf(body)) as {
      error?: { message?: unknown }
      result?: { containers?: unknown }
    }
    if (answer.error) return readError(String(answer.error.message), asked)
    const containers = answer.result?.containers
    if (!Array.isArray(containers)) return { kind: 'bad', reason: 'no containers' }
    return readBlocks(format, containers, asked)
  } catch (error) {
    const reason = messageOf(error)
    return { kind: error instanceof StreamBlockedError ? 'blocked' : 'bad', reason }
  }
}

/**
 * Megabytes of digits: reading ASCII as latin1 avoids decoding and, since the text is outside the heap, heap memory.
 */
const textOf = (body: Buffer): string => body.toString(isAscii(body) ? 'latin1' : 'utf8')

function readError(message: string, { overlap }: Asked): Reading<never> {
  if (message.includes('no containers have been accepted')) {
    return overlap ? { kind: 'behind', reason: message } : { kind: 'blocks', blocks: [], full: false }
  }
  const last = /> last accepted index \((\d{1,18})\)/.exec(message)?.[1]
  if (last !== undefined) return { kind: 'behind', reason: message, last: BigInt(last) }
  if (message.includes('> last accepted index')) return { kind: 'behind', reason: message }
  if (/find (the )?(method|service)/.test(message)) return { kind: 'off', reason: message }
  return { kind: 'bad', reason: message }
}

function readBlocks<T>(format: ChainFormat<T>, texts: readonly unknown[], asked: Asked): Reading<T> {
  const { after, overlap, startIndex, numToFetch } = asked
  const all = readContainers(format, texts, startIndex)
  const [first] = all
  if (!first) return { kind: 'bad', reason: 'an empty range' }
  const full = texts.length === numToFetch
  if (!overlap) {
    if (first.height !== 1n) return { kind: 'off', reason: `the index begins with block ${first.height}` }
    if (first.parentId !== after.id) return { kind: 'bad', reason: 'the chain begins with another genesis' }
    return { kind: 'blocks', blocks: all, full }
  }
  if (first.height !== after.height) {
    return {
      kind: 'shifted',
      reason: `index ${startIndex} is block ${first.height}`,
      shift: first.height - 1n - startIndex,
    }
  }
  if (first.id !== after.id) return { kind: 'bad', reason: `another block at ${after.height}` }
  if (all.length === 1 && texts.length > 1) {
    return { kind: 'off', reason: `the index has nothing between block ${after.height} and a later one` }
  }
  return { kind: 'blocks', blocks: all.slice(1), full }
}
