import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'

/** Closed object: an unknown key is a spelling mistake and stops the start. */
const section = <T extends TProperties>(properties: T, options: { description?: string } = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, ...options })

const ms = (fallback: number, description: string) =>
  Type.Integer({ minimum: 0, default: fallback, description: `${description} Milliseconds.` })
const count = (fallback: number, description: string, minimum = 1) =>
  Type.Integer({ minimum, default: fallback, description })

const UpstreamSchema = section({
  url: Type.String({ minLength: 1, description: 'Base URL. May carry a key: it is never logged, only its host.' }),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  requestsPerSecond: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  maxConcurrent: Type.Optional(Type.Integer({ minimum: 1 })),
  batchItems: Type.Optional(Type.Integer({ minimum: 1 })),
  priority: Type.Optional(Type.Integer()),
})

const EvmChainSchema = section({
  name: Type.String({ minLength: 1 }),
  testnet: Type.Boolean({ default: false }),
  upstreams: Type.Array(UpstreamSchema, { minItems: 1 }),
  native: section({
    name: Type.String({ minLength: 1 }),
    symbol: Type.String({ minLength: 1 }),
    decimals: Type.Integer({ minimum: 0, maximum: 255, default: 18 }),
    internalId: Type.Optional(Type.String({ minLength: 1 })),
    priceId: Type.Optional(Type.String()),
    logoUri: Type.Optional(Type.String({ pattern: '^https://' })),
  }),
  blockTimeMs: Type.Integer({
    minimum: 1,
    description: 'Usual time between blocks; results are cached about as long.',
  }),
  explorer: Type.Optional(Type.String()),
  multicall: Type.Optional(
    Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'Multicall3; left out = deployless call.' }),
  ),
  /** Asset platform at the price provider, for token prices by contract. */
  pricePlatform: Type.Optional(Type.String()),
  tokenLists: Type.Array(Type.String(), { default: [], description: 'URLs or files in tokenlists.org format.' }),
  /** Blockchain ID (CB58) when the chain is an Avalanche L1 or the C-chain; used by /ext/bc/<id> and /v1. */
  blockchainId: Type.Optional(Type.String()),
})

const BitcoinChainSchema = section({
  name: Type.String({ minLength: 1 }),
  network: Type.Union([Type.Literal('mainnet'), Type.Literal('testnet'), Type.Literal('regtest')]),
  upstreams: Type.Array(
    Type.Composite(
      [
        UpstreamSchema,
        section({ kind: Type.Union([Type.Literal('esplora'), Type.Literal('blockbook'), Type.Literal('electrum')]) }),
      ],
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
})

const SolanaChainSchema = section({
  name: Type.String({ minLength: 1 }),
  upstreams: Type.Array(UpstreamSchema, { minItems: 1 }),
  tokenLists: Type.Array(Type.String(), { default: [] }),
})

const AvalancheNetworkSchema = section({
  name: Type.String({ minLength: 1 }),
  /** Nodes: the origin only, paths are added (`/ext/bc/P` …). */
  upstreams: Type.Array(UpstreamSchema, { minItems: 1 }),
  networkId: Type.Optional(Type.Integer({ minimum: 1, description: 'Left out = asked of the node.' })),
  hrp: Type.Optional(Type.String({ minLength: 1, description: 'Left out = by network ID.' })),
  /** Left out = asked of the node through info.* at start and re-tried until known. */
  xBlockchainId: Type.Optional(Type.String()),
  cBlockchainId: Type.Optional(Type.String()),
  avaxAssetId: Type.Optional(Type.String()),
  evmChainId: Type.Optional(Type.Integer({ minimum: 1 })),
  genesisFile: Type.Optional(Type.String({ description: "Genesis in the node's own format: path or URL." })),
})

/** The whole configuration. `firn.config.json`, environment and flags all end in this shape. */
export const ConfigSchema = section({
  http: section({
    host: Type.String({ default: '127.0.0.1', description: 'Address to listen on.' }),
    port: Type.Integer({ minimum: 0, maximum: 65535, default: 8650, description: '0 picks a free port.' }),
    bodyLimitBytes: count(16_777_216, 'Largest accepted request body of /v1, bytes.'),
    corsOrigins: Type.Array(Type.String(), { default: ['*'], description: 'Origins that browsers may call from.' }),
    keepAliveTimeoutMs: ms(72_000, 'Idle keep-alive connections are closed after this.'),
    headersTimeoutMs: ms(15_000, 'Time for a client to send its headers.'),
    requestTimeoutMs: ms(60_000, 'Time for a client to send its whole request.'),
    maxConnections: count(10_000, 'Connections beyond this are refused.'),
    shutdownGraceMs: ms(10_000, 'Time for open answers to finish on SIGTERM before they are cut.'),
    trustProxy: Type.Boolean({ default: false, description: 'Believe X-Forwarded-For of a reverse proxy.' }),
  }),
  log: section({
    level: Type.Union(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
      { default: 'info', description: 'Lowest level written.' },
    ),
  }),
  dataDir: Type.String({ default: '.firn', description: 'Folder for everything that is kept across restarts.' }),
  balance: section({
    chainDeadlineMs: ms(8_000, 'A chain that has not answered by then becomes a handled error.'),
    maxStaleMs: ms(60_000, 'When a chain fails, its last good answer may be served while it is younger than this.'),
    keepAliveMs: ms(15_000, 'Silence on a stream before a comment line is sent.'),
    stalledReaderMs: ms(30_000, 'A reader that takes nothing for this long is cut.'),
    maxStreams: count(2_000, 'Open balance streams; one more is answered 503 with retry-after.'),
    cacheEntries: count(20_000, 'Account results kept in memory.'),
    xpubGap: Type.Integer({
      minimum: 20,
      maximum: 100,
      default: 50,
      description: 'Unused addresses in a row that end the scan of an extended public key.',
    }),
    appCheck: section({
      mode: Type.Union([Type.Literal('off'), Type.Literal('static'), Type.Literal('jwt'), Type.Literal('firebase')], {
        default: 'off',
        description: 'How the x-firebase-appcheck credential is checked.',
      }),
      tokens: Type.Array(Type.String({ minLength: 1 }), { default: [], description: 'static: accepted tokens.' }),
      secret: Type.Optional(Type.String({ minLength: 32, description: 'jwt: HS256 secret.' })),
      jwks: Type.Optional(Type.String({ description: 'jwt, firebase: JWKS as URL or file.' })),
      issuer: Type.Optional(Type.String({ description: 'jwt: expected iss.' })),
      audience: Type.Optional(Type.String({ description: 'jwt: expected aud.' })),
      projectNumber: Type.Optional(Type.String({ pattern: '^[0-9]+$', description: 'firebase: project number.' })),
      projectId: Type.Optional(Type.String({ description: 'firebase: project id.' })),
      appIds: Type.Array(Type.String(), { default: [], description: 'firebase: accepted sub values; empty = all.' }),
    }),
  }),
  market: section({
    prices: section({
      provider: Type.Union([Type.Literal('coingecko'), Type.Literal('file'), Type.Literal('none')], {
        default: 'coingecko',
        description: 'Where prices come from.',
      }),
      url: Type.String({ default: 'https://api.coingecko.com/api/v3', description: 'Price provider base URL.' }),
      apiKey: Type.Optional(Type.String({ description: 'Price provider key (demo or pro).' })),
      file: Type.Optional(Type.String({ description: 'file: JSON with prices and rates.' })),
      cacheMs: ms(60_000, 'Prices are refreshed after this.'),
      maxStaleMs: ms(600_000, 'Prices older than this are left out.'),
      timeoutMs: ms(2_500, 'Longest wait for prices before a balance goes out without them.'),
    }),
    tokenListDir: Type.Optional(Type.String({ description: 'Folder of token lists for air-gapped use.' })),
    tokenListRefreshMs: ms(21_600_000, 'Token lists are fetched again after this.'),
    defaultTokenLists: Type.Array(Type.String(), { default: [], description: 'Lists that cover many chains.' }),
  }),
  upstream: section(
    {
      connectTimeoutMs: ms(3_000, 'Time to connect.'),
      headersTimeoutMs: ms(6_000, 'Time until the answer begins.'),
      bodyTimeoutMs: ms(6_000, 'Longest pause inside an answer.'),
      maxResponseBytes: count(33_554_432, 'Larger answers are cut and count as failures, bytes.'),
      maxConcurrent: count(64, 'Requests in flight per upstream.'),
      requestsPerSecond: Type.Number({ exclusiveMinimum: 0, default: 50, description: 'Requests per upstream.' }),
      batchItems: count(100, 'JSON-RPC entries per batch.'),
      batchBytes: count(262_144, 'Bytes per JSON-RPC batch.'),
      maxAttempts: count(4, 'Attempts for one read over all upstreams.'),
      hedgeMinMs: ms(150, 'Earliest hedge of a slow read; 0 switches hedging off.'),
      breakerFailures: count(5, 'Consecutive failures that open the breaker.'),
      breakerOpenMs: ms(10_000, 'Time before a probe is let through an open breaker.'),
      maxLagBlocks: count(3, 'Blocks an upstream may lag behind the best head.', 0),
    },
    { description: 'Limits of every upstream; one upstream may override some.' },
  ),
  chains: section({
    /** Keyed by EVM chain id, decimal. */
    evm: Type.Record(Type.String({ pattern: '^[0-9]+$' }), EvmChainSchema),
    /** Keyed by CAIP-2 reference. */
    bitcoin: Type.Record(Type.String(), BitcoinChainSchema),
    solana: Type.Record(Type.String(), SolanaChainSchema),
    /** `mainnet` and `testnet` are the wire's two networks; either may be any network with its own IDs and HRP. */
    avalanche: section({
      mainnet: Type.Optional(AvalancheNetworkSchema),
      testnet: Type.Optional(AvalancheNetworkSchema),
    }),
  }),
})

export type Config = Static<typeof ConfigSchema>
export type EvmChainConfig = Static<typeof EvmChainSchema>
export type BitcoinChainConfig = Static<typeof BitcoinChainSchema>
export type SolanaChainConfig = Static<typeof SolanaChainSchema>
export type AvalancheNetworkConfig = Static<typeof AvalancheNetworkSchema>
