import { encodeUtxo, type Output, type TransferableOutput } from '../../../src/chains/avalanche/codec/index.ts'
import { encodeTop } from '../../../src/chains/avalanche/codec/layout.ts'
import { transferableOutput } from '../../../src/chains/avalanche/codec/outputs.ts'
import { formatBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { hexToBytes, idToCb58 } from '../../../src/lib/bytes/ids.ts'
import { encodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import type { Ledger, LedgerStaker } from './ledger-node.ts'

/** Hex id of AVAX in made-up ledgers. */
export const AVAX = 'aa'.repeat(32)
export const CHAIN_IDS = {
  P: '11111111111111111111111111111111LpoYY',
  X: idToCb58('0a'.repeat(32)),
  C: idToCb58('0c'.repeat(32)),
}

/** A network without anything on it. */
export function emptyLedger(): Ledger {
  return {
    networkId: 5,
    hrp: 'fuji',
    chainIds: { ...CHAIN_IDS },
    avaxAssetId: AVAX,
    memories: new Map(),
    stakers: [],
    assets: new Map([[idToCb58(AVAX), { name: 'Avalanche', symbol: 'AVAX', denomination: '9' }]]),
    heights: { P: 10, X: 20, C: 30 },
  }
}

export interface OutputOptions {
  assetId?: string
  threshold?: number
  locktime?: bigint
  /** Set: wrapped into a stakeable lock. */
  stakeableUntil?: bigint
}

export function secpOutput(
  owners: string | readonly string[],
  amount: bigint,
  options: OutputOptions = {},
): TransferableOutput {
  const inner = {
    type: 'secp-transfer' as const,
    amount,
    locktime: options.locktime ?? 0n,
    threshold: options.threshold ?? 1,
    addresses: [owners].flat().map((hex) => hexToBytes(hex)),
  }
  const output =
    options.stakeableUntil === undefined
      ? inner
      : { type: 'stakeable-lock' as const, locktime: options.stakeableUntil, output: inner }
  return { assetId: options.assetId ?? AVAX, output }
}

let made = 0

/** Node hex of a new UTXO. */
export function utxoOf(assetId: string, output: Output): string {
  made += 1
  return encodeNodeHex(
    encodeUtxo({ txId: made.toString(16).padStart(64, '0'), outputIndex: made % 7, assetId, output }),
  )
}

/** Node hex of a new UTXO that moves an amount. */
export function secpUtxo(owners: string | readonly string[], amount: bigint, options: OutputOptions = {}): string {
  const { assetId, output } = secpOutput(owners, amount, options)
  return utxoOf(assetId, output)
}

export interface StakeOptions {
  endTime: number
  kind?: LedgerStaker['kind']
  nodeId?: string
  /** Left out: the sum of the outputs. */
  weight?: bigint
  outputs: ({ owners: readonly string[]; amount: bigint } & OutputOptions)[]
  extra?: Record<string, unknown>
}

/** A staking transaction with everything the node says about it. */
export function stakerOf({ endTime, kind = 'validator', nodeId, weight, outputs, extra }: StakeOptions): LedgerStaker {
  made += 1
  return {
    txId: idToCb58(made.toString(16).padStart(64, 'f')),
    nodeId: nodeId ?? `NodeID-${made}`,
    kind,
    endTime,
    weight: weight ?? outputs.reduce((sum, { amount }) => sum + amount, 0n),
    outputs: outputs.map(({ owners, amount, ...options }) => ({
      hex: encodeNodeHex(encodeTop(transferableOutput, secpOutput(owners, amount, options))),
      owners: [...owners],
    })),
    unsignedTx: { stake: outputs.map(jsonOutput) },
    ...(extra ? { extra } : {}),
  }
}

function jsonOutput({ owners, amount, ...options }: StakeOptions['outputs'][number]): unknown {
  const inner = {
    addresses: owners.map((hex) => formatBech32Address(hexToBytes(hex), 'fuji', 'P')),
    amount: Number(amount),
    locktime: Number(options.locktime ?? 0n),
    threshold: options.threshold ?? 1,
  }
  const until = options.stakeableUntil
  return {
    assetID: idToCb58(options.assetId ?? AVAX),
    output: until === undefined ? inner : { locktime: Number(until), output: inner },
  }
}
