import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { AVALANCHE_REFERENCES, BITCOIN_REFERENCES, SOLANA_REFERENCES } from '../../facts/caip.ts'
import { CurrencySchema } from '../../schemas/index.ts'

/** `enum` reads better than `anyOf` of constants in the OpenAPI document and yields one clear issue. */
const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description },
    ),
  )

const list = <T extends TSchema>(items: T, minItems: number, maxItems?: number, description?: string) =>
  Type.Array(items, {
    minItems,
    ...(maxItems === undefined ? {} : { maxItems }),
    ...(description === undefined ? {} : { description }),
  })

/** The spec requires non-empty references and a non-empty id in results, but accepts any id in requests. */
const WALLET_ID = "The caller's id for the wallet, returned as `id` of the result. An empty one gets an error item."

/** 20 bytes as bech32 below one of the prefixes, without the `^` of a pattern: some shapes have a chain before it. */
export const bech32Of = (hrps: readonly string[]): string =>
  `(${hrps.join('|')})1[023456789acdefghjklmnpqrstuvwxyz]{38}$`

export const EXTENDED_KEY_PATTERN = '^xpub[1-9A-HJ-NP-Za-km-z]{107}$'

/** Addresses without chain prefix; the HRP is one of the two networks' (balance spec, request item shapes). */
const walletSchemas = (hrps: readonly string[]) => {
  const address = Type.String({ pattern: `^${bech32Of(hrps)}` })
  const wallet = Type.Object({
    id: Type.String({ description: WALLET_ID }),
    addresses: list(address, 1, 1000),
  })
  const extendedKey = Type.Object({
    id: Type.String({ description: WALLET_ID }),
    extendedPublicKey: Type.String({
      pattern: EXTENDED_KEY_PATTERN,
      description: "Account-level key, m/44'/9000'/n'.",
    }),
  })
  return { wallet, extendedKey }
}

const Dust = Type.Optional(
  Type.Boolean({ description: 'Default true: leaves out P-chain UTXOs below 0.002 AVAX. Ignored on X and C.' }),
)

/**
 * A chain id has 32 characters at most; each address of any other gets an error item that names it. Without a limit, a
 * body of 12 MB led to a gigabyte of errors.
 */
const LONGEST_REFERENCE = 128

export const EvmItemSchema = Type.Object(
  {
    namespace: Type.Literal('eip155'),
    addresses: list(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }), 1, 50),
    references: list(Type.String({ minLength: 1, maxLength: LONGEST_REFERENCE }), 1, 20, 'EVM chain ids, decimal.'),
  },
  { title: 'EvmGetBalancesRequestItem' },
)

export const BitcoinItemSchema = Type.Object(
  {
    namespace: Type.Literal('bip122'),
    addresses: list(Type.String({ pattern: '^(bc1|tb1|1|3)[a-zA-HJ-NP-Z0-9]{25,39}$' }), 1, 50),
    references: list(oneOf(Object.values(BITCOIN_REFERENCES), 'Bitcoin main chain or testnet.'), 1),
  },
  { title: 'BtcGetBalancesRequestItem' },
)

export const SolanaItemSchema = Type.Object(
  {
    namespace: Type.Literal('solana'),
    addresses: list(Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' }), 1, 50),
    references: list(oneOf(Object.values(SOLANA_REFERENCES), 'Solana mainnet or devnet.'), 1),
  },
  { title: 'SvmGetBalancesRequestItem' },
)

const networks = Object.values(AVALANCHE_REFERENCES)
const CORETH_REFERENCES: readonly string[] = networks.map((network) => network.coreth)
const XP_REFERENCES: readonly string[] = networks.flatMap((network) => [network.pvm, network.avm])

/** All request schemas for the given human-readable prefixes. */
export function createRequestSchemas(hrps: readonly string[]) {
  const { wallet, extendedKey } = walletSchemas(hrps)
  const CorethItemSchema = Type.Object(
    {
      namespace: Type.Literal('avax'),
      references: list(oneOf(CORETH_REFERENCES, 'C-chain shared memory of mainnet or testnet.'), 1),
      addressDetails: list(wallet, 1, 50),
      filterOutDustUtxos: Dust,
    },
    { title: 'AvalancheCorethGetBalancesRequestItem' },
  )
  const XpItemSchema = Type.Object(
    {
      namespace: Type.Literal('avax'),
      references: list(oneOf(XP_REFERENCES, 'P- and X-chain of mainnet and testnet.'), 1),
      addressDetails: Type.Optional(list(wallet, 0, 50)),
      extendedPublicKeyDetails: Type.Optional(list(extendedKey, 0, 50)),
      filterOutDustUtxos: Dust,
    },
    { title: 'AvalancheXpGetBalancesRequestItem' },
  )
  const ItemSchema = Type.Union([EvmItemSchema, BitcoinItemSchema, SolanaItemSchema, CorethItemSchema, XpItemSchema])
  const BodySchema = Type.Object(
    {
      data: list(ItemSchema, 1, 5),
      currency: Type.Optional(CurrencySchema),
      showUntrustedTokens: Type.Optional(
        Type.Boolean({
          description: 'Default false: tokens judged spam or malicious, or on no trusted list, are left out.',
        }),
      ),
    },
    { title: 'GetBalancesRequestBody' },
  )
  return { CorethItemSchema, XpItemSchema, BodySchema }
}

export type RequestSchemas = ReturnType<typeof createRequestSchemas>
export type RequestBody = Static<RequestSchemas['BodySchema']>
export type RequestItem = RequestBody['data'][number]

type AvalancheItem = Extract<RequestItem, { namespace: 'avax' }>
type CorethItem = Static<RequestSchemas['CorethItemSchema']>

/** C-chain items and X/P items share a namespace and differ in their references. */
export const isCorethItem = (item: AvalancheItem): item is CorethItem => namesCoreth(item.references)

/** @param references as received, unchecked */
export const namesCoreth = (references: readonly unknown[]): boolean =>
  references.some((reference) => CORETH_REFERENCES.includes(reference as string))
