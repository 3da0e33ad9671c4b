import { LRUCache } from 'lru-cache'
import { foldName } from '../json/strings.ts'
import type { ForwardCall } from './call.ts'

/**
 * Remembers which node gave which page of a list. Nodes list the UTXOs of one block in orders of their own, so that the
 * next page of another node leaves some out and repeats others.
 */
export interface PageServers {
  /** Host that gave the page behind which this call goes on; undefined = it does not go on, or nobody here knows. */
  before(call: ForwardCall): string | undefined
  /** A page has come from a host. */
  note(call: ForwardCall, host: string, answer: Buffer): void
}

/** Pages remembered, and for how long: a wallet asks for the next one at once. */
const MAX_PAGES = 20_000
const KEPT_MS = 600_000

const END = Buffer.from('"endIndex":')
const SHORT = 4_096

type Members = Readonly<Record<string, unknown>>

const asMembers = (value: unknown): Members | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined

/** The last member of this name, which nodes read in any letter case. */
const memberOf = (object: Members | undefined, name: string): unknown =>
  Object.entries(object ?? {}).findLast(([own]) => foldName(own) === name)?.[1]

const placeOf = (index: unknown): string | undefined => {
  const members = asMembers(index)
  const address = memberOf(members, 'address')
  const utxo = memberOf(members, 'utxo')
  return typeof address === 'string' && typeof utxo === 'string' ? `${address}\n${utxo}` : undefined
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Behind which place a call goes on; undefined when it begins at the start, or cannot be read. */
export function startOf({ params }: Pick<ForwardCall, 'params'>): string | undefined {
  const text = params?.toString('utf8')
  if (text === undefined || !/startindex/i.test(text)) return undefined
  const value = parsed(text)
  return placeOf(memberOf(asMembers(Array.isArray(value) ? value[0] : value), 'startindex'))
}

/** Where a page ends, read from the end of the answer: in front of it may stand a thousand UTXOs. */
function endOf(answer: Buffer): string | undefined {
  const at = answer.lastIndexOf(END)
  if (at < 0 || answer.length - at > SHORT) return undefined
  const text = answer.toString('utf8', at + END.length)
  return placeOf(parsed(text.slice(0, text.indexOf('}') + 1)))
}

export function createPageServers(): PageServers {
  const hosts = new LRUCache<string, string>({ max: MAX_PAGES, ttl: KEPT_MS })
  const keyOf = ({ endpoint }: ForwardCall, place: string): string => `${endpoint.path}\n${place}`
  return {
    before: (call) => {
      const start = startOf(call)
      return start === undefined ? undefined : hosts.get(keyOf(call, start))
    },
    note: (call, host, answer) => {
      const end = endOf(answer)
      if (end !== undefined) hosts.set(keyOf(call, end), host)
    },
  }
}
