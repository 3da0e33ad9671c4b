import { LRUCache } from 'lru-cache'
import { sha256Hex } from '../../../../lib/bytes/sha256.ts'
import { clientSource } from '../../../../lib/http/client-source.ts'
import { roomFor } from '../../../../lib/room-for.ts'
import { ArgumentError, readArguments } from '../../gorilla/arguments.ts'
import { type ForwardCall, MOST_PARAMS } from '../call.ts'
import { resultIn } from '../result-in.ts'

/**
 * Remembers which node served which page of a list. Each node orders the UTXOs of one block differently, so the next
 * page from another node would omit some and repeat others.
 */
export interface PageServers {
  /** Host that served the page before this one; undefined = this call starts a list, or the host is unknown. */
  before(call: ForwardCall): Promise<string | undefined>
  /** Records the host of a page; await it before answering, or the next page may be requested too early. */
  note(call: ForwardCall, host: string, answer: Buffer): Promise<void>
}

/** Shared by several processes: behind a load balancer, another process may get the request for the next page. */
export interface SharedHosts {
  get(keys: readonly string[]): Promise<(string | undefined)[]>
  set(entries: readonly (readonly [key: string, value: string])[], ttlMs: number): Promise<void>
}

/** Number of remembered pages, and for how long: a wallet asks for the next one at once. */
const MAX_PAGES = 20_000
const KEPT_MS = 600_000

const END = Buffer.from('"endIndex":')
const SHORT = 4_096

/** A position in a list, from its JSON. @throws ArgumentError where a node would not read it */
const placeOf = (json: string): string | undefined => {
  const index = readArguments(Buffer.from(json))
  const [address, utxo] = [index.string('address'), index.string('utxo')]
  return address === '' || utxo === '' ? undefined : `${address}:${utxo}`
}

/** What `read` returns; undefined where a node would not read it. */
const ifReadable = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (error) {
    if (error instanceof ArgumentError) return undefined
    throw error
  }
}

/** The position after which a call continues; undefined when it starts a list, or a node would not read it. */
export function startOf({ params }: Pick<ForwardCall, 'params'>): string | undefined {
  if (params === undefined || params.length > MOST_PARAMS) return undefined
  return ifReadable(() => readArguments(params).decoded('startIndex', placeOf))
}

/** Where a page ends, read from the end of the answer: up to a thousand UTXOs may precede it. */
function endOf(answer: Buffer): string | undefined {
  const result = resultIn(answer)
  const at = result.lastIndexOf(END)
  if (at < 0 || result.length - at > SHORT) return undefined
  const text = result.toString('utf8', at + END.length).trimStart()
  return ifReadable(() => placeOf(text.slice(0, text.indexOf('}') + 1)))
}

export function createPageServers(shared?: SharedHosts): PageServers {
  const hosts = new LRUCache<string, string>({ ...roomFor(MAX_PAGES), ttl: KEPT_MS })
  /**
   * The client's own key first: two nodes may each have served a page that ends there, and another client's page is not
   * the same. A client whose address has changed continues where anyone's last page came from.
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
      // The client's last page may have come from another process, and an earlier one that ended there from this one.
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
