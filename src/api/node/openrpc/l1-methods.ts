import { count, flag, list, type Method, mapOf, may, object, type Schema, text } from './parts.ts'

const INVALID = { code: -32602, message: 'invalid argument 0: …' }
const GONE = { code: -32601, message: 'the method … does not exist/is not available' }
const FEE_CONFIG = object(
  Object.fromEntries(
    [
      ...['gasLimit', 'targetBlockRate', 'minBaseFee', 'targetGas', 'baseFeeChangeDenominator', 'minBlockGasCost'],
      ...['maxBlockGasCost', 'blockGasCostStep'],
    ].map((name) => [name, { type: 'integer' }]),
  ),
)
const AT = may('timestamp', count('Unix seconds; left out: time of the latest block.'))
const BLOCK: Schema = {
  oneOf: [
    text('0x and hex of a height or a block hash, or latest, earliest, pending, safe, finalized.'),
    object({ blockNumber: text('Hex.'), blockHash: text('Hex.') }, ['blockNumber', 'blockHash']),
  ],
  description: 'Default latest.',
}

/** Methods of chains of the L1 machine in addition to Ethereum's; arguments by position. */
export const L1_EVM: readonly Method[] = [
  {
    name: 'eth_feeConfig',
    summary: 'Fee configuration at a block, and the block where it last changed.',
    params: [may('block', BLOCK)],
    result: object({ feeConfig: FEE_CONFIG, lastChangedAt: count('Height.') }),
    errors: ['cannot query unfinalized data', INVALID, GONE],
  },
  {
    name: 'eth_getChainConfig',
    summary: 'The configuration of the chain; `upgrades` on L1s only.',
    params: [],
    result: object({ chainId: count('EVM chain id.'), feeConfig: FEE_CONFIG, upgrades: { type: 'object' } }, [
      'feeConfig',
      'upgrades',
    ]),
    errors: [{ code: -32602, message: 'too many arguments, want at most 0' }],
  },
  {
    name: 'eth_getActivePrecompilesAt',
    summary: 'Precompiles that are active at a time.',
    deprecated: true,
    params: [AT],
    result: mapOf({ type: 'object' }, 'Configuration by name.'),
    errors: [INVALID, GONE],
  },
  {
    name: 'eth_getActiveRulesAt',
    summary: 'Rules and precompiles that are active at a time.',
    params: [AT],
    result: object({
      ethRules: { type: 'object', description: 'Flags such as IsCancun; also ChainID, a number.' },
      avalancheRules: mapOf(flag('Active.'), 'Flags such as IsDurango.'),
      precompiles: mapOf(object({ timestamp: count('Unix seconds.') }), 'By name of the configuration.'),
    }),
    errors: [INVALID, GONE],
  },
]

export const L1_VALIDATORS: readonly Method[] = [
  {
    name: 'validators.getCurrentValidators',
    summary: 'Validators of the L1, in no order.',
    params: [may('nodeIDs', list(text('NodeID-…'), 'Left out or empty: all.'))],
    result: object({
      validators: list(
        object({
          validationID: text('Of the validation, or of the transaction that added it; cb58.'),
          nodeID: text('NodeID-…'),
          weight: count('Weight in consensus.'),
          startTimestamp: count('Unix seconds.'),
          isActive: flag('Its balance pays the continuous fee.'),
          isL1Validator: flag('False for validators of subnets that were not converted to L1s.'),
          isConnected: flag('The node is connected to it.'),
          uptimeSeconds: count('As the node has seen it.'),
          uptimePercentage: { type: 'number' },
        }),
      ),
    }),
  },
]
