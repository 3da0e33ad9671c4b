import { count, flag, list, object, ref, type Schema, text, uint64 } from './parts.ts'

const TIME = { type: 'string', format: 'date-time' }

const health: Schema = object(
  {
    message: { description: 'Any JSON: what the check found.' },
    error: text('Why it fails.'),
    timestamp: { ...TIME, description: 'End of the last run.' },
    duration: count('Nanoseconds.'),
    contiguousFailures: count('Failed runs since the last success.'),
    timeOfFirstFailure: { type: ['string', 'null'], format: 'date-time', description: 'Null while it passes.' },
  },
  ['message', 'error'],
)

const delegator = object({
  txID: text('Transaction that added it, cb58.'),
  startTime: uint64('Unix seconds.'),
  endTime: uint64('Unix seconds.'),
  weight: uint64('nAVAX on the primary network.'),
  nodeID: text('NodeID-…'),
  rewardOwner: ref('OutputOwners'),
  potentialReward: uint64('nAVAX.'),
})

const validator = object(
  {
    txID: text('Transaction that added it, cb58.'),
    startTime: uint64('Unix seconds.'),
    endTime: uint64('Unix seconds.'),
    weight: uint64('Weight in sampling.'),
    stakeAmount: uint64('Old nodes only.'),
    nodeID: text('NodeID-…'),
    validationRewardOwner: ref('OutputOwners'),
    delegationRewardOwner: ref('OutputOwners'),
    potentialReward: uint64('nAVAX.'),
    accruedDelegateeReward: uint64('nAVAX.'),
    delegationFee: text('Percent with four decimals.'),
    uptime: text('Percent with four decimals, as observed by the node.'),
    connected: flag('The node is connected to it.'),
    signer: object({ publicKey: text('48 bytes, hex.'), proofOfPossession: text('96 bytes, hex.') }),
    validatorAuthority: ref('OutputOwners'),
    nextPeriod: uint64('Self-renewing validators: seconds of the next period; 0 = the current period is the last one.'),
    autoCompoundRewardShares: uint64('Self-renewing validators: parts per 1,000,000 of the rewards that are restaked.'),
    delegatorCount: uint64('Delegators.'),
    delegatorWeight: uint64('Their weight.'),
    delegators: list(ref('Delegator'), 'Only if nodeIDs has one node.'),
    validationID: text('L1 validators, cb58.'),
    publicKey: text('L1 validators.'),
    remainingBalanceOwner: ref('OutputOwners'),
    deactivationOwner: ref('OutputOwners'),
    minNonce: uint64('L1 validators.'),
    balance: uint64('L1 validators, nAVAX.'),
  },
  [
    ...['txID', 'endTime', 'stakeAmount', 'validationRewardOwner', 'delegationRewardOwner', 'potentialReward'],
    ...['accruedDelegateeReward', 'delegationFee', 'uptime', 'connected', 'signer', 'delegatorCount'],
    ...['delegatorWeight', 'delegators', 'validationID', 'publicKey', 'remainingBalanceOwner', 'deactivationOwner'],
    ...['minNonce', 'balance', 'validatorAuthority', 'nextPeriod', 'autoCompoundRewardShares'],
  ],
)

const peer = object(
  {
    ip: text('Remote address and port.'),
    publicIP: text('Public address and port.'),
    nodeID: text('NodeID-…'),
    version: text('Version of the peer.'),
    upgradeTime: count('Unix seconds.'),
    lastSent: { ...TIME },
    lastReceived: { ...TIME },
    observedUptime: uint64("This node's uptime as observed by the peer, percent."),
    trackedSubnets: list(text('cb58.')),
    supportedACPs: list(count('Number of a proposal.')),
    objectedACPs: list(count('Number of a proposal.')),
    benched: list(text('Alias or id of a chain.')),
  },
  ['upgradeTime', 'supportedACPs', 'objectedACPs'],
)

/** Shapes that several methods share. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  OutputOwners: object({
    locktime: uint64('Unix seconds; 0 = none.'),
    threshold: uint64('Signatures that are needed.'),
    addresses: list(text('Bech32 with the prefix of the chain.')),
  }),
  Container: object({
    id: text('cb58.'),
    bytes: text('0x and hex; with a checksum of 4 bytes at the end unless the encoding is hexnc.'),
    timestamp: { ...TIME, description: 'When it was accepted.' },
    encoding: { type: 'string', enum: ['hex', 'hexc', 'hexnc'] },
    index: uint64('Containers accepted in this index before it.'),
  }),
  HealthResult: health,
  HealthReport: object({
    checks: { type: 'object', additionalProperties: ref('HealthResult') },
    healthy: flag('True when all checks pass.'),
  }),
  LoggerLevel: object({ logLevel: ref('LogLevel'), displayLevel: ref('LogLevel') }),
  LogLevel: { type: 'string', enum: ['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'TRACE', 'DEBUG', 'VERBO'] },
  Encoding: {
    type: 'string',
    enum: ['hex', 'hexc', 'hexnc', 'json'],
    default: 'hex',
    description: 'hex and hexc end with a checksum of 4 bytes, hexnc does not; json for blocks and transactions only.',
  },
  Peer: peer,
  Validator: validator,
  Delegator: delegator,
}
