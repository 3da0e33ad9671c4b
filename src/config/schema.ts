import { type Static, Type } from '@sinclair/typebox'
import { BalanceSection } from './sections/balance.ts'
import {
  type AvalancheNetworkSchema,
  type BitcoinChainSchema,
  ChainsSection,
  type EvmChainSchema,
  type SolanaChainSchema,
} from './sections/chains.ts'
import { DataSection } from './sections/data.ts'
import { choice, section } from './sections/field.ts'
import { HttpSection, LogSection } from './sections/http.ts'
import { IndexSection, RedisSection, StoreSection } from './sections/indexing.ts'
import { MarketSection } from './sections/market.ts'
import { NodeSection } from './sections/node.ts'
import { MetricsSection, OtelSection, PageSection } from './sections/operation.ts'
import { UpstreamLimitsSection } from './sections/upstream.ts'

/** The whole configuration: the common form of `firn.config.json`, environment and flags. */
export const ConfigSchema = section({
  mode: choice(['all', 'api', 'indexer'], {
    default: 'all',
    description:
      'What this process does. all: serve and index; api: only serve; indexer: only index, answering probes and metrics.',
  }),
  http: HttpSection,
  log: LogSection,
  dataDir: Type.String({
    minLength: 1,
    default: '.firn',
    description: 'Folder for everything that is kept across restarts.',
  }),
  balance: BalanceSection,
  market: MarketSection,
  upstream: UpstreamLimitsSection,
  node: NodeSection,
  index: IndexSection,
  store: StoreSection,
  redis: RedisSection,
  data: DataSection,
  page: PageSection,
  metrics: MetricsSection,
  otel: OtelSection,
  chains: ChainsSection,
})

export type Config = Static<typeof ConfigSchema>
export type EvmChainConfig = Static<typeof EvmChainSchema>
export type BitcoinChainConfig = Static<typeof BitcoinChainSchema>
export type SolanaChainConfig = Static<typeof SolanaChainSchema>
export type AvalancheNetworkConfig = Static<typeof AvalancheNetworkSchema>
