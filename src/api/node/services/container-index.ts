import { bytesToHex, idToCb58 } from '../../../lib/ids.ts'
import { encodeNodeHex } from '../../../lib/node-hex.ts'
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
} from '../gorilla/local-service.ts'

const MAX_RANGE = 1_024n
const PREFIX = 'index/'

/** One method on an index that is complete here. */
type OwnMethod<A> = (index: ContainerIndex, args: A, read: ContainerRead) => Promise<JsonValue>

function containerJson({ id, bytes, timestamp, index }: Container, encoding: Encoding): JsonValue {
  if (encoding === 'json') throw new MethodError('unsupported encoding in method')
  const hex = encoding === 'hexnc' ? `0x${bytesToHex(bytes)}` : encodeNodeHex(bytes)
  return { id: idToCb58(bytesToHex(id)), bytes: hex, timestamp, encoding, index: String(index) }
}

const found = <T>(value: T | undefined, text: string): T => {
  if (value === undefined) throw new MethodError(text)
  return value
}

const NONE = 'no containers have been accepted'
const UNKNOWN = 'not found'

const readPosition = (args: Arguments) => ({ position: args.uint64('index'), encoding: args.encoding() })
const readId = (args: Arguments) => ({ id: args.id('id'), encoding: args.encoding() })
const readEncoding = (args: Arguments) => ({ encoding: args.encoding() })
const readRange = (args: Arguments) => ({
  start: args.uint64('startIndex'),
  count: args.uint64('numToFetch'),
  encoding: args.encoding(),
})

/** Texts and the order of checks as in node conventions 8; `encoding` comes last, as nothing is encoded before. */
function ownMethods(source: ContainerSource) {
  const getContainerRange: OwnMethod<ReturnType<typeof readRange>> = async (index, args, read) => {
    const { start, count, encoding } = args
    if (count > MAX_RANGE) throw new MethodError(`numToFetch must be in [1,${MAX_RANGE}] but is ${count}`)
    const last = found(await source.lastAccepted(index, read), NONE)
    if (start > last.index) throw new MethodError(`start index (${start}) > last accepted index (${last.index})`)
    const containers = await source.range(index, start, Number(count), read)
    return { containers: containers.map((container) => containerJson(container, encoding)) }
  }
  const getContainerByIndex: OwnMethod<ReturnType<typeof readPosition>> = async (index, { position, encoding }, read) =>
    containerJson(found(await source.byIndex(index, position, read), `no container at index ${position}`), encoding)
  const getContainerByID: OwnMethod<ReturnType<typeof readId>> = async (index, { id, encoding }, read) =>
    containerJson(found(await source.byId(index, id, read), UNKNOWN), encoding)
  const getLastAccepted: OwnMethod<ReturnType<typeof readEncoding>> = async (index, { encoding }, read) =>
    containerJson(found(await source.lastAccepted(index, read), NONE), encoding)
  const getIndex: OwnMethod<ReturnType<typeof readId>> = async (index, { id }, read) => ({
    index: String(found(await source.indexOf(index, id, read), UNKNOWN)),
  })
  const isAccepted: OwnMethod<ReturnType<typeof readId>> = async (index, { id }, read) => ({
    isAccepted: (await source.indexOf(index, id, read)) !== undefined,
  })
  return { getContainerRange, getContainerByIndex, getContainerByID, getLastAccepted, getIndex, isAccepted }
}

const isIndex = (name: string): name is ContainerIndex => (CONTAINER_INDEXES as readonly string[]).includes(name)

/**
 * index.*: answered from own containers where they are complete, else by a node. `source` left out: there are none.
 * An empty range is answered here in any case: spec 2 wants an empty list where nodes have an error.
 */
export function createContainerIndexService(source?: ContainerSource): LocalService {
  const here = <A>(decode: (args: Arguments) => A, run: OwnMethod<A> | undefined): LocalMethod => {
    return (args, call: LocalCall) => {
      // Decoded also when a node answers in the end: a wrong argument has the same text everywhere.
      const decoded = decode(args)
      const index = call.endpoint.slice(PREFIX.length)
      if (run === undefined || !isIndex(index) || source?.complete(index) !== true) return PASS_ON
      return run(index, decoded, { signal: call.signal })
    }
  }
  const own = source && ownMethods(source)
  const range = here(readRange, own?.getContainerRange)
  return {
    endpoints: CONTAINER_INDEXES.map((index) => PREFIX + index),
    service: 'index',
    methods: {
      getContainerRange: (args, call) => (readRange(args).count === 0n ? { containers: [] } : range(args, call)),
      getContainerByIndex: here(readPosition, own?.getContainerByIndex),
      getContainerByID: here(readId, own?.getContainerByID),
      getLastAccepted: here(readEncoding, own?.getLastAccepted),
      getIndex: here(readId, own?.getIndex),
      isAccepted: here(readId, own?.isAccepted),
    },
  }
}
