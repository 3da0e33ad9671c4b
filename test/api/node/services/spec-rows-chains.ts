import {
  bool,
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
import { address, l1, network, validationID, validator } from './spec-facts.ts'
import type { Row } from './spec-rows-node.ts'

const owners: Shape = { locktime: uint, threshold: uint, addresses: list(string) }
const tx: Shape = { unsignedTx: {}, credentials: list({ signatures: list(string, 0) }, 0) }
export const block: Shape = { parentID: cb58, height: number, txs: list(tx, 0) }
const delegator: Shape = {
  txID: cb58,
  startTime: uint,
  endTime: uint,
  nodeID,
  rewardOwner: owners,
  potentialReward: uint,
}
const staker: Shape = {
  txID: cb58,
  startTime: uint,
  endTime: uint,
  nodeID,
  weight: uint,
  validationRewardOwner: owners,
  delegationRewardOwner: owners,
  potentialReward: uint,
  delegationFee: decimal,
  uptime: decimal,
  connected: bool,
  // A validator without a BLS key has none; the recorded ones all have.
  'signer?': { publicKey: hexOf(48), proofOfPossession: hexOf(96) },
  delegatorCount: uint,
  delegatorWeight: uint,
}

const amounts = mapOf(uint, 0)
export const platform: Row[] = [
  [
    '/ext/bc/P',
    'platform.getBalance',
    { addresses: [address] },
    {
      balances: amounts,
      unlockeds: amounts,
      lockedStakeables: amounts,
      lockedNotStakeables: amounts,
      utxoIDs: list({ txID: cb58, outputIndex: number }),
      balance: uint,
      unlocked: uint,
      lockedStakeable: uint,
      lockedNotStakeable: uint,
    },
  ],
  ['/ext/bc/P', 'platform.getBlockByHeight', { height: 5 }, { block: hex, encoding: oneOf('hex') }],
  ['/ext/bc/P', 'platform.getBlockByHeight', { height: '5', encoding: 'json' }, { block, encoding: oneOf('json') }],
  [
    '/ext/bc/P',
    'platform.getBlockchains',
    {},
    { blockchains: list({ id: cb58, name: string, subnetID: cb58, vmID: cb58 }) },
  ],
  ['/ext/bc/P', 'platform.getBlockchainStatus', { blockchainID: network.chains.X }, { status: oneOf('Validating') }],
  ['/ext/bc/P', 'platform.getBlockchainStatus', { blockchainID: network.avaxAssetID }, { status: oneOf('Unknown') }],
  ['/ext/bc/P', 'platform.getCurrentSupply', {}, { supply: uint }],
  ['/ext/bc/P', 'platform.getCurrentValidators', {}, { validators: list(staker) }],
  [
    '/ext/bc/P',
    'platform.getCurrentValidators',
    { nodeIDs: [validator] },
    { validators: list({ ...staker, delegators: list(delegator, 0) }) },
  ],
  [
    '/ext/bc/P',
    'platform.getFeeConfig',
    {},
    {
      weights: list(number, 4),
      maxCapacity: number,
      maxPerSecond: number,
      targetPerSecond: number,
      minPrice: number,
      excessConversionConstant: number,
    },
  ],
  ['/ext/bc/P', 'platform.getFeeState', {}, { capacity: number, excess: number, price: number, timestamp: time }],
  ['/ext/bc/P', 'platform.getHeight', {}, { height: uint }],
  [
    '/ext/bc/P',
    'platform.getL1Validator',
    { validationID },
    {
      subnetID: cb58,
      nodeID,
      publicKey: hexOf(48),
      remainingBalanceOwner: owners,
      deactivationOwner: owners,
      startTime: uint,
      weight: uint,
      minNonce: uint,
      balance: uint,
      height: uint,
    },
  ],
  ['/ext/bc/P', 'platform.getProposedHeight', {}, { height: uint }],
]

const feeConfig: Shape = Object.fromEntries(
  [
    'gasLimit',
    'targetBlockRate',
    'minBaseFee',
    'targetGas',
    'baseFeeChangeDenominator',
    'minBlockGasCost',
    'maxBlockGasCost',
    'blockGasCostStep',
  ].map((name) => [name, number]),
)
const l1Rpc = `/ext/bc/${l1.blockchainID}/rpc`
export const evm: Row[] = [
  [l1Rpc, 'eth_feeConfig', [], { feeConfig, lastChangedAt: number }],
  [l1Rpc, 'eth_getChainConfig', [], { chainId: number, feeConfig, homesteadBlock: number, upgrades: {} }],
  [l1Rpc, 'eth_getActivePrecompilesAt', [], { warpConfig: {}, txAllowListConfig: {} }],
  [
    l1Rpc,
    'eth_getActiveRulesAt',
    [],
    {
      ethRules: { IsHomestead: bool, IsByzantium: bool, IsIstanbul: bool, IsCancun: bool },
      avalancheRules: { IsSubnetEVM: bool, IsDurango: bool },
      precompiles: mapOf({ timestamp: number }),
    },
  ],
  [
    `/ext/bc/${l1.blockchainID}/validators`,
    'validators.getCurrentValidators',
    {},
    {
      validators: list({
        validationID: cb58,
        nodeID,
        weight: number,
        startTimestamp: number,
        isActive: bool,
        isL1Validator: bool,
        isConnected: bool,
        uptimeSeconds: number,
        uptimePercentage: number,
      }),
    },
  ],
]
