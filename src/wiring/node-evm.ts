import { createEvmGateway } from '../api/node/evm/gateway.ts'
import type { EvmApi, Forwarder, NodePools } from '../api/node/index.ts'
import { withEvmFallbacks } from '../api/node/services/evm-fallbacks.ts'
import type { Config } from '../config/index.ts'

/** Entries of the cache of EVM answers; its bytes are a setting. */
const CACHE_ENTRIES = 50_000

/** EVM endpoints under /ext. */
export function createServerEvm(config: Config, deps: { forwarder: Forwarder; pools: NodePools }): EvmApi {
  const { node, upstream } = config
  const gateway = createEvmGateway({
    pools: deps.pools,
    forwarder: deps.forwarder,
    cache: { bytes: node.cacheBytes, entries: CACHE_ENTRIES },
    tipCacheMs: node.tipCacheMs,
    maxLagBlocks: upstream.maxLagBlocks,
  })
  return withEvmFallbacks({ answer: gateway.answer })
}
