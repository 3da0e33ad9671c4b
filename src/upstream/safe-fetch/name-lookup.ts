import { lookup, Resolver } from 'node:dns/promises'
import { UpstreamUnavailableError } from '../../errors.ts'
import { createWorkQueue } from '../../lib/waiting/work-queue.ts'

/** One resolved address. */
export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

/** All addresses of a name; rejects when there are none. `over` aborts when nobody waits any more. */
export type HostResolver = (host: string, over?: AbortSignal) => Promise<ResolvedAddress[]>

export interface NameLookupDeps {
  /** Name servers, `address:port`. Default: those of the system. */
  servers?: readonly string[]
  /** Default: the system's resolver, which also reads hosts files. */
  system?: HostResolver
}

/** Milliseconds for a name server to answer; doubled on the second try. */
const TRY = { timeout: 1_500, tries: 2 }
/** Names being looked up by the system's resolver, and names waiting for it. */
const AT_SYSTEM = { running: 1, waiting: 16 }

/** The error when too many fetches wait, for a name or for a document. */
export const tooManyFetches = (): Error => new UpstreamUnavailableError('too many fetches waiting')

const askSystem: HostResolver = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true })
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/**
 * Looks up names chosen by strangers. Name servers are asked over sockets of our own, so that names they do not answer
 * delay no others. The system's resolver is asked for what they do not know, such as names in a hosts file, one name at
 * a time: it looks up two names at once for the whole process, and continues a lookup that nobody waits for any more.
 * Two such names would keep all upstreams from being connected.
 */
export function createNameLookup({ servers, system = askSystem }: NameLookupDeps = {}): HostResolver {
  const queue = createWorkQueue(AT_SYSTEM, tooManyFetches)
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
    return queue(() => system(host), over)
  }
}
