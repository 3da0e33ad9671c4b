import { decodeUtxo, type Utxo } from '../../../../src/chains/avalanche/codec/index.ts'
import { utxoId } from '../../../../src/lib/bytes/utxo-id.ts'
import type { PrimaryAlias } from '../recorded/recorded-network.ts'
import { encodeAddress } from '../wire/address-text.ts'
import { encodeCb58, hexWithChecksum } from '../wire/binary-text.ts'
import type { RecordedUtxo } from './utxo-sets.ts'

export interface ListedUtxo {
  /** As the node lists it: `0x…` with checksum. */
  bytes: string
  chain: PrimaryAlias
  /** The chain that made it: another one for shared memory. */
  source: PrimaryAlias
  hrp: string
}

/** The same for an output that is staked: it has no transaction and no index, so that these are all zeros. */
export function readListedOutput(listed: ListedUtxo): RecordedUtxo {
  const bytes = Buffer.from(listed.bytes.slice(2, -8), 'hex')
  const whole = Buffer.concat([bytes.subarray(0, 2), Buffer.alloc(36), bytes.subarray(2)])
  return readListedUtxo({ ...listed, bytes: hexWithChecksum(whole) })
}

const NAMES: Partial<Record<Utxo['output']['type'], string>> = {
  'secp-transfer': 'secp.TransferOutput',
  'stakeable-lock': 'stakeable.LockOut',
}

/**
 * A UTXO of which only the bytes were recorded, as one that was there from the beginning and still is. Recordings without
 * a truth about UTXOs tell no more than what the node listed at their end.
 */
export function readListedUtxo({ bytes, chain, source, hrp }: ListedUtxo): RecordedUtxo {
  const utxo = decodeUtxo(Buffer.from(bytes.slice(2, -8), 'hex'))
  const { output } = utxo
  const inner = output.type === 'stakeable-lock' ? output.output : output
  const text = (id: string): string => encodeCb58(Buffer.from(id, 'hex'))
  return {
    utxoId: text(utxoId(utxo)),
    txHash: text(utxo.txId),
    outputIndex: utxo.outputIndex,
    createdOnChain: source,
    consumableOnChain: chain,
    sharedMemory: chain !== source,
    assetId: text(utxo.assetId),
    amount: 'amount' in inner ? String(inner.amount) : null,
    addresses: inner.addresses.map((address) => encodeAddress(hrp, address)),
    threshold: inner.threshold,
    locktime: Number(inner.locktime),
    stakeableLocktime: output.type === 'stakeable-lock' ? Number(output.locktime) : null,
    type: NAMES[output.type] ?? output.type,
    kind: 'out',
    createdAtHeight: 0,
    spendableAtHeight: 0,
    consumedOnChain: null,
    consumedAtHeight: null,
    utxoBytes: bytes,
  }
}
