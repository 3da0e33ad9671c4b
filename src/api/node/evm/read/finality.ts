import { eachElement, eachMember } from '../../json/spans.ts'
import { decodeString, foldName } from '../../json/strings.ts'
import { type EvmRead, IN_BLOCK } from '../methods.ts'

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

/** Members of a log filter, by lower-case name: nodes read `FromBlock` like `fromBlock`. */
function filterOf(params: Buffer | undefined): ReadonlyMap<string, Buffer> | undefined {
  const filter = parameterAt(params, 0)
  if (filter?.[0] !== 0x7b) return undefined
  const seen = new Map<string, Buffer>()
  try {
    eachMember(filter, 0, (keyFrom, keyTo, from, to) => {
      seen.set(foldName(decodeString(filter, keyFrom, keyTo)), filter.subarray(from, to))
    })
  } catch {
    // Large calls are not validated: malformed text is left for the node to refuse.
    return undefined
  }
  return seen
}

/** The first block number of a log range; undefined when it is not a number. */
export function rangeStart(params: Buffer | undefined): bigint | undefined {
  const first = blockOf(filterOf(params)?.get('fromblock'))
  return first?.at === 'number' ? first.number : undefined
}

/**
 * The blocks whose new logs a filter tells of, in JSON: numbers, and undefined for an open end. No answer when the end is
 * another (of a block by its hash, up to the finalized one), or the filter cannot be read.
 */
export function followedRange(params: Buffer | undefined): { first?: bigint; last?: bigint } | undefined {
  const seen = filterOf(params)
  if (!seen || seen.has('blockhash')) return undefined
  const [first, last] = [blockOf(seen.get('fromblock')), blockOf(seen.get('toblock'))]
  if (!first || !last || first.at === 'hash' || last.at === 'hash') return undefined
  if ((first.at === 'tip' && first.below) || (last.at === 'tip' && last.below)) return undefined
  return {
    ...(first.at === 'number' && { first: first.number }),
    ...(last.at === 'number' && { last: last.number }),
  }
}

/** True when a log range ends at the newest block, whatever that is. */
export function endsAtNewest(params: Buffer | undefined): boolean {
  const seen = filterOf(params)
  if (!seen || seen.has('blockhash')) return false
  const last = blockOf(seen.get('toblock'))
  return last?.at === 'tip' && !last.below
}

/** Logs are as final as the end of their range; a range that begins at the tip moves with it. */
function rangeFinality(params: Buffer | undefined): CallFinality | undefined {
  const seen = filterOf(params)
  if (!seen) return undefined
  // An empty result may be that of a block that is accepted but not executed yet.
  const hash = seen.get('blockhash')
  if (hash) return blockOf(hash)?.at === 'hash' ? { kind: 'immutable', finalWhen: IN_BLOCK } : undefined
  const [first, last] = [blockOf(seen.get('fromblock')), blockOf(seen.get('toblock'))]
  if (first?.at === 'number' && last?.at === 'number') return { kind: 'immutable', block: last.number }
  return first && last ? { kind: 'tip' } : undefined
}

/** What the table and the parameters say about one call. */
export function finalityOf({ depends }: EvmRead, params: Buffer | undefined): CallFinality | undefined {
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
    case 'range':
      return rangeFinality(params)
  }
}
