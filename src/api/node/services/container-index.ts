import { UpstreamUnavailableError } from '../../../errors.ts'
import { bytesToHex, idToCb58 } from '../../../lib/bytes/ids.ts'
import { encodeNodeHex } from '../../../lib/bytes/node-hex.ts'
import { clientSource } from '../../../lib/http/client-source.ts'
import { createWorkQueue } from '../../../lib/waiting/work-queue.ts'
import {
  CONTAINER_INDEXES,
  type Container,
  type ContainerIndex,
  type ContainerRead,
  type ContainerSource,
} from '../../../services/containers/index.ts'
import type { Arguments, Encoding } from '../gorilla/arguments.ts'
import {
  type JsonValue,
  type LocalCall,
  type LocalMethod,
  type LocalService,
  MethodError,
  PASS_ON,
  RawJson,
} from '../gorilla/local-service.ts'

const MAX_RANGE = 1_024n
/** Bytes of containers per answer: it is assembled in memory at several times the size; a P block may be a megabyte. */
const MAX_BYTES = 67_108_864n
/** This many always fit: no message of a node is larger. */
const FEW = Number(MAX_BYTES / 2_097_152n)
/** Larger ranges (bytes) are assembled one at a time: a dozen of the largest at once would exceed the memory. */
const LARGE = 4_194_304n
export const LARGE_AT_ONCE = { running: 1, waiting: 32 }
const PREFIX = 'index/'

/** The answer of an index that is complete here. `final`: the next block does not change it. */
interface Said {
  answer: JsonValue | MethodError
  final: boolean
}
type OwnMethod<A> = (index: ContainerIndex, args: A, read: ContainerRead) => Promise<Said>

function containerJson({ id, bytes, timestamp, index }: Container, encoding: Encoding): JsonValue {
  if (encoding === 'json') throw new MethodError('unsupported encoding in method')
  const hex = encoding === 'hexnc' ? `0x${bytesToHex(bytes)}` : encodeNodeHex(bytes)
  return { id: idToCb58(bytesToHex(id)), bytes: hex, timestamp, encoding, index: String(index) }
}

const NONE = 'no containers have been accepted'
const UNKNOWN = 'not found'

const fails = (text: string, final = false): Said => ({ answer: new MethodError(text), final })
const shows = (answer: JsonValue, final = true): Said => ({ answer, final })

const readPosition = (args: Arguments) => ({ index: args.uint64('index'), encoding: args.encoding() })
const readId = (args: Arguments) => ({ id: args.id('id'), encoding: args.encoding() })
/** Answers without bytes have no encoding: a node ignores the argument. */
const readIdOnly = (args: Arguments) => ({ id: args.id('id') })
const readEncoding = (args: Arguments) => ({ encoding: args.encoding() })
const readRange = (args: Arguments) => ({
  startIndex: args.uint64('startIndex'),
  numToFetch: args.uint64('numToFetch'),
  encoding: args.encoding(),
})
type Decoded = Partial<Record<'index' | 'startIndex' | 'numToFetch', bigint> & Record<'id' | 'encoding', string>>

/** Decoded arguments as a node is asked with them. */
const paramsOf = ({ id, ...rest }: Decoded): JsonValue => ({
  ...(id === undefined ? {} : { id: idToCb58(id) }),
  ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)])),
})

/** Positions of the containers in a node's result. */
const positionsIn = (result: string): bigint[] =>
  [...result.matchAll(/"index":"(\d{1,20})"/g)].map(([, digits = '']) => BigInt(digits))

/** Texts and order of checks are a node's; `encoding` is checked last, when something is encoded. */
function ownMethods(source: ContainerSource) {
  const large = createWorkQueue(LARGE_AT_ONCE, () => new UpstreamUnavailableError('too many large ranges wait'))
  const getContainerRange: OwnMethod<ReturnType<typeof readRange>> = async (index, args, read) => {
    const { startIndex: start, numToFetch: count, encoding } = args
    if (count > MAX_RANGE) return fails(`numToFetch must be in [1,${MAX_RANGE}] but is ${count}`, true)
    const last = await source.lastAccepted(index, read)
    if (!last) return fails(NONE)
    if (start > last.index) return fails(`start index (${start}) > last accepted index (${last.index})`)
    const told = async (): Promise<Said> => {
      const containers = await source.range(index, start, Number(count), read)
      const whole = containers.length === Number(count)
      return shows({ containers: containers.map((container) => containerJson(container, encoding)) }, whole)
    }
    const bytes = count > FEW ? await source.size(index, start, Number(count), read) : 0n
    if (bytes > MAX_BYTES) return fails(`${count} containers are more than ${MAX_BYTES} bytes: ask for fewer`, true)
    return bytes > LARGE ? large(told, read.signal) : told()
  }
  const getContainerByIndex: OwnMethod<ReturnType<typeof readPosition>> = async (index, args, read) => {
    const container = await source.byIndex(index, args.index, read)
    return container ? shows(containerJson(container, args.encoding)) : fails(`no container at index ${args.index}`)
  }
  const getContainerByID: OwnMethod<ReturnType<typeof readId>> = async (index, { id, encoding }, read) => {
    const container = await source.byId(index, id, read)
    return container ? shows(containerJson(container, encoding)) : fails(UNKNOWN)
  }
  const getLastAccepted: OwnMethod<ReturnType<typeof readEncoding>> = async (index, { encoding }, read) => {
    const container = await source.lastAccepted(index, read)
    return container ? shows(containerJson(container, encoding), false) : fails(NONE)
  }
  const getIndex: OwnMethod<ReturnType<typeof readIdOnly>> = async (index, { id }, read) => {
    const position = await source.indexOf(index, id, read)
    return position === undefined ? fails(UNKNOWN) : shows({ index: String(position) })
  }
  const isAccepted: OwnMethod<ReturnType<typeof readIdOnly>> = async (index, { id }, read) => {
    const known = (await source.indexOf(index, id, read)) !== undefined
    return shows({ isAccepted: known }, known)
  }
  return { getContainerRange, getContainerByIndex, getContainerByID, getLastAccepted, getIndex, isAccepted }
}

/** The index is complete here, but a node may have more: the call is for one that has it. */
const NOT_NEWEST: unique symbol = Symbol('not newest')

/**
 * The own index's answer, or PASS_ON when it is incomplete. An answer that the next block may change counts only while
 * the index is at the nodes' tip: a node's index may hold more, and no answer is better than an old one.
 * @param told highest position that a client was told by a node: the one that is asked for the tip may lack it
 */
async function say(
  source: ContainerSource,
  index: ContainerIndex,
  run: (read: ContainerRead) => Promise<Said>,
  read: ContainerRead,
  told: bigint,
): Promise<JsonValue | typeof PASS_ON | typeof NOT_NEWEST> {
  if (!(await source.complete(index, read))) return PASS_ON
  let said = await run(read)
  if (!said.final) {
    if (!(await source.current(index, read))) return NOT_NEWEST
    if (told >= 0n && ((await source.lastAccepted(index, read))?.index ?? -1n) < told) return NOT_NEWEST
    said = await run(read)
    // What came meanwhile may have been read by height: such a block has no container.
    if (!(await source.complete(index, read))) return PASS_ON
  }
  if (said.answer instanceof MethodError) throw said.answer
  return said.answer
}

const isIndex = (name: string): name is ContainerIndex => (CONTAINER_INDEXES as readonly string[]).includes(name)

/** Calls the listener whenever a network was restarted, as test networks are. */
type OnReset = (listener: () => void) => void

/** Makes methods that are answered from own containers where these are complete, otherwise by a node. */
function createMethods(source: ContainerSource | undefined, onReset: OnReset) {
  const told = new Map<ContainerIndex, bigint>()
  // No node has what the former chain had, and the new one's index would not count until it is as long.
  onReset(() => told.clear())
  const toldOf = (index: ContainerIndex): bigint => told.get(index) ?? -1n
  /** Where every node answers 404, since the one with the index starts anew, say, that is no answer: it is served here. */
  const askNode = async (index: ContainerIndex, call: LocalCall, params: JsonValue): Promise<RawJson> => {
    const result = await call.ask(call.method, params)
    // Transactions of X are counted here from Cortina on, by old nodes from the beginning.
    const positions = index.endsWith('/block') ? positionsIn(result) : []
    for (const position of positions) if (position > toldOf(index)) told.set(index, position)
    return new RawJson(result)
  }
  return <A extends Decoded>(decode: (args: Arguments) => A, run: OwnMethod<A> | undefined): LocalMethod => {
    return async (args, call: LocalCall) => {
      // Decoded even if a node will answer: a wrong argument has the same error text everywhere.
      const decoded = decode(args)
      const index = call.endpoint.slice(PREFIX.length)
      if (run === undefined || source === undefined || !isIndex(index)) return PASS_ON
      const read = { signal: call.signal, client: clientSource(call.callerAddress) }
      const said = await say(source, index, (one) => run(index, decoded, one), read, toldOf(index)).catch(
        (error: unknown): typeof PASS_ON => {
          // The own index is broken: its own check reports that, while nodes may still answer.
          if (error instanceof MethodError || call.signal.aborted) throw error
          return PASS_ON
        },
      )
      return said === NOT_NEWEST ? askNode(index, call, paramsOf(decoded)) : said
    }
  }
}

/**
 * index.*: answered from own containers if they are complete, otherwise by a node. `source` left out: there are none.
 * An empty range is always answered here: spec 2 requires an empty list where nodes return an error.
 */
export function createContainerIndexService(source?: ContainerSource, onReset: OnReset = () => {}): LocalService {
  const here = createMethods(source, onReset)
  const own = source && ownMethods(source)
  const range = here(readRange, own?.getContainerRange)
  return {
    endpoints: CONTAINER_INDEXES.map((index) => PREFIX + index),
    service: 'index',
    // A node without an index answers everything with 404, even what is answered here regardless of nodes.
    whole: source !== undefined,
    methods: {
      getContainerRange: (args, call) => (readRange(args).numToFetch === 0n ? { containers: [] } : range(args, call)),
      getContainerByIndex: here(readPosition, own?.getContainerByIndex),
      getContainerByID: here(readId, own?.getContainerByID),
      getLastAccepted: here(readEncoding, own?.getLastAccepted),
      getIndex: here(readIdOnly, own?.getIndex),
      isAccepted: here(readIdOnly, own?.isAccepted),
    },
  }
}
