import { eachElement, eachMember } from '../../json/spans.ts'
import { decodeString, foldName } from '../../json/strings.ts'
import { type Dependence, IN_BLOCK } from '../methods.ts'

/** How long the answer to one call stays valid; undefined = unknown, it is not cached. */
export type CallFinality =
  | { kind: 'settled' }
  /** `block` = must be accepted before the answer counts; `finalWhen` = bytes that a final answer contains. */
  | { kind: 'immutable'; block?: bigint; finalWhen?: string }
  /** `below` = moves with the newest block, and may be about a block below it. */
  | { kind: 'tip'; below?: true }

type Block = { at: 'tip'; below?: true } | { at: 'hash' } | { at: 'number'; number: bigint } | undefined

const TAGS: Readonly<Record<string, Block>> = {
  '"latest"': { at: 'tip' },
  // Where blocks are executed after they are accepted (C since Helicon), these are the settled block, seconds older.
  '"safe"': { at: 'tip', below: true },
  '"finalized"': { at: 'tip', below: true },
  '"accepted"': { at: 'tip' },
  '"earliest"': { at: 'number', number: 0n },
}
const NUMBER = /^"(0x(?:0|[1-9a-f][0-9a-f]{0,15}))"$/i
const HASH = /^"0x[0-9a-f]{64}"$/i
/** Longer texts are not a block. */
const MAX_BLOCK = 400

function blockOf(value: Buffer | undefined): Block {
  if (value === undefined) return { at: 'tip' }
  if (value.length > MAX_BLOCK) return undefined
  const text = value.toString('latin1')
  if (text === 'null') return { at: 'tip' }
  if (value[0] === 0x7b) return blockInObject(value)
  if (HASH.test(text)) return { at: 'hash' }
  const number = NUMBER.exec(text)?.[1]
  return number === undefined ? TAGS[text] : { at: 'number', number: BigInt(number) }
}

/** EIP-1898: `{blockNumber}` or `{blockHash}`; undefined with both or with any other member. */
function blockInObject(value: Buffer): Block {
  const members: [string, string][] = []
  eachMember(value, 0, (keyFrom, keyTo, from, to) => {
    members.push([value.toString('latin1', keyFrom + 1, keyTo - 1), value.toString('latin1', from, to)])
  })
  const named = members.filter(([name]) => name !== 'requireCanonical')
  const [only] = named
  if (only === undefined || named.length > 1) return undefined
  if (only[0] === 'blockHash' && HASH.test(only[1])) return { at: 'hash' }
  return only[0] === 'blockNumber' ? blockOf(Buffer.from(only[1])) : undefined
}

/** Parameter number `index`, counted from 0. */
export function parameterAt(params: Buffer | undefined, index: number): Buffer | undefined {
  let found: Buffer | undefined
  let position = 0
  if (params)
    eachElement(params, 0, (from, to) => {
      if (position === index) found = params.subarray(from, to)
      position += 1
      return position <= index
    })
  return found
}

const fromBlock = (block: Block): CallFinality | undefined => {
  if (block === undefined) return undefined
  if (block.at === 'tip') return block.below ? { kind: 'tip', below: true } : { kind: 'tip' }
  return block.at === 'hash' ? { kind: 'immutable' } : { kind: 'immutable', block: block.number }
}

/** The members of a log filter that say which blocks. */
type Ends = Partial<Record<'fromblock' | 'toblock' | 'blockhash', Buffer | undefined>>

const isEnd = (name: string): name is keyof Ends => name === 'fromblock' || name === 'toblock' || name === 'blockhash'

/** Of the longest of their names, in quotes and all in escapes: callers send many others, which take longer to decode. */
const LONGEST_NAME = 56

const NULL_START = 0x6e

/** Undefined when there is no filter: nodes read `FromBlock` like `fromBlock`. */
function endsOf(params: Buffer | undefined): Ends | undefined {
  const filter = parameterAt(params, 0)
  if (filter?.[0] !== 0x7b) return undefined
  const seen: Ends = {}
  try {
    eachMember(filter, 0, (keyFrom, keyTo, from, to) => {
      if (keyTo - keyFrom > LONGEST_NAME) return
      const name = foldName(decodeString(filter, keyFrom, keyTo))
      // Null is as good as absent, and takes an earlier one back.
      if (isEnd(name)) seen[name] = filter[from] === NULL_START ? undefined : filter.subarray(from, to)
    })
  } catch {
    // Large calls are not validated: malformed text is left for the node to refuse.
    return undefined
  }
  return seen
}

const startOf = ({ fromblock }: Ends): bigint | undefined => {
  const first = blockOf(fromblock)
  return first?.at === 'number' ? first.number : undefined
}

/** The first block number of a log range; undefined when it is not a number. */
export const rangeStart = (params: Buffer | undefined): bigint | undefined => startOf(endsOf(params) ?? {})

/**
 * The blocks whose new logs a filter tells of, in JSON: numbers, and undefined for an open end. No answer when the end is
 * another (of a block by its hash, up to the finalized one), or the filter cannot be read.
 */
export function followedRange(params: Buffer | undefined): { first?: bigint; last?: bigint } | undefined {
  const ends = endsOf(params)
  if (!ends || ends.blockhash) return undefined
  const [first, last] = [blockOf(ends.fromblock), blockOf(ends.toblock)]
  if (!first || !last || first.at === 'hash' || last.at === 'hash') return undefined
  if ((first.at === 'tip' && first.below) || (last.at === 'tip' && last.below)) return undefined
  return {
    ...(first.at === 'number' && { first: first.number }),
    ...(last.at === 'number' && { last: last.number }),
  }
}

/** Logs are as final as the end of their range; a range that begins at the tip moves with it. */
function rangeFinality({ fromblock, toblock, blockhash }: Ends): CallFinality | undefined {
  // An empty result may be that of a block that is accepted but not executed yet.
  if (blockhash) return blockOf(blockhash)?.at === 'hash' ? { kind: 'immutable', finalWhen: IN_BLOCK } : undefined
  const [first, last] = [blockOf(fromblock), blockOf(toblock)]
  if (first?.at === 'number' && last?.at === 'number') return { kind: 'immutable', block: last.number }
  return first && last ? { kind: 'tip' } : undefined
}

/**
 * Of logs: the first block if it is a number, whether the range ends at the newest one, whatever that is, and for how
 * long they stay the same.
 */
export function logRange(params: Buffer | undefined): {
  from: bigint | undefined
  toNewest: boolean
  finality: CallFinality | undefined
} {
  const ends = endsOf(params)
  if (!ends) return { from: undefined, toNewest: false, finality: undefined }
  const last = ends.blockhash ? undefined : blockOf(ends.toblock)
  return { from: startOf(ends), toNewest: last?.at === 'tip' && !last.below, finality: rangeFinality(ends) }
}

/** What the table and the parameters say about one call. */
export function finalityOf(
  depends: Exclude<Dependence, { on: 'range' }>,
  params: Buffer | undefined,
): CallFinality | undefined {
  switch (depends.on) {
    case 'settled':
      return { kind: 'settled' }
    case 'fixed':
      return { kind: 'immutable' }
    case 'tip':
      return { kind: 'tip' }
    case 'hash':
      return { kind: 'immutable', ...(depends.finalWhen === undefined ? {} : { finalWhen: depends.finalWhen }) }
    case 'number':
      return fromBlock(blockOf(parameterAt(params, depends.parameter)))
  }
}
