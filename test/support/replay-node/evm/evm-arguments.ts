import { kindOf, member, rawElements } from '../wire/go-json.ts'
import { EvmError } from './evm-rpc.ts'

/** Decodes one positional parameter; throws the text behind "invalid argument N: ". */
export type Decoder<T> = (raw: string) => T

export class ArgumentError extends Error {}

export const refuse = (text: string): never => {
  throw new ArgumentError(text)
}

const MAX_UINT64 = (1n << 64n) - 1n

function uint64(text: string): bigint {
  if (text === '') return refuse('empty hex string')
  if (!/^0[xX]/.test(text)) return refuse('hex string without 0x prefix')
  const digits = text.slice(2)
  if (digits === '') return refuse('hex string "0x"')
  if (digits.length > 1 && digits.startsWith('0')) return refuse('hex number with leading zero digits')
  if (!/^[0-9a-fA-F]+$/.test(digits)) return refuse('invalid hex string')
  const value = BigInt(`0x${digits}`)
  return value > MAX_UINT64 ? refuse('hex number > 64 bits') : value
}

/** A height, or a tag that stands for the tip. */
export type BlockNumber = bigint | 'latest' | 'pending'

const TAGS: Record<string, BlockNumber> = {
  latest: 'latest',
  pending: 'pending',
  safe: 'latest',
  finalized: 'latest',
  accepted: 'latest',
  earliest: 0n,
}

function blockNumberOf(text: string, tooLarge: string): BlockNumber {
  const tag = Object.hasOwn(TAGS, text) ? TAGS[text] : undefined
  if (tag !== undefined) return tag
  const value = uint64(text)
  return value > (1n << 63n) - 1n ? refuse(tooLarge) : value
}

const unquoted = (raw: string): string => (kindOf(raw) === 'string' ? String(JSON.parse(raw)) : raw)

export const blockNumber: Decoder<BlockNumber> = (raw) => blockNumberOf(unquoted(raw), 'block number larger than int64')

function fixedHex(bytes: number, type: string): Decoder<string> {
  const json = (problem: string): never => refuse(`json: cannot unmarshal ${problem} into Go value of type ${type}`)
  return (raw) => {
    if (kindOf(raw) !== 'string') return json('non-string')
    const text = String(JSON.parse(raw))
    if (text !== '' && !/^0[xX]/.test(text)) return json('hex string without 0x prefix')
    const digits = text.slice(2)
    if (digits.length % 2 === 1) return json('hex string of odd length')
    if (digits.length !== bytes * 2)
      return refuse(`hex string has length ${digits.length}, want ${bytes * 2} for ${type}`)
    return /^[0-9a-fA-F]*$/.test(digits) ? `0x${digits.toLowerCase()}` : json('invalid hex string')
  }
}

/** What Go says where the value is a member of something. */
export const inField =
  <T>(field: string, decode: Decoder<T>): Decoder<T> =>
  (raw) => {
    try {
      return decode(raw)
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error
      return refuse(error.message.replace('into Go value of type', `into Go struct field ${field} of type`))
    }
  }

export const address = fixedHex(20, 'common.Address')
export const hash = fixedHex(32, 'common.Hash')

/** A block by number or by hash; undefined when neither is given. */
export type BlockReference = { number: BlockNumber } | { hash: string } | undefined

function referenceOf(object: string): BlockReference {
  const hashRaw = member(object, 'blockHash') ?? 'null'
  const numberRaw = member(object, 'blockNumber') ?? 'null'
  const reference = hashRaw === 'null' ? undefined : { hash: hash(hashRaw) }
  const number = numberRaw === 'null' ? undefined : { number: blockNumber(numberRaw) }
  flag(member(object, 'requireCanonical') ?? 'null')
  if (reference && number) return refuse(BOTH)
  return reference ?? number
}

const BOTH = 'cannot specify both BlockHash and BlockNumber, choose one or the other'

export const blockReference: Decoder<BlockReference> = (raw) => {
  if (raw === 'null') return undefined
  if (kindOf(raw) === 'object') {
    try {
      return referenceOf(raw)
    } catch (error) {
      // What is no such object is read once more as a text.
      if (!(error instanceof ArgumentError) || error.message === BOTH) throw error
    }
  }
  if (kindOf(raw) !== 'string') return refuse(`json: cannot unmarshal ${kindOf(raw)} into Go value of type string`)
  const text = String(JSON.parse(raw))
  return text.length === 66 ? { hash: hash(raw) } : { number: blockNumberOf(text, 'blocknumber too high') }
}

export const flag: Decoder<boolean> = (raw) => {
  if (raw === 'null') return false
  if (kindOf(raw) !== 'bool') return refuse(`json: cannot unmarshal ${kindOf(raw)} into Go value of type bool`)
  return raw === 'true'
}

/** `hexutil.Uint`; the empty text is 0. */
export const quantity: Decoder<bigint> = (raw) => {
  const json = (problem: string): never =>
    refuse(`json: cannot unmarshal ${problem} into Go value of type hexutil.Uint`)
  if (kindOf(raw) !== 'string') return json('non-string')
  const text = String(JSON.parse(raw))
  try {
    return text === '' ? 0n : uint64(text)
  } catch (error) {
    return json((error as Error).message)
  }
}

/** The id of a filter or a subscription. */
export const rpcId: Decoder<string> = (raw) => {
  if (raw === 'null') return ''
  if (kindOf(raw) !== 'string') return refuse(`json: cannot unmarshal ${kindOf(raw)} into Go value of type rpc.ID`)
  return String(JSON.parse(raw))
}

/** A count as number, decimal or hex text. */
export const looseCount: Decoder<bigint> = (raw) => {
  const text = unquoted(raw)
  return /^(0x[0-9a-fA-F]+|\d+)$/.test(text) ? BigInt(text) : refuse(`invalid hex or decimal integer "${text}"`)
}

export const bytesText: Decoder<string> = (raw) => {
  if (kindOf(raw) !== 'string') return refuse('json: cannot unmarshal non-string into Go value of type hexutil.Bytes')
  const text = String(JSON.parse(raw))
  const json = (problem: string): never =>
    refuse(`json: cannot unmarshal ${problem} into Go value of type hexutil.Bytes`)
  if (text === '') return '0x'
  if (!/^0[xX]/.test(text)) return json('hex string without 0x prefix')
  if (text.length % 2 === 1) return json('hex string of odd length')
  return /^0[xX][0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : json('invalid hex string')
}

/** `uint64` as a plain JSON number. */
export const plainUint64: Decoder<bigint | undefined> = (raw) => {
  if (raw === 'null') return undefined
  if (kindOf(raw) !== 'number') return refuse(`json: cannot unmarshal ${kindOf(raw)} into Go value of type uint64`)
  return /^\d+$/.test(raw) ? BigInt(raw) : refuse(`json: cannot unmarshal number ${raw} into Go value of type uint64`)
}

export const anything: Decoder<string> = (raw) => raw

export interface LogFilter {
  blockHash: string | undefined
  from: BlockNumber | undefined
  to: BlockNumber | undefined
  addresses: string[]
  /** Per position the accepted values; an empty list accepts all. */
  topics: string[][]
}

/** Bytes of a text in a filter, as its own decoder reads them. */
function filterBytes(raw: string, size: number, of: string): string {
  const text = String(JSON.parse(raw))
  if (text === '') return refuse('empty hex string')
  if (!/^0[xX]/.test(text)) return refuse('hex string without 0x prefix')
  const digits = text.slice(2)
  if (!/^[0-9a-fA-F]*$/.test(digits)) return refuse('invalid hex string')
  if (digits.length % 2 === 1) return refuse('hex string of odd length')
  if (digits.length === size * 2) return `0x${digits.toLowerCase()}`
  return refuse(`hex has invalid length ${digits.length / 2} after decoding; expected ${size} for ${of}`)
}

function filterAddresses(raw: string): string[] {
  const read = (item: string, at: string): string => {
    try {
      return filterBytes(item, 20, 'address')
    } catch (error) {
      return refuse(`invalid address${at}: ${(error as Error).message}`)
    }
  }
  if (kindOf(raw) === 'string') return [read(raw, '')]
  if (kindOf(raw) !== 'array') return refuse('invalid addresses in query')
  return rawElements(raw).map((item, index) =>
    kindOf(item) === 'string' ? read(item, ` at index ${index}`) : refuse(`non-string address at index ${index}`),
  )
}

function filterTopic(raw: string): string[] {
  if (raw === 'null') return []
  if (kindOf(raw) === 'array') {
    const items = rawElements(raw)
    if (items.some((item) => !['string', 'null'].includes(kindOf(item)))) return refuse('invalid topic(s)')
    return items.includes('null') ? [] : items.flatMap(filterTopic)
  }
  if (kindOf(raw) !== 'string') return refuse('invalid topic(s)')
  return [filterBytes(raw, 32, 'topic')]
}

export const MAX_FILTER_ADDRESSES = 1000

export const logFilter: Decoder<LogFilter> = (raw) => {
  if (raw !== 'null' && kindOf(raw) !== 'object') {
    return refuse(`json: cannot unmarshal ${kindOf(raw)} into Go value of type filters.input`)
  }
  const object = raw === 'null' ? '{}' : raw
  const value = (name: string): string | undefined => {
    const text = member(object, name)
    return text === 'null' ? undefined : text
  }
  const blockHash = value('blockHash')
  const from = value('fromBlock')
  const to = value('toBlock')
  if (blockHash !== undefined && (from !== undefined || to !== undefined)) {
    return refuse('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
  }
  const topics = value('topics')
  if (topics !== undefined && kindOf(topics) !== 'array') {
    return refuse(`json: cannot unmarshal ${kindOf(topics)} into Go struct field input.topics of type []interface {}`)
  }
  const addresses = filterAddresses(value('address') ?? '[]')
  if (addresses.length >= MAX_FILTER_ADDRESSES) return refuse('exceed max addresses')
  return {
    blockHash: blockHash === undefined ? undefined : inField('input.blockHash', hash)(blockHash),
    from: from === undefined ? undefined : blockNumber(from),
    to: to === undefined ? undefined : blockNumber(to),
    addresses,
    topics: topics === undefined ? [] : rawElements(topics).map(filterTopic),
  }
}

type Decoded<D extends readonly Decoder<unknown>[]> = {
  [K in keyof D]: D[K] extends Decoder<infer T> ? T | undefined : never
}

/**
 * Decodes positional parameters as the EVM's RPC does: each in turn, then too many, then missing ones. The first
 * `required` must be there.
 */
export function decodeParams<const D extends readonly Decoder<unknown>[]>(
  params: readonly string[],
  decoders: D,
  required: number,
): Decoded<D> {
  const values = params.map((raw, index) => {
    const decode = decoders[index]
    if (decode === undefined) throw new EvmError(-32602, `too many arguments, want at most ${decoders.length}`)
    try {
      return decode(raw)
    } catch (error) {
      if (error instanceof ArgumentError) throw new EvmError(-32602, `invalid argument ${index}: ${error.message}`)
      throw error
    }
  })
  if (values.length < required) throw new EvmError(-32602, `missing value for required argument ${values.length}`)
  return values as Decoded<D>
}
