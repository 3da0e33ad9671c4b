import { EvmError } from './evm-rpc.ts'
import { kindOf, member, rawElements } from './go-json.ts'

/** Decodes one positional parameter; throws the text behind "invalid argument N: ". */
export type Decoder<T> = (raw: string) => T

class ArgumentError extends Error {}

const refuse = (text: string): never => {
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
  earliest: 0n,
}

function blockNumberOf(text: string): BlockNumber {
  const tag = Object.hasOwn(TAGS, text) ? TAGS[text] : undefined
  if (tag !== undefined) return tag
  const value = uint64(text)
  return value > (1n << 63n) - 1n ? refuse('block number larger than int64') : value
}

const unquoted = (raw: string): string => (kindOf(raw) === 'string' ? String(JSON.parse(raw)) : raw)

export const blockNumber: Decoder<BlockNumber> = (raw) => blockNumberOf(unquoted(raw))

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

export const address = fixedHex(20, 'common.Address')
export const hash = fixedHex(32, 'common.Hash')

/** A block by number or by hash; undefined when neither is given. */
export type BlockReference = { number: BlockNumber } | { hash: string } | undefined

export const blockReference: Decoder<BlockReference> = (raw) => {
  if (raw === 'null') return undefined
  if (kindOf(raw) === 'object') {
    const hashRaw = member(raw, 'blockHash') ?? 'null'
    const numberRaw = member(raw, 'blockNumber') ?? 'null'
    if (hashRaw !== 'null' && numberRaw !== 'null') {
      return refuse('cannot specify both BlockHash and BlockNumber, choose one or the other')
    }
    if (hashRaw !== 'null') return { hash: hash(hashRaw) }
    return numberRaw === 'null' ? undefined : { number: blockNumber(numberRaw) }
  }
  if (kindOf(raw) !== 'string') return refuse(`json: cannot unmarshal ${kindOf(raw)} into Go value of type string`)
  const text = String(JSON.parse(raw))
  return text.length === 66 ? { hash: hash(raw) } : { number: blockNumberOf(text) }
}

export const flag: Decoder<boolean> = (raw) => {
  if (raw === 'null') return false
  if (kindOf(raw) !== 'bool') return refuse(`json: cannot unmarshal ${kindOf(raw)} into Go value of type bool`)
  return raw === 'true'
}

export const quantity: Decoder<bigint> = (raw) => uint64(unquoted(raw))

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
  if (!/^0[xX]/.test(text)) return text === '' ? json('empty hex string') : json('hex string without 0x prefix')
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

/** The transaction of a call: its addresses must be addresses. */
export const callObject: Decoder<string> = (raw) => {
  for (const name of ['from', 'to']) {
    const value = kindOf(raw) === 'object' ? member(raw, name) : undefined
    if (value !== undefined && value !== 'null') address(value)
  }
  return raw
}

export interface LogFilter {
  blockHash: string | undefined
  from: BlockNumber | undefined
  to: BlockNumber | undefined
  addresses: string[]
  /** Per position the accepted values; an empty list accepts all. */
  topics: string[][]
}

function filterAddress(raw: string): string {
  if (kindOf(raw) !== 'string') return refuse('invalid addresses in query')
  const text = String(JSON.parse(raw))
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) return refuse('invalid address: hex string without 0x prefix')
  if (text.length !== 42) {
    return refuse(
      `invalid address: hex has invalid length ${(text.length - 2) / 2} after decoding; expected 20 for address`,
    )
  }
  return text.toLowerCase()
}

function filterTopic(raw: string): string[] {
  if (raw === 'null') return []
  if (kindOf(raw) === 'array')
    return rawElements(raw).some((item) => item === 'null') ? [] : rawElements(raw).flatMap(filterTopic)
  if (kindOf(raw) !== 'string') return refuse('invalid topic(s)')
  const text = String(JSON.parse(raw))
  const size = (text.length - 2) / 2
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) return refuse('hex string without 0x prefix')
  return size === 32
    ? [text.toLowerCase()]
    : refuse(`hex has invalid length ${size} after decoding; expected 32 for topic`)
}

export const MAX_FILTER_ADDRESSES = 1000

export const logFilter: Decoder<LogFilter> = (raw) => {
  const object = kindOf(raw) === 'object' ? raw : '{}'
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
  const addressText = value('address')
  const addresses =
    addressText === undefined ? [] : kindOf(addressText) === 'array' ? rawElements(addressText) : [addressText]
  if (addresses.length >= MAX_FILTER_ADDRESSES) return refuse('exceed max addresses')
  return {
    blockHash: blockHash === undefined ? undefined : hash(blockHash),
    from: from === undefined ? undefined : blockNumber(from),
    to: to === undefined ? undefined : blockNumber(to),
    addresses: addresses.map(filterAddress),
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
