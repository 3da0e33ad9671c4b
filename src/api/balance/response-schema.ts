import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { CurrencySchema } from '../../schemas/index.ts'

const text = (description?: string) => Type.String({ minLength: 1, ...(description ? { description } : {}) })
const closed = <T extends TProperties>(properties: T, title: string) =>
  Type.Object(properties, { additionalProperties: false, title })
const INTEGER = 'Smallest unit, base-10 integer.'
const amount = (description = INTEGER) => Type.String({ pattern: '^-?[0-9]+$', minLength: 1, description })

const priced = {
  internalId: Type.Optional(text()),
  logoUri: Type.Optional(Type.String({ pattern: '^https://' })),
  balanceInCurrency: Type.Optional(Type.Number()),
  price: Type.Optional(Type.Number()),
  priceChange24h: Type.Optional(Type.Number({ description: 'Absolute, in the currency.' })),
  priceChangePercentage24h: Type.Optional(Type.Number({ description: 'Percent.' })),
}
const token = { name: text(), symbol: text(), decimals: Type.Number(), balance: amount(), ...priced }
const native = { ...token, type: Type.Literal('native') }
const scanResult = Type.Optional(
  Type.Union(['Benign', 'Malicious', 'Warning', 'Spam'].map((verdict) => Type.Literal(verdict))),
)
const total = Type.Optional(Type.Number({ description: 'Native + all listed tokens, in the currency.' }))

const Native = closed(native, 'NativeTokenBalance')
const AvalancheNative = closed({ ...native, assetId: text() }, 'AvalancheNativeTokenBalance')
const BitcoinNative = closed(
  {
    ...native,
    unconfirmedBalance: amount('Satoshi in the mempool; may be negative.'),
    unconfirmedBalanceInCurrency: Type.Optional(Type.Number()),
  },
  'BitcoinNativeTokenBalance',
)
const Erc20 = closed(
  { ...token, type: Type.Literal('erc20'), address: text('Lower-case contract address.'), scanResult },
  'Erc20TokenBalance',
)
const Spl = closed(
  { ...token, type: Type.Literal('spl'), address: text('Mint.'), associatedTokenAddress: text(), scanResult },
  'SplTokenBalance',
)
const BalanceItem = closed(
  {
    assetId: text(),
    name: text(),
    symbol: text(),
    decimals: Type.Number(),
    balance: amount(),
    type: Type.Union([Type.Literal('native'), Type.Literal('unknown')]),
  },
  'AvalancheBalanceItem',
)
const byChain = <T extends TSchema>(value: T) =>
  Type.Record(Type.String(), value, { description: "Keyed by the other chain's blockchain id." })
const Items = Type.Array(BalanceItem)

const Evm = closed(
  { nativeTokenBalance: Native, totalBalanceInCurrency: total, erc20TokenBalances: Type.Array(Erc20) },
  'EvmBalances',
)
const Bitcoin = closed({ nativeTokenBalance: BitcoinNative, totalBalanceInCurrency: total }, 'BitcoinBalances')
const Solana = closed(
  { nativeTokenBalance: Native, totalBalanceInCurrency: total, splTokenBalances: Type.Array(Spl) },
  'SolanaBalances',
)
const Avm = closed(
  {
    nativeTokenBalance: AvalancheNative,
    totalBalanceInCurrency: total,
    categories: closed(
      { unlocked: Items, locked: Items, atomicMemoryUnlocked: byChain(Items), atomicMemoryLocked: byChain(Items) },
      'AvmCategories',
    ),
  },
  'AvmBalances',
)
const Pvm = closed(
  {
    nativeTokenBalance: AvalancheNative,
    totalBalanceInCurrency: total,
    categories: closed(
      {
        unlockedStaked: amount(),
        unlockedUnstaked: amount(),
        unlockedUnstakedMultiSig: amount(),
        lockedStaked: amount(),
        lockedPlatform: amount(),
        lockedStakeable: amount(),
        restakedRewards: Type.Optional(amount('Left out if no node returns validators, which does not mean zero.')),
        atomicMemoryUnlocked: byChain(amount()),
        atomicMemoryLocked: byChain(amount()),
      },
      'PvmCategories',
    ),
  },
  'PvmBalances',
)
const Coreth = closed(
  {
    nativeTokenBalance: AvalancheNative,
    totalBalanceInCurrency: total,
    categories: closed(
      { atomicMemoryUnlocked: byChain(Items), atomicMemoryLocked: byChain(Items) },
      'CorethCategories',
    ),
  },
  'CorethBalances',
)

const success = <T extends TSchema>(networkType: string, balances: T) =>
  closed(
    {
      caip2Id: text(),
      networkType: Type.Literal(networkType),
      id: text(),
      balances,
      currency: CurrencySchema,
      error: Type.Null(),
    },
    `${networkType[0]?.toUpperCase()}${networkType.slice(1)}GetBalancesResponse`,
  )

const NETWORK_TYPES = ['evm', 'btc', 'svm', 'avm', 'pvm', 'coreth']

const HandledErrorSchema = closed(
  {
    caip2Id: Type.String(),
    networkType: Type.Optional(Type.Union(NETWORK_TYPES.map((type) => Type.Literal(type)))),
    id: Type.String(),
    balances: Type.Null(),
    error: Type.String({
      description: '`[operation] cause`; contains `Rate limit exceeded` only if that is the cause.',
    }),
  },
  'GetBalancesResponseError',
)

const InternalErrorItemSchema = closed(
  { error: Type.String({ minLength: 1, pattern: '^[A-Z0-9_]+$', description: 'Upper-case code word.' }) },
  'GetBalancesResponseInternalError',
)

/** One item of the get-balances stream (balance spec, response items). */
export const StreamItemSchema = Type.Union(
  [
    success('evm', Evm),
    success('btc', Bitcoin),
    success('svm', Solana),
    success('avm', Avm),
    success('pvm', Pvm),
    success('coreth', Coreth),
    HandledErrorSchema,
    InternalErrorItemSchema,
  ],
  { title: 'GetBalancesResponse' },
)

export const SupportedChainsSchema = closed(
  { caip2Ids: Type.Array(Type.String({ pattern: '^.+:.+$' })) },
  'GetSupportedChainsResponse',
)

export const InvalidPayloadSchema = closed(
  {
    message: Type.Literal('INVALID_PAYLOAD'),
    issues: Type.Array(
      closed(
        {
          code: Type.String(),
          path: Type.Array(Type.Union([Type.String(), Type.Number()])),
          message: Type.String(),
        },
        'Issue',
      ),
    ),
    method: Type.String(),
    url: Type.String(),
  },
  'InvalidPayload',
)

/** Bodies of all other errors: one upper-case word. */
export const messageSchema = (word: string) => closed({ message: Type.Literal(word) }, word)

/** The same, with an optional reason for people. */
export const reasonSchema = (word: string) =>
  closed({ message: Type.Literal(word), error: Type.Optional(Type.String({ minLength: 1 })) }, `${word}_REASON`)
