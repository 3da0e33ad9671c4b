import {
  count,
  list,
  type Method,
  mapOf,
  may,
  needs,
  object,
  ref,
  type Schema,
  text,
  uint64,
  uint64In,
} from './parts.ts'

const CODING = may('encoding', ref('Encoding'))
const BLOCK = object({
  block: { oneOf: [text('0x and hex.'), { type: 'object' }], description: 'An object when the encoding is json.' },
  encoding: ref('Encoding'),
})
const KEY = [needs('username', text('Of the keystore.')), needs('password', text('Of the user.'))]
const SUBNET = may('subnetID', text('cb58; left out: the primary network.'))
const gas = (description: string): Schema => ({ type: 'integer', minimum: 0, description })
const HEIGHT = object({ height: uint64('Height.') })
const SUMS = ['balances', 'unlockeds', 'lockedStakeables', 'lockedNotStakeables'] as const
const SUM = ['balance', 'unlocked', 'lockedStakeable', 'lockedNotStakeable'] as const
const STATES = ['Validating', 'Created', 'Preferred', 'Syncing', 'Unknown']

export const PLATFORM: readonly Method[] = [
  {
    name: 'platform.exportKey',
    summary: 'Private key of an address that a user of the keystore controls.',
    deprecated: true,
    needsKeystore: true,
    params: [...KEY, needs('address', text('P-…'))],
    result: object({ privateKey: text('PrivateKey-…') }),
    errors: ['problem retrieving user "…": incorrect password: user "…"', 'problem retrieving private key: not found'],
  },
  {
    name: 'platform.listAddresses',
    summary: 'Addresses that a user of the keystore controls.',
    deprecated: true,
    needsKeystore: true,
    params: KEY,
    result: object({ addresses: list(text('P-…')) }),
  },
  {
    name: 'platform.getBalance',
    summary: 'Balances of addresses on the P-chain, by asset.',
    deprecated: true,
    params: [needs('addresses', list(text('P-…')))],
    result: object({
      ...Object.fromEntries(SUM.map((name) => [name, uint64('nAVAX.')])),
      ...Object.fromEntries(SUMS.map((name) => [name, mapOf(uint64('Amount.'), 'By asset ID.')])),
      utxoIDs: {
        type: ['array', 'null'],
        items: object({ txID: text('cb58.'), outputIndex: count('Place in the transaction.') }),
      },
    }),
  },
  {
    name: 'platform.getBlock',
    summary: 'A block by its ID.',
    params: [needs('blockID', text('cb58.')), CODING],
    result: BLOCK,
    errors: ["couldn't get block with id …: not found"],
  },
  {
    name: 'platform.getBlockByHeight',
    summary: 'A block by its height.',
    params: [needs('height', uint64In('Height.')), CODING],
    result: BLOCK,
    errors: ["couldn't get block at height …: not found"],
  },
  {
    name: 'platform.getBlockchains',
    summary: 'All blockchains but the P-chain.',
    deprecated: true,
    params: [],
    result: object({
      blockchains: list(
        object({ id: text('cb58.'), name: text('Name.'), subnetID: text('cb58.'), vmID: text('cb58.') }),
      ),
    }),
  },
  {
    name: 'platform.getBlockchainStatus',
    summary: 'State of a blockchain.',
    params: [needs('blockchainID', text('ID or alias.'))],
    result: object({ status: { type: 'string', enum: STATES } }),
    errors: ["argument 'blockchainID' not given"],
  },
  {
    name: 'platform.getCurrentSupply',
    summary: 'Maximum amount of tokens that can be staked.',
    params: [SUBNET],
    result: object({ supply: uint64('nAVAX on the primary network.'), height: uint64('Height.') }, ['height']),
  },
  {
    name: 'platform.getCurrentValidators',
    summary: 'Validators of the primary network or of a subnet.',
    params: [SUBNET, may('nodeIDs', list(text('NodeID-…'), 'Left out or empty: all.'))],
    result: object({ validators: list(ref('Validator')) }),
  },
  {
    name: 'platform.getFeeConfig',
    summary: 'Rules of the dynamic fee.',
    params: [],
    result: object({
      weights: list(gas('Weight of a dimension.'), 'Bandwidth, reads, writes, compute.'),
      maxCapacity: gas('Gas the chain may store.'),
      maxPerSecond: gas('Maximum gas per second of the chain.'),
      targetPerSecond: gas('Gas per second at which fees do not change.'),
      minPrice: gas('nAVAX per gas.'),
      excessConversionConstant: gas('Turns excess gas into a price.'),
    }),
  },
  {
    name: 'platform.getFeeState',
    summary: 'The dynamic fee now.',
    params: [],
    result: object({
      capacity: gas('Gas.'),
      excess: gas('Gas.'),
      price: gas('nAVAX per gas.'),
      timestamp: { type: 'string', format: 'date-time' },
    }),
  },
  { name: 'platform.getHeight', summary: 'Height of the last accepted block.', params: [], result: HEIGHT },
  {
    name: 'platform.getL1Validator',
    summary: 'A validator of an L1.',
    params: [needs('validationID', text('cb58.'))],
    result: object({
      subnetID: text('cb58.'),
      nodeID: text('NodeID-…'),
      publicKey: text('48 bytes, hex.'),
      remainingBalanceOwner: ref('OutputOwners'),
      deactivationOwner: ref('OutputOwners'),
      startTime: uint64('Unix seconds.'),
      weight: uint64('Weight in consensus.'),
      minNonce: uint64('Smallest nonce of the next weight change.'),
      balance: uint64('Remaining balance for the continuous fee, nAVAX.'),
      height: uint64('Height of the answer.'),
    }),
    errors: ['fetching L1 validator "…" failed: not found'],
  },
  { name: 'platform.getProposedHeight', summary: 'Height that proposers use now.', params: [], result: HEIGHT },
]
