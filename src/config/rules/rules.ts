import { isIP } from 'node:net'
import { BITCOIN_REFERENCES } from '../../facts/caip.ts'
import { SIDES } from '../../facts/primary-network.ts'
import { PUBLIC_NETWORKS } from '../../facts/public-networks.ts'
import { digestOfConfigured } from '../../lib/api-key-digest.ts'
import { idFromCb58 } from '../../lib/bytes/ids.ts'
import { hostNames } from '../../lib/http/host-names.ts'
import { maskUrlsIn } from '../../lib/mask.ts'
import type { Config } from '../schema.ts'
import { indexProblems } from './index-rules.ts'
import { sameServerProblems } from './same-servers.ts'
import { serverLists } from './server-lists.ts'

function appCheckProblems({ appCheck }: Config['balance']): string[] {
  const name = 'balance.appCheck'
  if (appCheck.mode === 'off') {
    // A configured token means that it is required: without a mode everybody would be let in.
    const {
      mode: _,
      tokens: [tokens],
      appIds: [appIds],
      ...others
    } = appCheck
    const given = Object.entries({ tokens, appIds, ...others }).find(([, value]) => value !== undefined)
    return given
      ? [`${name}.mode: given "off"; needed: static, jwt or firebase where ${name}.${given[0]} is given`]
      : []
  }
  if (appCheck.mode === 'static' && appCheck.tokens.length === 0) {
    return [`${name}.tokens: missing; needed: at least one token when ${name}.mode is static`]
  }
  if (appCheck.mode === 'jwt' && appCheck.secret === undefined && appCheck.jwks === undefined) {
    return [`${name}.secret: missing; needed: secret or jwks when ${name}.mode is jwt`]
  }
  if (appCheck.mode === 'jwt' && appCheck.secret !== undefined && appCheck.jwks !== undefined) {
    return [`${name}.jwks: given beside ${name}.secret; allowed: one of them when ${name}.mode is jwt`]
  }
  if (appCheck.mode === 'firebase' && appCheck.projectNumber === undefined && appCheck.projectId === undefined) {
    return [`${name}.projectNumber: missing; needed: projectNumber or projectId when ${name}.mode is firebase`]
  }
  return []
}

/** Electrum calls are sent as single lines, so these settings would have no effect. */
const electrumProblems = (key: string, upstream: object): string[] =>
  ['headers', 'batchItems']
    .filter((member) => member in upstream)
    .map((member) => `${key}.${member}: given; allowed: left out when kind is electrum, which has no such thing`)

function bitcoinUpstreamProblems(chains: Config['chains']): string[] {
  const problems: string[] = []
  const wrong = (key: string, allowed: string) => problems.push(`${key}.url: given another scheme; allowed: ${allowed}`)
  for (const [reference, { upstreams }] of Object.entries(chains.bitcoin)) {
    upstreams.forEach(({ kind, url }, rank) => {
      const key = `chains.bitcoin.${reference}.upstreams.${rank}`
      const socket = /^(tcp|tls):/.test(url)
      if (kind === 'electrum' && !socket) wrong(key, 'tcp:// or tls:// when kind is electrum')
      if (kind !== 'electrum' && socket) wrong(key, `https:// or http:// when kind is ${kind}`)
      if (kind === 'electrum') problems.push(...electrumProblems(key, upstreams[rank] ?? {}))
    })
  }
  return problems
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Firn writes the headers of the connection itself (RFC 9110, 7.6.1) and of the body. */
const OWN_HEADERS = /^(connection|keep-alive|transfer-encoding|upgrade|expect|content-length)$/i

/**
 * Such a header would make every request of every wallet fail. A name may be a secret here, if name and value were
 * swapped.
 */
const headerProblems = (chains: Config['chains']): string[] =>
  serverLists(chains).flatMap(([name, servers]) =>
    servers.flatMap(({ headers = {} }, rank) =>
      Object.entries(headers).every(
        ([header, value]) => HEADER_NAME.test(header) && !OWN_HEADERS.test(header) && HEADER_VALUE.test(value),
      )
        ? []
        : [
            `${name}.${rank}.headers: given one that cannot be sent; allowed: names without spaces, none of the connection's own, and values of one line`,
          ],
    ),
  )

const isId = (text: string): boolean => {
  try {
    idFromCb58(text)
    return true
  } catch {
    return false
  }
}

/** A mistyped ID would only show as errors of every account, or as assets that nobody has. */
function idProblems({ evm, avalanche }: Config['chains']): string[] {
  const given: [key: string, id: string | undefined][] = [
    ...Object.entries(evm).map(([id, chain]): [string, string | undefined] => [
      `evm.${id}.blockchainId`,
      chain.blockchainId,
    ]),
    ...Object.entries(avalanche).flatMap(([side, network]) =>
      (['xBlockchainId', 'cBlockchainId', 'avaxAssetId'] as const).map((key): [string, string | undefined] => [
        `avalanche.${side}.${key}`,
        network?.[key],
      ]),
    ),
  ]
  return given.flatMap(([key, id]) =>
    id === undefined || isId(id)
      ? []
      : [`chains.${key}: given ${JSON.stringify(id)}; allowed: an ID of 32 bytes in CB58, with its checksum`],
  )
}

/** EIP-2294. Balances are read with 8 bytes of the id, and the index stores as many: a larger id would only fail there. */
const LARGEST_CHAIN_ID = 9_223_372_036_854_775_771n

const chainIdProblems = ({ evm }: Config['chains']): string[] =>
  Object.keys(evm)
    .filter((id) => BigInt(id) > LARGEST_CHAIN_ID)
    .map((id) => `chains.evm: given ${id}; allowed: EVM chain ids up to ${LARGEST_CHAIN_ID} (EIP-2294)`)

/** Under /ext one of them would answer for the other with its own blocks and balances. */
function sameIdProblems({ evm }: Config['chains']): string[] {
  const chains = Object.entries(evm)
  return chains.flatMap(([id, { blockchainId }]) => {
    const [first = id] =
      chains.find((other) => blockchainId !== undefined && other[1].blockchainId === blockchainId) ?? []
    return first === id
      ? []
      : [`chains.evm.${id}.blockchainId: given that of chains.evm.${first}; allowed: each ID once`]
  })
}

/** Balances of a C-chain are requested by this number: one network's would be returned as the other's. */
function sameChainProblems({ avalanche: { mainnet, testnet } }: Config['chains']): string[] {
  const id = testnet?.evmChainId
  return id !== undefined && id === mainnet?.evmChainId
    ? [`chains.avalanche.testnet.evmChainId: given ${id}, that of mainnet; allowed: one of its own`]
    : []
}

/** Nodes of the public networks know addresses with this prefix only: all others would be refused as nobody's. */
const prefixProblems = ({ avalanche }: Config['chains']): string[] =>
  SIDES.flatMap((side) => {
    const { networkId, hrp } = avalanche[side] ?? {}
    const known = Object.values(PUBLIC_NETWORKS).find((network) => network.networkId === networkId)
    return known === undefined || hrp === undefined || hrp === known.hrp
      ? []
      : [
          `chains.avalanche.${side}.hrp: given "${hrp}"; allowed: ${known.hrp}, the prefix of network ${networkId}, or another networkId`,
        ]
  })

/** Testnet coins under the main chain's name would be shown with the price of bitcoin. */
function bitcoinProblems(bitcoin: Config['chains']['bitcoin']): string[] {
  return SIDES.flatMap((name) => {
    const reference = BITCOIN_REFERENCES[name]
    const network = bitcoin[reference]?.network ?? name
    return network === name || network === 'regtest'
      ? []
      : [`chains.bitcoin.${reference}.network: given "${network}"; allowed: ${name}, or regtest in its place`]
  })
}

/** No node starts with these values: rewards of long stakes would be less than those of short ones. */
const stakingProblems = ({ avalanche }: Config['chains']): string[] =>
  SIDES.flatMap((side) => {
    const { minConsumptionRate: min = 0, maxConsumptionRate: max = min } = avalanche[side]?.staking ?? {}
    const name = `chains.avalanche.${side}.staking`
    return min > max
      ? [`${name}.minConsumptionRate: given ${min}; allowed: at most ${name}.maxConsumptionRate, ${max}`]
      : []
  })

/** A network without upstreams, or an identity that no node has: the first node would silently take its place. */
function nodeProblems({ node, chains: { avalanche } }: Config): string[] {
  const { network = avalanche.mainnet ? 'mainnet' : 'testnet', identity } = node
  const served = avalanche[network]
  if (served === undefined)
    return node.network === undefined
      ? []
      : [`node.network: given "${network}"; needed: chains.avalanche.${network}, which is not configured`]
  const hosts = hostNames(served.upstreams.map(({ url }) => url).filter((url) => URL.canParse(url)))
  return identity === undefined || hosts.includes(identity)
    ? []
    : [`node.identity: given "${maskUrlsIn(identity)}"; allowed: one of ${hosts.join(', ')}`]
}

/** Paths such as /ext/bc/P are appended to the URL, so it must not already contain one. */
function nodeUrlProblems({ avalanche }: Config['chains']): string[] {
  return Object.entries(avalanche).flatMap(([side, network]) =>
    (network?.upstreams ?? []).flatMap(({ url }, rank) =>
      /\/ext(\/|$)/.test(url.replace(/[?#].*/s, ''))
        ? [`chains.avalanche.${side}.upstreams.${rank}.url: given a path below /ext; allowed: what stands before it`]
        : [],
    ),
  )
}

/** A provider without its file, or a file next to a provider whose prices would be shown instead. */
function priceProblems({ prices: { provider, file } }: Config['market']): string[] {
  if (provider === 'file' && file === undefined)
    return ['market.prices.file: missing; needed: a file when market.prices.provider is file']
  return provider === 'coingecko' && file !== undefined
    ? [`market.prices.provider: given "${provider}"; needed: file where market.prices.file is given, or none`]
    : []
}

/** Headers must not have more time than the whole request, and prices must not expire before they are refreshed. */
function orderProblems({ http, market: { prices } }: Config): string[] {
  const problems: string[] = []
  if (http.headersTimeoutMs > http.requestTimeoutMs)
    problems.push(
      `http.headersTimeoutMs: given ${http.headersTimeoutMs}; allowed: at most http.requestTimeoutMs, ${http.requestTimeoutMs}`,
    )
  if (prices.maxStaleMs < prices.cacheMs)
    problems.push(
      `market.prices.maxStaleMs: given ${prices.maxStaleMs}; allowed: at least market.prices.cacheMs, ${prices.cacheMs}`,
    )
  return problems
}

/** Probes need no key, so a default plan is always needed; without it they would get 500. */
const planProblems = ({ plans }: Config['data']): string[] =>
  Object.hasOwn(plans, 'default')
    ? []
    : ['data.plans.default: missing; needed: a plan for requests without a key, also where data.keyRequired is true']

/** A cluster has one database. */
const OTHER_DATABASE = /^[^?#]*:\/\/[^/?#]*\/0*[1-9]/

/** Several nodes, or a database, must not be ignored silently. */
function redisProblems({ url, cluster, nodes }: Config['redis']): string[] {
  const unreadable = nodes.flatMap((node, rank) =>
    URL.canParse(`redis://${node}`)
      ? []
      : [`redis.nodes.${rank}: given "${node}"; allowed: host:port, a port up to 65535`],
  )
  if (cluster && url !== undefined && OTHER_DATABASE.test(url))
    return [...unreadable, 'redis.url: given with a database; allowed: none, or 0, when redis.cluster is true']
  if (nodes.length === 0) return []
  if (url === undefined) return ['redis.url: missing; needed: the URL of a node when redis.nodes is given']
  return cluster ? unreadable : ['redis.nodes: given; allowed: when redis.cluster is true']
}

/** A missing plan, or two for one key, of which only one would count. */
function apiKeyProblems({ apiKeys, plans }: Config['data']): string[] {
  const digests = apiKeys.map(({ key }) => digestOfConfigured(key))
  return apiKeys.flatMap(({ plan }, rank) => {
    const name = `data.apiKeys.${rank}`
    const first = digests.indexOf(digests[rank] as string)
    return [
      ...(Object.hasOwn(plans, plan)
        ? []
        : [`${name}.plan: given "${plan}"; allowed: one of ${Object.keys(plans).join(', ')}`]),
      ...(first === rank ? [] : [`${name}.key: given that of data.apiKeys.${first}; allowed: each key once`]),
    ]
  })
}

/** An invalid address would silently have no effect. */
const addressProblems = ({ nftMetadata: { allowedAddresses } }: Config['data']): string[] =>
  allowedAddresses.flatMap((place, rank) => {
    const [, host = ''] = /^\[?(.*?)\]?:\d+$/.exec(place) ?? []
    return isIP(host) !== 0 && URL.canParse(`http://${place}`)
      ? []
      : [`data.nftMetadata.allowedAddresses.${rank}: given "${place}"; allowed: an IP address with a port up to 65535`]
  })

/** Rules across several settings. One line per problem. */
export function ruleProblems(config: Config): string[] {
  return [
    ...appCheckProblems(config.balance),
    ...orderProblems(config),
    ...priceProblems(config.market),
    ...(config.otel.enabled && config.otel.endpoint === undefined
      ? ['otel.endpoint: missing; needed: an endpoint when otel.enabled is true']
      : []),
    ...redisProblems(config.redis),
    ...planProblems(config.data),
    ...apiKeyProblems(config.data),
    ...addressProblems(config.data),
    ...bitcoinUpstreamProblems(config.chains),
    ...headerProblems(config.chains),
    ...chainIdProblems(config.chains),
    ...idProblems(config.chains),
    ...sameIdProblems(config.chains),
    ...sameChainProblems(config.chains),
    ...prefixProblems(config.chains),
    ...bitcoinProblems(config.chains.bitcoin),
    ...indexProblems(config),
    ...stakingProblems(config.chains),
    ...nodeUrlProblems(config.chains),
    ...sameServerProblems(config.chains),
    ...nodeProblems(config),
  ]
}
