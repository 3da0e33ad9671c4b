import type { CBlocks } from '../../../../src/api/node/evm/read/c-blocks.ts'
import { createForwarder, type Forwarder, type ForwarderDeps } from '../../../../src/api/node/forward/forwarder.ts'
import { blockHeight } from '../../../../src/chains/avalanche/codec/index.ts'

/** Nobody was told of a block of C. */
const NO_BLOCKS_OF_C: CBlocks = {
  newest: () => undefined,
  shown: () => undefined,
  own: () => undefined,
  look: async () => true,
  settle: () => undefined,
  lacks: () => false,
}

/** A forwarder without EVM endpoints beside it, which keeps a few answers. */
export const createForwarderAlone = (deps: Partial<ForwarderDeps> & Pick<ForwarderDeps, 'pools'>): Forwarder =>
  createForwarder({
    blocksOfC: NO_BLOCKS_OF_C,
    blockHeight,
    writePolicy: 'one',
    cache: { bytes: 100_000, entries: 10 },
    tipCacheMs: 0,
    ...deps,
  })
