import { type Decoded, decodeTop, encodeTop, list, struct } from '../layout.ts'
import { output } from '../outputs.ts'
import { pTx } from '../p/txs.ts'
import { blob, id, text, u32, u64 } from '../primitives.ts'
import { createAssetTx } from '../x/txs.ts'

/** A UTXO of the P genesis with its message (the owner's old ETH address). */
const genesisUtxo = struct('genesis UTXO', { txId: id, outputIndex: u32, assetId: id, output, message: blob })

const pGenesis = struct('P-chain genesis', {
  utxos: list(genesisUtxo),
  validators: list(pTx),
  chains: list(pTx),
  timestamp: u64,
  initialSupply: u64,
  message: text,
})

/** `timestamp` in unix seconds, `initialSupply` nAVAX; validators and chains are transactions without credentials. */
export type PGenesis = Decoded<typeof pGenesis>

/** @throws CodecError */
export function decodePGenesis(bytes: Uint8Array): PGenesis {
  return decodeTop(pGenesis, bytes, 'P-chain genesis')
}

export function encodePGenesis(genesis: PGenesis): Buffer {
  return encodeTop(pGenesis, genesis)
}

/** An asset of the X genesis; its transaction has no type id and no credentials. */
const xGenesis = list(struct('genesis asset', { alias: text, tx: createAssetTx }))

export type XGenesis = Decoded<typeof xGenesis>

/** @throws CodecError */
export function decodeXGenesis(bytes: Uint8Array): XGenesis {
  return decodeTop(xGenesis, bytes, 'X-chain genesis')
}

export function encodeXGenesis(genesis: XGenesis): Buffer {
  return encodeTop(xGenesis, genesis)
}
