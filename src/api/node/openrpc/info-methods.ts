import { count, flag, list, type Method, mapOf, may, needs, object, ref, text, uint64 } from './parts.ts'

const PERCENT = 'Percent with four decimals.'
const TIME = { type: 'string', format: 'date-time' }
const FEES = [
  ...['txFee', 'createAssetTxFee', 'createSubnetTxFee', 'transformSubnetTxFee', 'createBlockchainTxFee'],
  ...['addPrimaryNetworkValidatorFee', 'addPrimaryNetworkDelegatorFee', 'addSubnetValidatorFee'],
  'addSubnetDelegatorFee',
]
const UPGRADES = [
  ...['apricotPhase1Time', 'apricotPhase2Time', 'apricotPhase3Time', 'apricotPhase4Time', 'apricotPhase5Time'],
  ...['apricotPhasePre6Time', 'apricotPhase6Time', 'apricotPhasePost6Time', 'banffTime', 'cortinaTime'],
  ...['durangoTime', 'etnaTime', 'fortunaTime', 'graniteTime', 'heliconTime'],
]
const VOTES = object({
  supportWeight: uint64('Stake in favour.'),
  supporters: list(text('NodeID-…')),
  objectWeight: uint64('Stake against.'),
  objectors: list(text('NodeID-…')),
  abstainWeight: uint64('The rest.'),
})

export const INFO: readonly Method[] = [
  {
    name: 'info.acps',
    summary: 'Support of proposals.',
    params: [],
    result: object({ acps: mapOf(VOTES, 'By number of the proposal.') }),
  },
  {
    name: 'info.isBootstrapped',
    summary: 'Whether a chain is served.',
    params: [needs('chain', text('ID or alias.'))],
    result: object({ isBootstrapped: flag('True = it is.') }),
    errors: ["argument 'chain' not given", "there is no chain with alias/ID '…'"],
  },
  {
    name: 'info.getBlockchainID',
    summary: 'ID behind an alias.',
    params: [needs('alias', text('Alias or ID.'))],
    result: object({ blockchainID: text('cb58.') }),
    errors: ['there is no ID with alias: …'],
  },
  {
    name: 'info.getNetworkID',
    summary: '1 is mainnet, 5 the public testnet.',
    params: [],
    result: object({ networkID: uint64('Network ID.') }),
  },
  {
    name: 'info.getNetworkName',
    summary: 'mainnet, fuji, local …',
    params: [],
    result: object({ networkName: text('Name.') }),
  },
  {
    name: 'info.getNodeID',
    summary: 'Who the identity node is.',
    params: [],
    result: object({
      nodeID: text('NodeID-…'),
      nodePOP: object({ publicKey: text('48 bytes, hex.'), proofOfPossession: text('96 bytes, hex.') }),
    }),
  },
  {
    name: 'info.getNodeIP',
    summary: 'Address of the identity node.',
    params: [],
    result: object({ ip: text('Address and port.') }),
  },
  {
    name: 'info.getNodeVersion',
    summary: 'Versions of the node.',
    params: [],
    result: object({
      version: text('Of the node.'),
      databaseVersion: text('Of its database.'),
      rpcProtocolVersion: text('Of the protocol with VM plugins.'),
      gitCommit: text('May be empty.'),
      vmVersions: mapOf(text('Version.'), 'By alias or ID of the VM.'),
    }),
  },
  {
    name: 'info.getTxFee',
    summary: 'Fees before dynamic fees, nAVAX.',
    deprecated: true,
    params: [],
    result: object(Object.fromEntries(FEES.map((name) => [name, uint64('nAVAX.')]))),
  },
  {
    name: 'info.getVMs',
    summary: 'Virtual machines of the identity node.',
    params: [],
    result: object(
      { vms: mapOf(list(text('Alias.')), 'Aliases by VM ID.'), fxs: mapOf(text('Name.'), 'Feature extensions by ID.') },
      ['fxs'],
    ),
  },
  {
    name: 'info.peers',
    summary: 'Connections of the identity node.',
    params: [may('nodeIDs', list(text('NodeID-…'), 'Left out or empty: all.'))],
    result: object({ numPeers: uint64('How many.'), peers: list(ref('Peer')) }),
  },
  {
    name: 'info.uptime',
    summary: 'Uptime of the identity node as observed by validators.',
    params: [may('subnetID', text('Honoured by old nodes.'))],
    result: object({ rewardingStakePercentage: text(PERCENT), weightedAveragePercentage: text(PERCENT) }),
    errors: ["couldn't get node uptime: node is not a validator"],
  },
  {
    name: 'info.upgrades',
    summary: "Activation times of network upgrades. The members depend on the node's version.",
    params: [],
    result: object(
      {
        ...Object.fromEntries(UPGRADES.map((name) => [name, TIME])),
        apricotPhase4MinPChainHeight: count('Height.'),
        cortinaXChainStopVertexID: text('cb58.'),
        graniteEpochDuration: count('Nanoseconds.'),
      },
      [...UPGRADES.slice(-3), 'graniteEpochDuration'],
    ),
  },
]
