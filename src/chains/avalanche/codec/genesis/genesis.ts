import { BadInputError } from '../../../../errors.ts'
import { sha256Hex } from '../../../../lib/bytes/sha256.ts'
import type { PTx } from '../p/txs.ts'
import type { Utxo } from '../utxo.ts'
import { assembleXTx, type XTx } from '../x/txs.ts'
import { decodePGenesis, decodeXGenesis, type PGenesis } from './bytes.ts'

/** State of the chains before their first blocks. Ids are hex; amounts nAVAX; times unix seconds. */
export interface Genesis {
  /** sha256 of the P genesis bytes: parent of the P block of height 0. */
  genesisId: string
  xChainId: string
  cChainId: string
  avaxAssetId: string
  utxos: Utxo[]
  /** Already staking; in no block, but getTx knows them. */
  validators: PTx[]
  /** CreateChainTx of X and C; in no block. */
  chains: PTx[]
  timestamp: bigint
  initialSupply: bigint
  message: string
  /** The assets that exist on X from the start, AVAX first. */
  xTxs: XTx[]
}

/**
 * Decodes P genesis bytes.
 * @throws CodecError on broken bytes, BadInputError when the X- or C-chain is missing.
 */
export function readGenesis(pGenesisBytes: Uint8Array): Genesis {
  const genesis = decodePGenesis(pGenesisBytes)
  const genesisId = sha256Hex(pGenesisBytes)
  const x = chainNamed(genesis, 'X-Chain')
  const c = chainNamed(genesis, 'C-Chain')
  const xTxs = decodeXGenesis(x.data).map((asset) => assembleXTx(asset.tx, []))
  const avax = xTxs[0]
  if (!avax) throw new BadInputError('genesis: the X-chain has no asset')
  return {
    genesisId,
    xChainId: x.id,
    cChainId: c.id,
    avaxAssetId: avax.id,
    utxos: genesis.utxos.map(({ message, ...utxo }) => utxo),
    validators: genesis.validators,
    chains: genesis.chains,
    timestamp: genesis.timestamp,
    initialSupply: genesis.initialSupply,
    message: genesis.message,
    xTxs,
  }
}

function chainNamed(genesis: PGenesis, name: string): { id: string; data: Uint8Array } {
  for (const { id, unsignedTx } of genesis.chains) {
    if (unsignedTx.type === 'CreateChainTx' && unsignedTx.chainName === name)
      return { id, data: unsignedTx.genesisData }
  }
  throw new BadInputError(`genesis: there is no ${name}`)
}
