import { hrpOfNetwork } from '../../../../src/lib/bytes/bech32-address.ts'
import { rawMembers } from '../wire/go-json.ts'
import type { Recordings } from './recordings.ts'

export type PrimaryAlias = 'P' | 'X' | 'C'

interface NetworkFile {
  networkID: string
  networkName: string
  nodeVersion: { version: string; vmVersions: Record<string, string> }
  chains: Record<PrimaryAlias, string>
  avaxAssetID: string
  evmChainId: number
  upgrades: unknown
  vms: unknown
  txFee: { txFee: string; createAssetTxFee: string }
  feeConfig: unknown
  /** What `platform.getValidatorFeeConfig` said. */
  validatorFeeConfig?: unknown
  keys?: Record<string, { privateKey: string; address: string; evmAddress: string }>
  assets: { assetID: string; name: string; symbol: string; denomination: string }[]
}

export interface L1File {
  blockchainID: string
  chainId: number
  config: unknown
  feeConfig: unknown
  rules: unknown
  validators: { nodeID: string }[]
}

/** What every part needs to know about the recorded network; nothing here is assumed, all of it is read. */
export interface RecordedNetwork extends NetworkFile {
  /** Human-readable part of addresses. */
  readonly hrp: string
  /** The node whose conversations were recorded. */
  readonly nodeID: string
  readonly l1: L1File | undefined
  /** Alias or blockchain ID to blockchain ID; undefined when the node knows none. */
  lookup(alias: string): string | undefined
  /** The JSON text of a member of network.json, members in the recorded order. */
  raw(member: string): string
}

const ALIASES: Record<string, PrimaryAlias> = { P: 'P', platform: 'P', X: 'X', avm: 'X', C: 'C', evm: 'C' }

interface NodeHint {
  nodeID?: string
  validators?: { nodeID: string; connected?: boolean }[]
}

/** Twenty zero bytes: a network whose recording names no validator was recorded by a node all the same. */
const NOBODY = 'NodeID-111111111111111111116DBWJs'

/** Prefix of the network's addresses, as far as any address was recorded; else the one that goes by its ID. */
function recordedHrp(recordings: Recordings, file: NetworkFile): string {
  const [line] = recordings.lines('network/address-state.ndjson.gz')
  const read = line === undefined ? undefined : (JSON.parse(line) as { address: string }).address
  const address = Object.values(file.keys ?? {})[0]?.address ?? read
  return address?.slice(0, address.lastIndexOf('1')) ?? hrpOfNetwork(Number(file.networkID))
}

function recordedNode(recordings: Recordings): string {
  const meta = recordings.lines('network/conversations.ndjson.gz')
  if (meta.length > 0) {
    const first = JSON.parse(meta.text(0)) as NodeHint
    if (first.nodeID !== undefined) return first.nodeID
  }
  const state = recordings.json<{ primary: NodeHint }>('network/platform-state.json')
  const validators = state.primary.validators ?? []
  const node = validators.find((validator) => validator.connected === true) ?? validators[0]
  return node?.nodeID ?? NOBODY
}

export function readNetwork(recordings: Recordings): RecordedNetwork {
  const file = recordings.json<NetworkFile>('network/network.json')
  const l1 = recordings.has('l1/l1.json') ? recordings.json<L1File>('l1/l1.json') : undefined
  const ids = new Set([...Object.values(file.chains), ...(l1 === undefined ? [] : [l1.blockchainID])])
  const members = new Map(rawMembers(JSON.stringify(file)))
  return {
    ...file,
    hrp: recordedHrp(recordings, file),
    nodeID: recordedNode(recordings),
    l1,
    lookup(alias) {
      const primary = ALIASES[alias]
      if (primary !== undefined) return file.chains[primary]
      return ids.has(alias) ? alias : undefined
    },
    raw(member) {
      const text = members.get(member)
      if (text === undefined) throw new Error(`network.json has no ${member}`)
      return text
    },
  }
}
