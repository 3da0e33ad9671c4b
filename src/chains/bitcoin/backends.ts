import type { Logger } from 'pino'
import type { PoolLimits, UpstreamPool, UpstreamSpec } from '../../upstream/types.ts'
import type { BitcoinBackend } from './backend.ts'
import { createBlockbookBackend } from './blockbook.ts'
import { createElectrumBackend } from './electrum/backend.ts'
import { createElectrumClient } from './electrum/client.ts'
import { createEsploraBackend } from './esplora.ts'
import { requestsPerSecondOf } from './limits.ts'
import type { BitcoinNetworkName } from './network.ts'
import { bitcoinPool } from './pool.ts'

type Server = UpstreamSpec & { kind: 'esplora' | 'blockbook' | 'electrum' }

export interface BitcoinBackendsDeps {
  caip2Id: string
  network: BitcoinNetworkName
  servers: readonly Server[]
  limits: PoolLimits
  openPool(name: string, servers: readonly Server[], options: ReturnType<typeof bitcoinPool>): UpstreamPool
  /** Called with the length of each wait at the gate of an Electrum server, milliseconds. */
  onWait(pool: string, servers: readonly Server[], host: string, ms: number): void
  logger: Pick<Logger, 'debug'>
}

/**
 * One backend for each kind of a chain's servers, in the order in which the kinds are named first. Pools are the
 * caller's to close; `close` ends what is beside them.
 */
export function createBitcoinBackends(deps: BitcoinBackendsDeps): { backends: BitcoinBackend[]; close(): void } {
  const { caip2Id, network, limits, logger } = deps
  const closers: (() => void)[] = []
  const rest = (kind: 'esplora' | 'blockbook', servers: readonly Server[]) => ({
    pool: deps.openPool(`${caip2Id} ${kind}`, servers, bitcoinPool(kind, network, servers.length, limits)),
    requestsPerSecond: requestsPerSecondOf(servers, limits),
  })
  const electrum = (servers: readonly Server[]): BitcoinBackend => {
    const onWait = (host: string, ms: number): void => deps.onWait(`${caip2Id} electrum`, servers, host, ms)
    const client = createElectrumClient({ network, servers, budget: limits, onWait, logger })
    closers.push(() => client.close())
    return createElectrumBackend({ client })
  }
  const open: Record<Server['kind'], (servers: readonly Server[]) => BitcoinBackend> = {
    esplora: (servers) => createEsploraBackend(rest('esplora', servers)),
    blockbook: (servers) => createBlockbookBackend(rest('blockbook', servers)),
    electrum,
  }
  const kinds = [...new Set(deps.servers.map(({ kind }) => kind))]
  return {
    backends: kinds.map((kind) => open[kind](deps.servers.filter((server) => server.kind === kind))),
    close() {
      for (const close of closers) close()
    },
  }
}
