import { createChainTips } from '../../../../src/api/node/evm/read/chain-tips.ts'
import { createForwarder, type Forwarder, type ForwarderDeps } from '../../../../src/api/node/forward/forwarder.ts'
import { blockHeight } from '../../../../src/chains/avalanche/codec/index.ts'

/** A forwarder without EVM endpoints beside it, which keeps a few answers. */
export const createForwarderAlone = (deps: Partial<ForwarderDeps> & Pick<ForwarderDeps, 'pools'>): Forwarder =>
  createForwarder({
    tips: createChainTips({ pools: deps.pools, maxLagBlocks: 3 }),
    blockHeight,
    writePolicy: 'one',
    cache: { bytes: 100_000, entries: 10 },
    tipCacheMs: 0,
    ...deps,
  })
