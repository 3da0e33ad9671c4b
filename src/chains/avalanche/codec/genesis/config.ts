import { BadInputError } from '../../../../errors.ts'
import { parseBech32Address } from '../../../../lib/bytes/bech32-address.ts'
import { bytesToHex, hexToBytes, parseNodeId } from '../../../../lib/bytes/ids.ts'
import { isRecord, type JsonRecord } from '../../../../lib/json/json-record.ts'

/** A network's genesis in the node's own JSON format, parsed and checked. Amounts in nAVAX, times in unix seconds. */
export interface GenesisConfig {
  networkId: number
  allocations: GenesisAllocation[]
  startTime: number
  /** Seconds. */
  initialStakeDuration: number
  /** Seconds by which each staker ends earlier than the one before. */
  initialStakeDurationOffset: number
  /** Allocations of these addresses (hex) are staked by the initial stakers instead of being UTXOs. */
  initialStakedFunds: ReadonlySet<string>
  initialStakers: GenesisStaker[]
  /** JSON text; its bytes are the C-chain's genesis. */
  cChainGenesis: string
  message: string
}

export interface GenesisAllocation {
  ethAddress: Uint8Array
  address: Uint8Array
  /** What the address holds on X. */
  initialAmount: bigint
  /** What it holds on P. */
  unlockSchedule: { amount: bigint; locktime: bigint }[]
}

export interface GenesisStaker {
  /** Hex. */
  nodeId: string
  rewardAddress: Uint8Array
  /** Parts per 1,000,000. */
  delegationFee: number
  signer: { publicKey: Uint8Array; signature: Uint8Array } | undefined
}

/** Amounts exceed 2^53. Quotes inside JSON strings are escaped, so this matches members only. */
const AMOUNTS = /("(?:initialAmount|amount)"\s*:\s*)(\d+)/g

/**
 * Reads the genesis file of a network. Takes the text, because JSON.parse would round the amounts.
 * @throws BadInputError naming the member that is missing or wrong.
 */
export function parseGenesisConfig(json: string): GenesisConfig {
  let document: unknown
  try {
    document = JSON.parse(json.replaceAll(AMOUNTS, '$1"$2"'))
  } catch (error) {
    throw new BadInputError('the genesis is no JSON', error)
  }
  const root = record(document, 'genesis')
  return {
    networkId: integer(root, 'networkID'),
    allocations: array(root, 'allocations').map(allocation),
    startTime: integer(root, 'startTime'),
    initialStakeDuration: integer(root, 'initialStakeDuration'),
    initialStakeDurationOffset: integer(root, 'initialStakeDurationOffset'),
    initialStakedFunds: new Set(array(root, 'initialStakedFunds').map((entry) => bytesToHex(addressBytes(entry)))),
    initialStakers: array(root, 'initialStakers').map(staker),
    cChainGenesis: string(root, 'cChainGenesis'),
    message: string(root, 'message'),
  }
}

function allocation(entry: unknown): GenesisAllocation {
  const from = record(entry, 'allocations')
  return {
    ethAddress: hexBytes(from, 'ethAddr', 20),
    address: addressBytes(from['avaxAddr']),
    initialAmount: amount(from, 'initialAmount'),
    unlockSchedule: array(from, 'unlockSchedule').map((unlock) => {
      const lock = record(unlock, 'unlockSchedule')
      return { amount: amount(lock, 'amount'), locktime: BigInt(integer(lock, 'locktime')) }
    }),
  }
}

function staker(entry: unknown): GenesisStaker {
  const from = record(entry, 'initialStakers')
  const signer = from['signer'] === undefined || from['signer'] === null ? undefined : record(from['signer'], 'signer')
  return {
    nodeId: parseNodeId(string(from, 'nodeID')),
    rewardAddress: addressBytes(from['rewardAddress']),
    delegationFee: integer(from, 'delegationFee'),
    signer: signer && {
      publicKey: hexBytes(signer, 'publicKey', 48),
      signature: hexBytes(signer, 'proofOfPossession', 96),
    },
  }
}

function record(value: unknown, name: string): JsonRecord {
  if (!isRecord(value)) throw wrong(name, 'an object')
  return value
}

/** Go writes an empty list as null and leaves empty members out. */
function array(from: Record<string, unknown>, name: string): unknown[] {
  const value = from[name] ?? []
  if (!Array.isArray(value)) throw wrong(name, 'a list')
  return value
}

function integer(from: Record<string, unknown>, name: string): number {
  const value = from[name] ?? 0
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw wrong(name, 'a whole number')
  return value
}

function amount(from: Record<string, unknown>, name: string): bigint {
  const value = from[name] ?? '0'
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) throw wrong(name, 'a whole number')
  return BigInt(value)
}

function string(from: Record<string, unknown>, name: string): string {
  const value = from[name] ?? ''
  if (typeof value !== 'string') throw wrong(name, 'a text')
  return value
}

function hexBytes(from: Record<string, unknown>, name: string, size: number): Uint8Array {
  const bytes = hexToBytes(string(from, name).replace(/^0x/, ''))
  if (bytes.length !== size) throw wrong(name, `${size} bytes of hex`)
  return bytes
}

function addressBytes(value: unknown): Uint8Array {
  if (typeof value !== 'string') throw wrong('address', 'a text')
  return parseBech32Address(value).bytes
}

function wrong(name: string, expected: string): BadInputError {
  return new BadInputError(`genesis: ${name} must be ${expected}`)
}
