import { BadAnswerError } from '../../errors.ts'
import { createIdentityCheck } from '../../lib/identity-check.ts'
import { mapBounded } from '../../lib/map-bounded.ts'
import type { HeadProbe, UpstreamPool } from '../../upstream/types.ts'
import type { BitcoinBalances, Outcome, ReadContext } from '../capabilities.ts'
import type { BitcoinBackend } from './backend.ts'
import { type BitcoinNetworkName, bitcoinNetworks } from './network.ts'

export interface HttpBackendDeps {
  network: BitcoinNetworkName
  pool: UpstreamPool
  /** Requests of one read in flight at once. */
  maxConcurrent: number
}

/** What differs between two REST servers. */
export interface HttpDialect {
  kind: string
  path(address: string): string
  /** Balances out of a parsed answer; throws BadAnswerError for anything that is not one of this very address. */
  read(answer: unknown, address: string): BitcoinBalances
  genesis(pool: UpstreamPool, context: ReadContext): Promise<string | undefined>
  /** Where the height stands, and how it is read. */
  tip: HeadProbe
}

/** A backend that asks one REST document per address, over a pool. */
export const createHttpBackend = (dialect: HttpDialect, deps: HttpBackendDeps): BitcoinBackend => {
  const { pool } = deps
  const checkNetwork = createIdentityCheck<ReadContext>({
    network: `bitcoin ${deps.network}`,
    ask: (context) => dialect.genesis(pool, context),
    matches: (hash) => hash.toLowerCase() === bitcoinNetworks[deps.network].genesisHash,
  })

  const readOne = async (address: string, context: ReadContext): Promise<Outcome<BitcoinBalances>> => {
    try {
      const read = (answer: unknown): BitcoinBalances => {
        // A server of an address index knows every address: this is none.
        if (answer === undefined) throw new BadAnswerError(`${dialect.kind} server does not know address ${address}`)
        return dialect.read(answer, address)
      }
      return { ok: true, value: read(await pool.getJson(dialect.path(address), { ...context, check: read })) }
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error : new BadAnswerError(String(error)) }
    }
  }

  return {
    name: `${dialect.kind} ${pool.name}`,
    async readBalances(addresses, context) {
      const [outcomes] = await Promise.all([
        mapBounded(addresses, deps.maxConcurrent, ({ address }) => readOne(address, context), context.signal),
        checkNetwork(context),
      ])
      return new Map(addresses.map(({ address }, index) => [address, outcomes[index] ?? missing(address)]))
    },
    async height(context) {
      const { status, body } = await pool.exchange({ method: 'GET', path: dialect.tip.path }, context)
      return status === 200 ? dialect.tip.parse(body.toString('utf8')) : undefined
    },
  }
}

const missing = (address: string): Outcome<BitcoinBalances> => ({
  ok: false,
  error: new BadAnswerError(`no answer for address ${address}`),
})
