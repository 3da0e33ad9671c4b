import { Type } from '@sinclair/typebox'
import { choice, list, section, source, toggle } from './field.ts'
import { BitcoinUpstreamSchema, UpstreamSchema } from './upstream.ts'

/** A coin; `decimals` is the family's default, so a custom chain's coin may leave it out. */
const nativeToken = (decimals: number, { minimum, maximum } = { minimum: 0, maximum: 255 }) =>
  section({
    name: Type.String({ minLength: 1, description: 'Name of the coin.' }),
    symbol: Type.String({ minLength: 1, description: 'Symbol of the coin.' }),
    decimals: Type.Integer({ minimum, maximum, default: decimals, description: 'Decimals.' }),
    internalId: Type.Optional(Type.String({ minLength: 1, description: 'Name by which wallets know the token.' })),
    priceId: Type.Optional(Type.String({ description: 'Coin id at the price provider.' })),
    logoUri: Type.Optional(
      Type.String({ pattern: '^https://', allowed: 'a URL beginning with https://', description: 'Logo, https only.' }),
    ),
  })

const name = Type.String({ minLength: 1, description: 'Name shown to people.' })
const upstreams = Type.Array(UpstreamSchema, { minItems: 1, description: 'Servers that answer for this chain.' })
const explorer = Type.Optional(
  Type.String({
    pattern: '^https?://',
    allowed: 'a URL beginning with https:// or http://',
    description: 'Block explorer, for links.',
  }),
)
const tokenLists = list(source(), 'URLs or files in tokenlists.org format.')
const pricePlatform = Type.Optional(
  Type.String({ description: 'Asset platform at the price provider, for token prices by contract.' }),
)

/** For chains whose results are kept for less than the usual time between blocks. */
const blockTimeMs = (mostMs: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Usual time between blocks: results are cached for about as long, 1 to ${mostMs / 1_000} s. Milliseconds.`,
    }),
  )

export const EvmChainSchema = section({
  name,
  testnet: toggle(
    false,
    'Marks a test network. Its coin has a price only if `native.priceId` names one, as in Core itself.',
  ),
  upstreams,
  native: nativeToken(18),
  blockTimeMs: Type.Integer({
    minimum: 1,
    description:
      'Usual time between blocks: results are cached for about as long, and it decides how many blocks count as lag. Milliseconds.',
  }),
  explorer,
  multicall: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      allowed: 'a contract address, 0x and 40 hex digits',
      description: 'Multicall3; left out = deployless call.',
    }),
  ),
  pricePlatform,
  tokenLists,
  blockchainId: Type.Optional(
    Type.String({
      description: 'Blockchain ID (CB58) when the chain is an Avalanche L1 or the C-chain; used by /ext/bc and /v1.',
    }),
  ),
})

export const BitcoinChainSchema = section({
  name,
  network: choice(['mainnet', 'testnet', 'regtest'], { description: 'Address forms of this network.' }),
  upstreams: Type.Array(BitcoinUpstreamSchema, { minItems: 1, description: 'Servers that answer for this chain.' }),
  native: Type.Optional(nativeToken(8)),
  blockTimeMs: blockTimeMs(5_000),
  explorer,
})

export const SolanaChainSchema = section({
  name,
  upstreams,
  tokenLists,
  native: Type.Optional(nativeToken(9)),
  blockTimeMs: blockTimeMs(12_000),
  explorer,
  pricePlatform,
})

const millionths = (preset: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000, default: preset, description })
const nanoAvax = (preset: string, description: string) =>
  Type.String({ pattern: '^[1-9][0-9]{0,18}$', allowed: 'a whole number of nAVAX', default: preset, description })

/** Start settings of a private network's nodes; the public networks have the defaults. */
const StakingSchema = section(
  {
    maxConsumptionRate: millionths(120_000, '--stake-max-consumption-rate: millionths.'),
    minConsumptionRate: millionths(100_000, '--stake-min-consumption-rate: millionths.'),
    mintingPeriodSeconds: Type.Integer({
      minimum: 1,
      default: 31_536_000,
      description: '--stake-minting-period: seconds.',
    }),
    supplyCap: nanoAvax('720000000000000000', '--stake-supply-cap: nAVAX.'),
    maxValidatorStake: nanoAvax('3000000000000000', '--max-validator-stake: nAVAX.'),
  },
  { description: "Flags of the network's nodes that differ from those of the public networks." },
)

export const AvalancheNetworkSchema = section({
  name,
  upstreams: Type.Array(UpstreamSchema, {
    minItems: 1,
    description: 'Nodes: the origin only, paths such as /ext/bc/P are added.',
  }),
  networkId: Type.Optional(Type.Integer({ minimum: 1, description: 'Left out = read from a node.' })),
  hrp: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9]{1,32}$',
      allowed: 'small letters and digits, 32 at most',
      description: 'Address prefix; left out = by network ID. Networks 1 and 5 have avax and fuji.',
    }),
  ),
  xBlockchainId: Type.Optional(Type.String({ description: 'Left out = read from a node, retried until known.' })),
  cBlockchainId: Type.Optional(Type.String({ description: 'Left out = read from a node, retried until known.' })),
  avaxAssetId: Type.Optional(
    Type.String({
      description:
        'Left out = read from a node, retried until known. If given, it must match what the node reports, if it reports one.',
    }),
  ),
  evmChainId: Type.Optional(
    Type.Integer({
      minimum: 1,
      // A larger one would be rounded when the file is read, and the nodes would be of another chain.
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'EVM chain id of the C-chain; left out = read from a node.',
    }),
  ),
  genesisFile: Type.Optional(source({ description: "Genesis in the node's own format: path or URL." })),
  staking: Type.Optional(StakingSchema),
  native: Type.Optional(nativeToken(9, { minimum: 9, maximum: 9 })),
  blockTimeMs: blockTimeMs(12_000),
  explorer,
})

const reference = Type.String({ pattern: '^[-_a-zA-Z0-9]{1,32}$' })
const closed = { additionalProperties: false } as const

export const ChainsSection = section({
  catalogue: toggle(true, 'Start from the built-in chains; false = only what is configured.'),
  evm: Type.Record(Type.String({ pattern: '^[1-9][0-9]*$' }), EvmChainSchema, {
    ...closed,
    description: 'EVM chains by chain id. Merged over the built-in ones; null removes an entry.',
    allowed: 'an object keyed by EVM chain ids (decimal, no leading zero)',
  }),
  bitcoin: Type.Record(reference, BitcoinChainSchema, {
    ...closed,
    description: 'Bitcoin chains by CAIP-2 reference. Merged over the built-in ones; null removes an entry.',
    allowed: 'an object keyed by CAIP-2 references',
  }),
  solana: Type.Record(reference, SolanaChainSchema, {
    ...closed,
    description: 'Solana clusters by CAIP-2 reference. Merged over the built-in ones; null removes an entry.',
    allowed: 'an object keyed by CAIP-2 references',
  }),
  avalanche: section(
    {
      mainnet: Type.Optional({
        ...AvalancheNetworkSchema,
        description: 'P, X and C of the network that the APIs call mainnet; may be any network. null removes it.',
      }),
      testnet: Type.Optional({
        ...AvalancheNetworkSchema,
        description: 'P, X and C of the network that the APIs call testnet; may be any network. null removes it.',
      }),
    },
    {
      description:
        'The two networks of the APIs. With upstreams of your own, IDs that are not given are read from a node.',
    },
  ),
})
