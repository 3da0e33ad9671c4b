import { bytesToHex } from '../../../lib/bytes/ids.ts'
import type { Output } from './outputs.ts'

/** Kinds of outputs. `transfer` with a stakeable locktime is a stakeable lock. */
const KINDS = {
  'secp-transfer': 'transfer',
  'secp-mint': 'mint',
  'nft-transfer': 'nft-transfer',
  'nft-mint': 'nft-mint',
  'property-owned': 'property-owned',
  'property-mint': 'property-mint',
} as const satisfies Readonly<Record<Exclude<Output['type'], 'stakeable-lock'>, string>>

/** Members of all output types, undefined where a type lacks them; payload and addresses hex, times unix seconds. */
export interface OutputFields {
  kind: (typeof KINDS)[keyof typeof KINDS]
  amount: bigint | undefined
  stakeableLocktime: bigint | undefined
  groupId: number | undefined
  payload: string | undefined
  threshold: number
  locktime: bigint
  addresses: string[]
}

/** The fields of an output. */
export function outputFields(output: Output): OutputFields {
  const locked = output.type === 'stakeable-lock'
  const plain = locked ? output.output : output
  return {
    kind: KINDS[plain.type],
    amount: 'amount' in plain ? plain.amount : undefined,
    stakeableLocktime: locked ? output.locktime : undefined,
    groupId: 'groupId' in plain ? plain.groupId : undefined,
    payload: 'payload' in plain ? bytesToHex(plain.payload) : undefined,
    threshold: plain.threshold,
    locktime: plain.locktime,
    addresses: plain.addresses.map(bytesToHex),
  }
}
