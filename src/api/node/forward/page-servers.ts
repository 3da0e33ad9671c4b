import { LRUCache } from 'lru-cache'
import { clientSource } from '../../../lib/client-source.ts'
import { isRecord, type JsonRecord } from '../../../lib/json-record.ts'
import { roomFor } from '../../../lib/room-for.ts'
import { sha256Hex } from '../../../lib/sha256.ts'
import { foldName } from '../json/strings.ts'
import type { ForwardCall } from './call.ts'
import { resultIn } from './result-in.ts'

/**
 * Remembers which node gave which page of a list. Nodes list the UTXOs of one block in orders of their own, so that the
 * next page of another node leaves some out and repeats others.
 */
export interface PageServers {
  /** Host that gave the page behind which this call goes on; undefined = it does not go on, or nobody knows. */
  before(call: ForwardCall): Promise<string | undefined>
  /** A page has come from a host; to be waited for before it goes out, or the next one may be asked for too early. */
  note(call: ForwardCall, host: string, answer: Buffer): Promise<void>
}

/** What several processes know in common: behind a balancer the next page may be asked of another one. */
export interface SharedHosts {
  get(keys: readonly string[]): Promise<(string | undefined)[]>
  set(entries: readonly (readonly [key: string, value: string])[], ttlMs: number): Promise<void>
}

/** Pages remembered, and for how long: a wallet asks for the next one at once. */
const MAX_PAGES = 20_000
const KEPT_MS = 600_000

/** Bytes, twice the addresses that a node takes in one call: strangers send millions of values, which take seconds to read. */
const LONGEST_PARAMS = 131_072

const END = Buffer.from('"endIndex":')
const SHORT = 4_096

const asMembers = (value: unknown): JsonRecord | undefined => (isRecord(value) ? value : undefined)

/** The last member of this name, which nodes read in any letter case. */
const memberOf = (object: JsonRecord | undefined, name: string): unknown =>
  Object.entries(object ?? {}).findLast(([own]) => foldName(own) === name)?.[1]

const placeOf = (index: unknown): string | undefined => {
  const members = asMembers(index)
  const address = memberOf(members, 'address')
  const utxo = memberOf(members, 'utxo')
  return typeof address === 'string' && typeof utxo === 'string' ? `${address}:${utxo}` : undefined
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Behind which place a call goes on; undefined when it begins at the start, or is none that a node would read. */
export function startOf({ params }: Pick<ForwardCall, 'params'>): string | undefined {
  if (params === undefined || params.length > LONGEST_PARAMS) return undefined
  const text = params.toString('utf8')
  if (!/startindex/i.test(text)) return undefined
  const value = parsed(text)
  return placeOf(memberOf(asMembers(Array.isArray(value) ? value[0] : value), 'startindex'))
}

/** Where a page ends, read from the end of the answer: in front of it may stand a thousand UTXOs. */
function endOf(answer: Buffer): string | undefined {
  const result = resultIn(answer)
  const at = result.lastIndexOf(END)
  if (at < 0 || result.length - at > SHORT) return undefined
  const text = result.toString('utf8', at + END.length)
  return placeOf(parsed(text.slice(0, text.indexOf('}') + 1)))
}

export function createPageServers(shared?: SharedHosts): PageServers {
  const hosts = new LRUCache<string, string>({ ...roomFor(MAX_PAGES), ttl: KEPT_MS })
  /**
   * By client first: two nodes may each have given a page that ends there, and a stranger's is another one. Who comes from
   * another address than before goes on where anybody's last one came from.
   */
  const keysOf = ({ endpoint, caller }: ForwardCall, place: string): string[] => {
    const key = `page:${endpoint.path}:${place}`
    return caller === undefined ? [key] : [`${key}:${sha256Hex(Buffer.from(clientSource(caller))).slice(0, 16)}`, key]
  }
  return {
    async before(call) {
      const start = startOf(call)
      if (start === undefined) return undefined
      const keys = keysOf(call, start)
      const [own, ...others] = keys.map((key) => hosts.get(key))
      // His last page may have come from another process, and an earlier one that ended there from this one.
      const told = (await shared?.get(keys)) ?? []
      return told[0] ?? own ?? others[0] ?? told[1]
    },
    async note(call, host, answer) {
      const end = endOf(answer)
      if (end === undefined) return
      const keys = keysOf(call, end)
      for (const key of keys) hosts.set(key, host)
      await shared?.set(
        keys.map((key) => [key, host]),
        KEPT_MS,
      )
    },
  }
}
