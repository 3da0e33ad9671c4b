import { BadAnswerError, failure } from '../../errors.ts'
import { mapBounded } from '../../lib/waiting/map-bounded.ts'
import type { CallOptions, HeadProbe, UpstreamPool } from '../../upstream/types.ts'
import type { BitcoinBalances, ReadContext } from '../capabilities.ts'
import type { BitcoinAddress } from './address.ts'
import type { BitcoinBackend, Told } from './backend.ts'
import { MAX_CONCURRENT } from './limits.ts'

export interface HttpBackendDeps {
  pool: UpstreamPool
  /** Requests that may be sent per second, over all servers of the pool; undefined = no limit. */
  requestsPerSecond?: number
}

/** What differs between kinds of REST servers. */
export interface HttpDialect {
  kind: string
  path(address: string): string
  /** Balances from a parsed answer; throws BadAnswerError unless it is an answer for this address. */
  read(answer: unknown, address: string): BitcoinBalances
  /** Where to read the height, and how to parse it. */
  tip: HeadProbe
}

/** A backend that reads one REST document per address, over a pool. */
export const createHttpBackend = (dialect: HttpDialect, deps: HttpBackendDeps): BitcoinBackend => {
  const { pool } = deps

  const readOne = async (address: string, context: ReadContext): Promise<Told<BitcoinBalances>> => {
    try {
      let lags = false
      const answeredBy: CallOptions['answeredBy'] = (responder) => {
        lags = responder.lags
      }
      const read = (answer: unknown): BitcoinBalances => {
        // A server with an address index knows every address, so this one has none.
        if (answer === undefined) throw new BadAnswerError(`${dialect.kind} server does not know address ${address}`)
        return dialect.read(answer, address)
      }
      const value = read(await pool.getJson(dialect.path(address), { ...context, check: read, answeredBy }))
      return lags ? { ok: true, value, lags } : { ok: true, value }
    } catch (error) {
      return failure(error)
    }
  }

  return {
    name: `${dialect.kind} ${pool.name}`,
    addressesPerSecond: deps.requestsPerSecond,
    async readBalances(addresses, context) {
      // Without the signal: once it is aborted, each of the rest fails by itself, and what was answered counts.
      const read = async ({ address }: BitcoinAddress) => [address, await readOne(address, context)] as const
      return new Map(await mapBounded(addresses, MAX_CONCURRENT, read))
    },
    async height(context) {
      // Like balances: from a server that lags only if no other answers. One that has no such document is not to blame.
      const read = (document: unknown): bigint => dialect.tip.parse(JSON.stringify(document))
      return read(await pool.getJson(dialect.tip.path, { ...context, doubts: (said) => !isReadable(said, read) }))
    },
  }
}

function isReadable(said: unknown, read: (document: unknown) => bigint): boolean {
  try {
    read(said)
    return true
  } catch {
    return false
  }
}
