/** Bounds of all EVM reads. */
export interface EvmLimits {
  /** Owner × token pairs in one eth_call, until a smaller number was learned. */
  pairsPerCall: number
  /** Init code may be 49,152 bytes (EIP-3860), code included. */
  requestBytes: number
  /** Created code may be 24,576 bytes (EIP-170), and the answer counts as created code. */
  answerBytes: number
  /** Gas for one balanceOf in the common call. Proxies with interest maths need up to about 100,000. */
  tokenGas: number
  /** Gas for the single retry of a token that failed in the common call. */
  retryTokenGas: number
  /** Gas for one name(), symbol() or decimals(), and for its single retry. */
  metadataGas: number
  retryMetadataGas: number
  /** Calls in flight at once for one request. */
  concurrency: number
  /** A token without a readable balance is not asked again for this long, milliseconds. */
  unreadableMs: number
  /** The same when it fails for the first time: a server that is some blocks behind does not have a new token yet. */
  firstUnreadableMs: number
  /** Remembered owners with discovered tokens. */
  cacheEntries: number
  /** Remembered unreadable (token, owner) pairs. */
  unreadableEntries: number
  /** Tokens whose metadata is remembered; more than one read can ask for. */
  metadataEntries: number
  /** A remembered name is read again after this, milliseconds: proxies can change name and decimals. */
  metadataMs: number
  /** Most unlisted tokens of one owner that are read. */
  discoveredTokens: number
  /** Most unlisted tokens of all owners of one read. */
  discoveredPerRead: number
  /** Remembered discovered tokens, over all owners. */
  discoveredKept: number
  /** Unlisted tokens per read that are asked again with much gas. */
  patientTokens: number
  /** Tokens per read whose name, symbol or decimals are asked again with much gas. */
  patientNames: number
  /** For further such tokens, the common call's result is remembered for this long, milliseconds. */
  unnamedMs: number
  /** An owner's tokens are discovered again after this, milliseconds. */
  discoveryMs: number
  /** Remembered tokens with a multiplier (ERC-8056). */
  multiplierEntries: number
  /** For this long after a token had a multiplier, it does not count as a token without one, milliseconds. */
  multiplierMs: number
  /** An answer up to this many blocks older than a recent one is accepted. */
  lagBlocks: number
}

/** Servers this far apart in time count as equally good: on fast chains that is many blocks. */
export const EVM_LAG_MS = 10_000

export const evmLimits: EvmLimits = {
  pairsPerCall: 12_000,
  requestBytes: 49_000,
  answerBytes: 24_576,
  tokenGas: 150_000,
  retryTokenGas: 2_000_000,
  metadataGas: 300_000,
  retryMetadataGas: 20_000_000,
  concurrency: 4,
  unreadableMs: 600_000,
  firstUnreadableMs: 15_000,
  cacheEntries: 20_000,
  unreadableEntries: 60_000,
  metadataEntries: 60_000,
  metadataMs: 86_400_000,
  unnamedMs: 3_600_000,
  discoveredTokens: 10_000,
  discoveredPerRead: 50_000,
  discoveredKept: 600_000,
  patientTokens: 100,
  patientNames: 8,
  discoveryMs: 60_000,
  multiplierEntries: 10_000,
  multiplierMs: 3_600_000,
  lagBlocks: 3,
}
