/**
 * The small capability types that every chain family implements. A family reads all accounts of a request at once and
 * reports each account by itself: a failed account does not fail the others, and is never reported as a smaller number.
 * Amounts are bigint in the smallest unit (wei, satoshi, lamports, nAVAX).
 */

/** A caller's limits for a read. */
export interface ReadContext {
  /** Aborted when the last reader has left. */
  signal: AbortSignal
  /**
   * Absolute time, milliseconds of `Date.now()`, by which everything must be there. It may be extended while this
   * process is busy: code that makes many calls must read it again for each.
   */
  readonly deadline: number
  /** Who waits for the read, also those that join it later: its reads of the own index are in their turns. */
  clients?: ReadonlySet<string>
}

/** One account's result: its balances or the reason why they could not be read. */
export type Outcome<B> = { ok: true; value: B } | { ok: false; error: Error }

/** Reads the current balances of many accounts of one chain. */
export interface BalanceSource<A extends { id: string }, B> {
  /** CAIP-2 identifier of the chain. */
  readonly caip2Id: string
  readonly networkType: NetworkType
  readonly native: NativeToken
  /**
   * Answers every account exactly once, keyed by `id`. Throws only when nothing at all could be read
   * (the service turns that into one handled error per account).
   */
  readBalances(accounts: readonly A[], context: ReadContext): Promise<Map<string, Outcome<B>>>
}

/** The six wire words of the balance API. */
export type NetworkType = 'evm' | 'btc' | 'svm' | 'avm' | 'pvm' | 'coreth'

export interface NativeToken {
  name: string
  symbol: string
  decimals: number
  /** Price identity shared by all chains with the same coin, for example `NATIVE-avax`. */
  internalId: string
  /** Id of the coin at the price provider, for example `avalanche-2`; absent = unpriced. */
  priceId?: string
  logoUri?: string
  /** CB58 asset id; X, P and C atomic only. */
  assetId?: string
}

/** A fungible token held by an account. */
export interface TokenAmount {
  /** EVM: lower-case hex contract; Solana: mint. */
  address: string
  name: string
  symbol: string
  /** 0 to 255 */
  decimals: number
  balance: bigint
  logoUri?: string
  internalId?: string
  /** Token-2022, ERC-8056: priced units (the UI amount) per unit of `balance`; null = unknown. Absent = 1. */
  uiMultiplier?: number | null
}

/** A token of a trusted list. */
export interface KnownToken {
  address: string
  name: string
  symbol: string
  /** The chain's own value takes precedence, if there is one. */
  decimals: number
  logoUri?: string
  internalId?: string
}

/** Tells adapters which tokens exist on a chain. Never uses the network; an empty list is a valid answer. */
export interface TokenCatalogue {
  /** Tokens of trusted lists for a CAIP-2 chain. The same array until something changes. */
  tokens(caip2Id: string): readonly KnownToken[]
  /** Addresses of unlisted tokens that somebody vouches for. */
  vouched?(caip2Id: string): readonly string[]
}

export interface AddressAccount {
  /** The address exactly as the caller wrote it; results are keyed by it. */
  id: string
}

/** X, P or C wallet: the union of all entries of one id. */
export interface WalletAccount {
  id: string
  /** Bech32 without chain prefix, with either HRP; re-encoded with the chain's own. The same may be named repeatedly. */
  addresses: readonly string[]
  /** Account-level extended public keys (X and P only). */
  extendedPublicKeys: readonly string[]
  /** Leave out ordinary P UTXOs below 2,000,000 nAVAX (P only, never staked or atomic ones). */
  filterOutDust: boolean
}

export interface EvmBalances {
  /** wei */
  native: bigint
  /** Non-zero balances only, ordered by address; of the same block. */
  tokens: TokenAmount[]
  /** The account has, or may have, more unlisted tokens than were read. */
  hasMore?: true
}

export interface BitcoinBalances {
  /** satoshi in blocks */
  confirmed: bigint
  /** satoshi in the mempool, may be negative */
  unconfirmed: bigint
}

export interface SolanaTokenAmount extends TokenAmount {
  /** The owner's associated token account of the mint, base58. */
  associatedTokenAddress: string
}

export interface SolanaBalances {
  /** lamports */
  native: bigint
  /** Non-zero, non-NFT, ordered by mint. */
  tokens: SolanaTokenAmount[]
}

/** One asset on X or in shared memory. */
export interface AssetAmount {
  assetId: string
  name: string
  symbol: string
  decimals: number
  balance: bigint
  type: 'native' | 'unknown'
}

/** Keyed by the OTHER chain's blockchain id. */
export type AtomicAssets = Record<string, AssetAmount[]>

export interface AvmBalances {
  /** AVAX over unlocked and locked, never atomic. */
  native: bigint
  unlocked: AssetAmount[]
  locked: AssetAmount[]
  atomicMemoryUnlocked: AtomicAssets
  atomicMemoryLocked: AtomicAssets
}

export interface CorethBalances {
  /** AVAX in shared memory towards C, unlocked and locked. */
  native: bigint
  atomicMemoryUnlocked: AtomicAssets
  atomicMemoryLocked: AtomicAssets
}

/** All in nAVAX, AVAX only. */
export interface PvmBalances {
  /** Sum of every class except shared memory. */
  native: bigint
  unlockedStaked: bigint
  unlockedUnstaked: bigint
  unlockedUnstakedMultiSig: bigint
  lockedStaked: bigint
  lockedPlatform: bigint
  lockedStakeable: bigint
  /** Left out where no node tells of validators. */
  restakedRewards?: bigint
  /** Keyed by the OTHER chain's blockchain id. */
  atomicMemoryUnlocked: Record<string, bigint>
  atomicMemoryLocked: Record<string, bigint>
}

export interface BalancesByNetworkType {
  evm: EvmBalances
  btc: BitcoinBalances
  svm: SolanaBalances
  avm: AvmBalances
  pvm: PvmBalances
  coreth: CorethBalances
}
