import { createAvalancheNetwork } from '../chains/avalanche/index.ts'
import type { Config } from '../config/index.ts'
import { type VerifyReport, verifyIndex } from '../indexer/verify/index.ts'
import { createLogger } from '../lib/logger.ts'
import { SIDES } from '../lib/primary-network.ts'
import { createUpstreamPool, type UpstreamPool } from '../upstream/index.ts'
import { isIndexed } from './evm-streams.ts'
import { createServerStore } from './store.ts'

export interface VerifyOptions {
  /** Addresses per network and heights per stream. */
  samples: number
  seconds: number
  seed: number
}

/** Compares the configured index with the configured nodes; store and connections are opened for it and closed again. */
export async function runVerify(config: Config, options: VerifyOptions, signal: AbortSignal): Promise<VerifyReport> {
  const { avalanche, evm } = config.chains
  const store = createServerStore(config, createLogger({ level: 'error' }))
  const pools: UpstreamPool[] = []
  const open = (...[name, upstreams]: Parameters<typeof createUpstreamPool>): UpstreamPool => {
    const pool = createUpstreamPool(name, upstreams, config.upstream)
    pools.push(pool)
    return pool
  }
  try {
    return await verifyIndex({
      reader: store.reader,
      networks: SIDES.flatMap((name) => {
        const setting = avalanche[name]
        if (!setting || !isIndexed(config, `${name}:P`, true)) return []
        const pool = open(`avalanche:${name}`, setting.upstreams, config.upstream)
        return [
          {
            name,
            network: createAvalancheNetwork({
              pool,
              ...(setting.hrp === undefined ? {} : { overrides: { hrp: setting.hrp } }),
            }),
          },
        ]
      }),
      evm: Object.entries(evm).flatMap(([id, chain]) => {
        const name = `eip155:${id}`
        if (!isIndexed(config, name, false)) return []
        return [{ name, chainId: BigInt(id), pool: open(name, chain.upstreams, config.upstream), path: '' }]
      }),
      samples: options.samples,
      durationMs: options.seconds * 1000,
      seed: options.seed,
      signal,
    })
  } finally {
    await Promise.all(pools.map((pool) => pool.close()))
    await store.close()
  }
}
