import { keccak256Hex } from '../../../lib/bytes/keccak256.ts'
import type { RpcBlock } from '../rpc-block.ts'
import { createRlpWriter } from './rlp-writer.ts'

type Kind = 'bytes' | 'quantity'

/** Header members that all chains have, in the order of its list. */
const REQUIRED: readonly (readonly [string, Kind])[] = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'quantity'],
  ['number', 'quantity'],
  ['gasLimit', 'quantity'],
  ['gasUsed', 'quantity'],
  ['timestamp', 'quantity'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
]

/**
 * Header members added by upgrades, on Ethereum, C, L1s and Berachain: no chain has all, but the order is the same on
 * each.
 */
const ADDED: readonly (readonly [string, Kind])[] = [
  ['extDataHash', 'bytes'],
  ['baseFeePerGas', 'quantity'],
  ['extDataGasUsed', 'quantity'],
  ['blockGasCost', 'quantity'],
  ['withdrawalsRoot', 'bytes'],
  ['blobGasUsed', 'quantity'],
  ['excessBlobGas', 'quantity'],
  ['parentBeaconBlockRoot', 'bytes'],
  ['requestsHash', 'bytes'],
  ['parentProposerPubkey', 'bytes'],
  ['blockAccessListHash', 'bytes'],
  ['slotNumber', 'quantity'],
  ['timestampMilliseconds', 'quantity'],
  ['minDelayExcess', 'quantity'],
  ['targetExponent', 'quantity'],
  ['minPriceExponent', 'quantity'],
  ['settledHeight', 'quantity'],
  ['settledGasUnix', 'quantity'],
  ['settledGasNumerator', 'quantity'],
  ['settledExcess', 'quantity'],
]

const backwards = [...REQUIRED, ...ADDED].reverse()
const writer = createRlpWriter()

/** Hex of the hash of a block's members; undefined if a member that all headers have is missing. */
export function headerHash(block: RpcBlock): string | undefined {
  const members = block as unknown as Record<string, unknown>
  if (REQUIRED.some(([name]) => members[name] == null)) return undefined
  writer.clear()
  for (const [name, kind] of backwards) {
    const value = members[name]
    if (value != null) writer[kind](value)
  }
  writer.list(0)
  return keccak256Hex(writer.view())
}
