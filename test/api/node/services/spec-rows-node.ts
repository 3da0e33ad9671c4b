import { expect } from 'vitest'
import {
  cb58,
  decimal,
  hex,
  hexOf,
  list,
  mapOf,
  nodeID,
  number,
  oneOf,
  type Shape,
  string,
  time,
  uint,
} from './answer-shape.ts'
import { network, subnetID } from './spec-facts.ts'

/** A question and what has to be in its answer. */
export type Row = [path: string, method: string, params: object, shape: Shape]

const container: Shape = { id: cb58, bytes: hex, timestamp: time, encoding: oneOf('hex'), index: uint }
export const healthResult: Shape = {
  'message?': () => undefined,
  'error?': () => undefined,
  timestamp: time,
  duration: number,
  contiguousFailures: number,
  timeOfFirstFailure: oneOf(null),
}
export const info: Row[] = [
  ['/ext/info', 'info.acps', {}, { acps: mapOf({ supportWeight: uint }, 0) }],
  ['/ext/info', 'info.isBootstrapped', { chain: 'X' }, { isBootstrapped: oneOf(true) }],
  ['/ext/info', 'info.getBlockchainID', { alias: 'C' }, { blockchainID: oneOf(network.chains.C) }],
  ['/ext/info', 'info.getNetworkID', {}, { networkID: oneOf('5') }],
  ['/ext/info', 'info.getNetworkName', {}, { networkName: oneOf('fuji') }],
  ['/ext/info', 'info.getNodeID', {}, { nodeID, nodePOP: { publicKey: hexOf(48), proofOfPossession: hexOf(96) } }],
  ['/ext/info', 'info.getNodeIP', {}, { ip: (value) => expect(value).toMatch(/:\d+$/) }],
  [
    '/ext/info',
    'info.getNodeVersion',
    {},
    {
      version: string,
      databaseVersion: string,
      gitCommit: string,
      vmVersions: mapOf(string),
      rpcProtocolVersion: string,
    },
  ],
  [
    '/ext/info',
    'info.getTxFee',
    {},
    {
      txFee: uint,
      createAssetTxFee: uint,
      createSubnetTxFee: uint,
      transformSubnetTxFee: uint,
      createBlockchainTxFee: uint,
      addPrimaryNetworkValidatorFee: uint,
      addPrimaryNetworkDelegatorFee: uint,
      addSubnetValidatorFee: uint,
      addSubnetDelegatorFee: uint,
    },
  ],
  ['/ext/info', 'info.getVMs', {}, { vms: mapOf(list(string, 0)) }],
  [
    '/ext/info',
    'info.peers',
    {},
    {
      numPeers: uint,
      peers: list({
        ip: string,
        publicIP: string,
        nodeID,
        version: string,
        lastSent: time,
        lastReceived: time,
        benched: list(string, 0),
        observedUptime: uint,
        trackedSubnets: list(cb58),
      }),
    },
  ],
  [
    '/ext/info',
    'info.peers',
    { nodeIDs: ['NodeID-111111111111111111116DBWJs'] },
    { numPeers: oneOf('0'), peers: list({}, 0) },
  ],
  ['/ext/info', 'info.uptime', {}, { rewardingStakePercentage: decimal, weightedAveragePercentage: decimal }],
  [
    '/ext/info',
    'info.upgrades',
    {},
    {
      ...Object.fromEntries(
        ['1', '2', '3', '4', '5', 'Pre6', '6', 'Post6'].map((phase) => [`apricotPhase${phase}Time`, time]),
      ),
      apricotPhase4MinPChainHeight: number,
      banffTime: time,
      cortinaTime: time,
      cortinaXChainStopVertexID: cb58,
      durangoTime: time,
      etnaTime: time,
      fortunaTime: time,
      graniteTime: time,
      heliconTime: time,
    },
  ],
]

export const health: Row[] = [
  [
    '/ext/health',
    'health.health',
    {},
    {
      checks: Object.fromEntries(
        ['C', 'P', 'X', 'bootstrapped', 'database', 'diskspace', 'network', 'router'].map((name) => [
          name,
          healthResult,
        ]),
      ),
      healthy: oneOf(true),
    },
  ],
  ['/ext/health', 'health.health', { tags: [subnetID] }, { checks: { network: healthResult }, healthy: oneOf(true) }],
  ['/ext/health', 'health.readiness', {}, { checks: { bootstrapped: healthResult }, healthy: oneOf(true) }],
  ['/ext/health', 'health.liveness', {}, { checks: (value) => expect(value).toEqual({}), healthy: oneOf(true) }],
]

export const index: Row[] = ['C/block', 'P/block', 'X/block'].flatMap((name): Row[] => [
  [`/ext/index/${name}`, 'index.getContainerByIndex', { index: 3, encoding: 'hex' }, container],
  [`/ext/index/${name}`, 'index.getLastAccepted', { encoding: 'hex' }, container],
  [
    `/ext/index/${name}`,
    'index.getContainerRange',
    { startIndex: 1, numToFetch: 3, encoding: 'hex' },
    { containers: list(container, 3) },
  ],
  [
    `/ext/index/${name}`,
    'index.getContainerRange',
    { startIndex: 1, numToFetch: 0, encoding: 'hex' },
    { containers: (value) => expect(value).toEqual([]) },
  ],
  [`/ext/index/${name}`, 'index.isAccepted', { id: network.avaxAssetID }, { isAccepted: oneOf(false) }],
])
