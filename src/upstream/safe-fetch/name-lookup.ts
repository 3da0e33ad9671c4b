import { lookup, Resolver } from 'node:dns/promises'
import { UpstreamUnavailableError } from '../../errors.ts'
import { createLine } from '../../lib/line.ts'

/** One resolved address. */
export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

/** All addresses of a name; rejects when there are none. `over` fires when nobody waits any more. */
export type HostResolver = (host: string, over?: AbortSignal) => Promise<ResolvedAddress[]>

export interface NameLookupDeps {
  /** Name servers, `address:port`. Default: those of the system. */
  servers?: readonly string[]
  /** Default: the system's resolver, which knows files of hosts, too. */
  system?: HostResolver
}

/** Milliseconds for a name server to answer, twice as many the second time. */
const TRY = { timeout: 1_500, tries: 2 }
/** Names that are with the system's resolver, and that wait for it. */
const AT_SYSTEM = { running: 1, waiting: 16 }

/** What is told to whoever comes when too many wait, for a name or for a document. */
export const tooManyFetches = (): Error => new UpstreamUnavailableError('too many fetches waiting')

const askSystem: HostResolver = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true })
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/**
 * Looks names up that strangers chose. Name servers are asked over sockets of our own, so that names about which they say
 * nothing keep no others waiting. The system is asked for what they do not tell, as a file of hosts may have it: one name at
 * a time, since it looks up two for the whole process and goes on with one that nobody waits for any more. With two such
 * names no upstream could be connected to.
 */
export function createNameLookup({ servers, system = askSystem }: NameLookupDeps = {}): HostResolver {
  const line = createLine(AT_SYSTEM, tooManyFetches)
  return async (host, over) => {
    const resolver = new Resolver(TRY)
    if (servers) resolver.setServers(servers)
    const end = (): void => resolver.cancel()
    over?.addEventListener('abort', end, { once: true })
    const asked = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    over?.removeEventListener('abort', end)
    const found = asked.flatMap((one, at): ResolvedAddress[] =>
      one.status === 'fulfilled' ? one.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })) : [],
    )
    if (found.length > 0) return found
    return line(() => system(host), over)
  }
}
