import { BadAnswerError, CancelledError, messageOf, UpstreamRateLimitedError } from '../../errors.ts'
import { type ChainLetter, PRIMARY_NETWORK_ID } from '../../facts/primary-network.ts'
import { PUBLIC_NETWORKS } from '../../facts/public-networks.ts'
import { hrpOfNetwork } from '../../lib/bytes/bech32-address.ts'
import { idFromCb58 } from '../../lib/bytes/ids.ts'
import { type JsonRecord, recordOf } from '../../lib/json/json-record.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { pause } from '../../lib/waiting/pause.ts'
import { lacksMethod } from '../../upstream/json-rpc/lacking-method.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import type { NativeToken } from '../capabilities.ts'
import { type AssetDirectory, createAssetDirectory, type IndexedAssets } from './assets.ts'
import { listOf, textOf, uintOf } from './node/answers.ts'
import { ask, askFor } from './node/ask.ts'
import { lacksDates } from './node/upgrade-dates.ts'

/** Facts that distinguish Avalanche networks. Ids are CB58. */
export interface NetworkFacts {
  networkId: number
  hrp: string
  /** P is the same on every network. */
  blockchainIds: Readonly<Record<ChainLetter, string>>
  avaxAssetId: string
  /** `avaxAssetId` as hex without 0x. */
  avaxAssetHex: string
}

/** Facts given by the configuration; the others are asked of the node. */
export interface NetworkOverrides {
  networkId?: number
  hrp?: string
  xBlockchainId?: string
  cBlockchainId?: string
  avaxAssetId?: string
}

export interface AvalancheNetwork {
  readonly pool: UpstreamPool
  readonly assets: AssetDirectory
  /** The coin of all three chains, in nAVAX. */
  readonly native: NativeToken
  /** The facts, if already known. */
  known(): NetworkFacts | undefined
  /**
   * The facts, asked of the node until known, then kept for good. Facts that were found are kept even if another
   * question fails. Concurrent callers share one attempt.
   * @throws the failure of this attempt; the next call tries again.
   */
  facts(call?: CallOptions): Promise<NetworkFacts>
  /**
   * Unix seconds from which validators may renew themselves (Helicon, ACP-236); undefined when the node does not know
   * the upgrade, 0 when nobody tells.
   */
  autoRenewalFrom(call?: CallOptions): Promise<number | undefined>
  /** Tries until the facts are known, waiting 1 to 30 s between attempts. Resolves without them when aborted. */
  discover(signal: AbortSignal): Promise<void>
}

export interface NetworkDeps {
  pool: UpstreamPool
  overrides?: NetworkOverrides
  /** Left out: AVAX. */
  native?: NativeToken
  /** What our own index knows of assets. */
  indexedAssets?: IndexedAssets | undefined
}

/** 1 AVAX = 1,000,000,000 nAVAX. */
const AVAX: NativeToken = {
  name: 'Avalanche',
  symbol: 'AVAX',
  decimals: 9,
  // Wallets look up the AVAX price of all chains by this id.
  internalId: 'NATIVE-avax',
  priceId: 'avalanche-2',
  logoUri:
    'https://images.ctfassets.net/gcj8jwzm6086/5VHupNKwnDYJvqMENeV7iJ/3e4b8ff10b69bfa31e70080a4b142cd0/avalanche-avax-logo.svg',
}

const PUBLIC_AVAX: readonly string[] = Object.values(PUBLIC_NETWORKS).map((network) => network.avaxAssetId)

/** Longest wait for the nodes to confirm a configured AVAX, and wait before asking again if none did. Milliseconds. */
const CHECK_MS = 2_500
const UNTOLD_MS = 10_000

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000
/** A new version of the node may set an upgrade's date: asked again after this. */
const RENEWAL_MS = 3_600_000
/** The same where no date was told: the node that knows it may only have been away. */
const UNDATED_RENEWAL_MS = 60_000

/** A network described by its own nodes, so that a private one can stand in for mainnet or testnet. */
export function createAvalancheNetwork({
  pool,
  overrides = {},
  native = AVAX,
  indexedAssets,
}: NetworkDeps): AvalancheNetwork {
  const networkId = remembered(overrides.networkId, (call) => askNetworkId(pool, call))
  const xId = remembered(overrides.xBlockchainId, (call) => askBlockchainId(pool, 'X', call))
  const cId = remembered(overrides.cBlockchainId, (call) => askBlockchainId(pool, 'C', call))
  const avax = remembered(overrides.avaxAssetId, (call) => askAvaxAssetId(pool, call))
  const expectOwnAvax = avaxCheck(pool, overrides.avaxAssetId)
  const renewal = remembered<Renewal>(
    undefined,
    (call) => askAutoRenewal(pool, call),
    ({ isDated }) => (isDated ? RENEWAL_MS : UNDATED_RENEWAL_MS),
  )
  let facts: NetworkFacts | undefined

  const network: AvalancheNetwork = {
    pool,
    assets: createAssetDirectory({ pool, indexed: indexedAssets }),
    native,
    known: () => facts,
    async facts(call = {}) {
      await expectOwnAvax(call)
      if (facts) return facts
      const [id, X, C, avaxAssetId] = await Promise.all([networkId(call), xId(call), cId(call), avax(call)])
      facts ??= {
        networkId: id,
        hrp: overrides.hrp ?? hrpOfNetwork(id),
        blockchainIds: { P: PRIMARY_NETWORK_ID, X, C },
        avaxAssetId,
        avaxAssetHex: idFromCb58(avaxAssetId),
      }
      return facts
    },
    autoRenewalFrom: async (call = {}) => (await renewal(call)).from,
    async discover(signal) {
      for (let wait = FIRST_RETRY_MS; !signal.aborted; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
        try {
          await network.facts({ signal })
          return
        } catch {
          await pause(wait, signal)
        }
      }
    },
  }
  return network
}

/**
 * A value asked for once and kept (for as long as `keepMs` says, if given); failed attempts are forgotten. The pool
 * shares simultaneous questions, so each caller waits for its own deadline and gets the actual error.
 */
function remembered<T>(
  given: T | undefined,
  load: (call: CallOptions) => Promise<T>,
  keepMs: (value: T) => number = () => Number.POSITIVE_INFINITY,
): (call: CallOptions) => Promise<T> {
  let value = given
  let askedAt = steadyNow()
  return async (call) => {
    if (value !== undefined && steadyNow() - askedAt < keepMs(value)) return value
    const loaded = await load(call)
    value = loaded
    askedAt = steadyNow()
    return loaded
  }
}

async function askNetworkId(pool: UpstreamPool, call: CallOptions): Promise<number> {
  return askFor(pool, '/ext/info', 'info.getNetworkID', {}, call, (answer) =>
    Number(uintOf(recordOf(answer, 'getNetworkID')['networkID'], 'getNetworkID')),
  )
}

/** Reads a CB58 id from an answer. An invalid one must not be kept, or the chain would be lost until a restart. */
const idIn =
  (key: string) =>
  (answer: unknown): string => {
    const id = textOf(recordOf(answer, key)[key], key)
    try {
      idFromCb58(id)
    } catch (error) {
      throw new BadAnswerError(`${key} is no id: ${messageOf(error)}`)
    }
    return id
  }

async function askBlockchainId(pool: UpstreamPool, alias: 'X' | 'C', call: CallOptions): Promise<string> {
  const read = idIn('blockchainID')
  return askFor(pool, '/ext/info', 'info.getBlockchainID', { alias }, call, read).catch((error: unknown) =>
    fallBack(error, () => findBlockchain(pool, alias, call)),
  )
}

/** Public gateways may hide info.*; the P-chain knows the primary network's chains by name. */
async function findBlockchain(pool: UpstreamPool, alias: 'X' | 'C', call: CallOptions): Promise<string> {
  const method = 'platform.getBlockchains'
  const read = idIn('id')
  return askFor(pool, '/ext/bc/P', method, {}, call, (answer) => {
    const chains = listOf(recordOf(answer, method)['blockchains'], method).map((entry) => recordOf(entry, method))
    const isIt = ({ subnetID, name }: JsonRecord): boolean =>
      subnetID === PRIMARY_NETWORK_ID && name === `${alias}-Chain`
    return read(chains.find(isIt) ?? {})
  })
}

async function askAvaxAssetId(pool: UpstreamPool, call: CallOptions): Promise<string> {
  const read = idIn('assetID')
  return askFor(pool, '/ext/bc/X', 'avm.getAssetDescription', { assetID: 'AVAX' }, call, read).catch((error: unknown) =>
    fallBack(error, () => askFor(pool, '/ext/bc/P', 'platform.getStakingAssetID', {}, call, read)),
  )
}

/**
 * Throws if the configured AVAX is not the nodes' own: every stake and every balance would be 0, without any error.
 * If gateways hide the methods that could tell, the configured one is accepted for now and checked again later.
 */
function avaxCheck(pool: UpstreamPool, given: string | undefined): (call: CallOptions) => Promise<void> {
  let isSettled = given === undefined || PUBLIC_AVAX.includes(given)
  let askedAt = Number.NEGATIVE_INFINITY
  return async (call) => {
    if (isSettled || steadyNow() - askedAt < UNTOLD_MS) return
    const deadline = Math.min(call.deadline ?? Number.POSITIVE_INFINITY, Date.now() + CHECK_MS)
    const told = await askAvaxAssetId(pool, { ...call, deadline }).catch((error: unknown) => {
      if (call.signal?.aborted) throw error
      askedAt = steadyNow()
      return undefined
    })
    if (told === undefined) return
    if (told !== given) throw new BadAnswerError(`avaxAssetId is configured as ${given}, and ${told} on the nodes`)
    isSettled = true
  }
}

/** Older nodes have no date for it: if the nodes differ, the one with a date is believed. */
const lacksRenewal = (said: unknown): boolean => lacksDates(said, ['heliconTime'])

/** See `autoRenewalFrom`; whether a node told a date, or none has the method. */
interface Renewal {
  from: number | undefined
  isDated: boolean
}

async function askAutoRenewal(pool: UpstreamPool, call: CallOptions): Promise<Renewal> {
  let isHidden = false
  const doubts = (said: unknown): boolean => {
    isHidden ||= lacksMethod(said)
    return lacksRenewal(said)
  }
  try {
    // Fresh: who joins another's call does not hear which nodes hide it.
    const answer = recordOf(
      await ask(pool, '/ext/info', 'info.upgrades', {}, { ...call, fresh: true, doubts }),
      'upgrades',
    )
    // Who hides it may be newer than who knows no date, and rewards must not be left out.
    if (isHidden && lacksRenewal(answer)) return { from: 0, isDated: false }
    const time = Date.parse(typeof answer['heliconTime'] === 'string' ? answer['heliconTime'] : '')
    return { from: Number.isNaN(time) ? undefined : Math.floor(time / 1000), isDated: !lacksRenewal(answer) }
  } catch (error) {
    // Too old a node, or a gateway that hides the method from everybody: only the validators themselves show which.
    if (lacksMethod(error)) return { from: 0, isDated: true }
    throw error
  }
}

/** Tries the second way, unless nobody waits any more or the servers ask for fewer requests. */
function fallBack<T>(error: unknown, other: () => Promise<T>): Promise<T> {
  if (error instanceof CancelledError || error instanceof UpstreamRateLimitedError) throw error
  return other()
}
