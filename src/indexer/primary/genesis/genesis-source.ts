import { buildGenesis, type Genesis, localStartTimes } from '../../../chains/avalanche/codec/index.ts'
import { FirnError } from '../../../errors.ts'
import type { PGenesisFacts } from '../p/genesis.ts'

/** Genesis assets of X, and the ids of the network; ids are hex. */
export type XGenesisFacts = Pick<Genesis, 'xTxs' | 'xChainId' | 'cChainId' | 'avaxAssetId'>

/** The genesis of a network, which is in no block. */
export interface GenesisSource {
  /**
   * @param genesisId hex: the parent of P's block of height 0
   * @throws FirnError when no genesis hashes to it
   */
  load(genesisId: string, signal: AbortSignal): Promise<PGenesisFacts>
  /** The part that concerns X, which may be known even if the rest is not. Throws like `load`. */
  assets(genesisId: string, signal: AbortSignal): Promise<XGenesisFacts>
  /** True if it is inferred from the chain, not read from a file that hashes to the genesis ID. */
  isInferred(signal: AbortSignal): Promise<boolean>
}

/** The genesis is not available, or belongs to another network. */
export class GenesisError extends FirnError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'GENESIS', status: 503, retryable: true, cause })
  }
}

const LOCAL_NETWORK = 12_345

/**
 * Builds the genesis from a file in the node's own format.
 * @param read the file's text
 */
export function createGenesisSource(read: (signal: AbortSignal) => Promise<string>): GenesisSource {
  let loaded: Genesis | undefined
  const load = async (genesisId: string, signal: AbortSignal): Promise<Genesis> => {
    if (loaded?.genesisId === genesisId) return loaded
    const text = await read(signal)
    for (const candidate of candidates(text)) {
      if (candidate.genesisId !== genesisId) continue
      loaded = candidate
      return candidate
    }
    throw new GenesisError('the genesis file does not hash to the genesis of this network')
  }
  return { load, assets: load, isInferred: async () => false }
}

/** The file unchanged; the local network moves its start every 270 days, so all starts so far are tried. */
function* candidates(text: string): Generator<Genesis> {
  const plain = buildGenesis(text)
  yield plain
  const [first] = plain.validators
  if (first === undefined || !('networkId' in first.unsignedTx) || first.unsignedTx.networkId !== LOCAL_NETWORK) return
  for (const start of localStartTimes(Date.now() / 1000)) yield buildGenesis(text, start)
}
