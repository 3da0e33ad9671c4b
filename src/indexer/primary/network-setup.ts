import type { AvalancheNetwork } from '../../chains/avalanche/index.ts'
import { textOf, uintOf } from '../../chains/avalanche/node/answers.ts'
import { ask, parsedOnce } from '../../chains/avalanche/node/ask.ts'
import { lacksDates, UNDATED_FROM } from '../../chains/avalanche/node/upgrade-dates.ts'
import { BadAnswerError, JsonRpcError, UpstreamUnavailableError } from '../../errors.ts'
import { EMPTY_ID, idFromCb58 } from '../../lib/bytes/ids.ts'
import { type JsonRecord, recordOf } from '../../lib/json/json-record.ts'
import { lacksMethod } from '../../upstream/json-rpc/lacking-method.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import type { XGenesisFacts } from './genesis/genesis-source.ts'
import type { NetworkIds } from './network-ids.ts'
import { isPublicNetwork, knownValidatorFee, type PRules, type StakingRules, type UpgradeTimes } from './p/rules.ts'
import type { ValidatorFeeRules } from './p/validator-fee.ts'

/** What all streams of a network need before the first block. */
export interface NetworkSetup {
  ids: NetworkIds
  rules: PRules
  /** Undefined if the node does not report it. */
  cortina: Cortina | undefined
}

/** When X became a chain of blocks, and its last vertex before that; the empty id = there was none. */
export interface Cortina {
  time: bigint
  stopVertexId: string
}

/** Reads a network's setup from its nodes, except `staking`, which they do not report. */
export async function readNetworkSetup(
  network: AvalancheNetwork,
  staking: StakingRules,
  signal: AbortSignal,
): Promise<NetworkSetup> {
  const call: CallOptions = { signal }
  const [facts, upgrades] = await Promise.all([network.facts(call), readUpgrades(network.pool, call)])
  const ids = {
    networkId: facts.networkId,
    xChainId: idFromCb58(facts.blockchainIds.X),
    cChainId: idFromCb58(facts.blockchainIds.C),
    avaxAssetId: facts.avaxAssetHex,
  }
  const rules: PRules = {
    avaxAssetId: ids.avaxAssetId,
    ...staking,
    validatorFee: await readValidatorFee(network.pool, facts.networkId, call),
    upgrades: upgradeTimes(upgrades),
  }
  return { ids, rules, cortina: cortinaOf(upgrades) }
}

/** When the network's rules change, according to its nodes now. */
export const readUpgradeTimes = async (pool: UpstreamPool, signal: AbortSignal): Promise<UpgradeTimes> =>
  upgradeTimes(await readUpgrades(pool, { signal }))

/** If nodes run two versions, the older one may be asked last: a known date stays if another node has none. */
export function withTold(known: UpgradeTimes, told: UpgradeTimes): UpgradeTimes {
  const newest = (name: keyof UpgradeTimes): bigint => (told[name] === NEVER ? known[name] : told[name])
  return {
    cortina: newest('cortina'),
    durango: newest('durango'),
    etna: newest('etna'),
    helicon: newest('helicon'),
  }
}

/** The node's network must match the genesis file. @throws BadAnswerError when it does not */
export function expectGenesis({ ids }: NetworkSetup, genesis: XGenesisFacts): void {
  const same =
    genesis.xChainId === ids.xChainId && genesis.cChainId === ids.cChainId && genesis.avaxAssetId === ids.avaxAssetId
  if (!same) throw new BadAnswerError('the genesis file belongs to another network than the node')
}

async function readUpgrades(pool: UpstreamPool, call: CallOptions): Promise<JsonRecord> {
  try {
    return recordOf(await ask(pool, '/ext/info', 'info.upgrades', {}, { ...call, doubts: lacksAny }), 'upgrades')
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error
    // Only nodes from before Etna do not report them, and they cannot follow any network today.
    throw new BadAnswerError('the node does not name its upgrades (info.upgrades): a newer one is needed', error)
  }
}

/** Nodes' names of the upgrades. */
const TIMES = { cortina: 'cortinaTime', durango: 'durangoTime', etna: 'etnaTime', helicon: 'heliconTime' } as const

/** Blocks may come from a newer version than the node that is asked first. */
const lacksAny = (said: unknown): boolean => lacksDates(said, Object.values(TIMES))

const upgradeTimes = (upgrades: JsonRecord): UpgradeTimes => ({
  cortina: timeOf(upgrades, TIMES.cortina),
  durango: timeOf(upgrades, TIMES.durango),
  etna: timeOf(upgrades, TIMES.etna),
  helicon: timeOf(upgrades, TIMES.helicon),
})

const NEVER = 2n ** 62n

/** An upgrade that the node does not know, or has no date for, has not happened. */
function timeOf(upgrades: JsonRecord, name: string): bigint {
  const text = upgrades[name]
  if (text === undefined) return NEVER
  const ms = Date.parse(textOf(text, name))
  if (Number.isNaN(ms)) throw new BadAnswerError(`upgrades: ${name} is no time`)
  return ms >= UNDATED_FROM ? NEVER : BigInt(Math.floor(ms / 1000))
}

function cortinaOf(upgrades: JsonRecord): Cortina | undefined {
  if (upgrades['cortinaTime'] === undefined) return undefined
  const vertex = upgrades['cortinaXChainStopVertexID']
  const stopVertexId = vertex === undefined ? EMPTY_ID : idFromCb58(textOf(vertex, 'cortinaXChainStopVertexID'))
  return { time: timeOf(upgrades, 'cortinaTime'), stopVertexId }
}

const FEE_METHOD = 'platform.getValidatorFeeConfig'

/**
 * What L1 validators pay. The operators of a network of one's own choose it, and a node that hides the method says
 * nothing of what they chose: the presets are used if no node has the method, not while one that may have it is away.
 * On the public networks there is no choice.
 * @throws UpstreamUnavailableError if some lack the method, and others did not answer
 */
async function readValidatorFee(pool: UpstreamPool, networkId: number, call: CallOptions): Promise<ValidatorFeeRules> {
  const lacking = new Set<string>()
  const { check, parsed } = parsedOnce(feeIn)
  const doubts = (said: unknown, host: string): boolean => {
    if (lacksMethod(said)) lacking.add(host)
    return said instanceof JsonRpcError
  }
  try {
    // Fresh: who joins another's call does not hear which nodes lack the method.
    return parsed(await ask(pool, '/ext/bc/P', FEE_METHOD, {}, { ...call, fresh: true, check, doubts }))
  } catch (error) {
    if (!lacksMethod(error)) throw error
    const own = pool.status().filter(({ foreign }) => !foreign)
    const silent = own.length === 1 ? [] : own.filter(({ host }) => !lacking.has(host))
    if (isPublicNetwork(networkId) || silent.length === 0) return knownValidatorFee(networkId)
    const names = silent.map(({ host }) => host).join(', ')
    throw new UpstreamUnavailableError(`${FEE_METHOD}: ${names} may have it and did not answer; others lack it`, error)
  }
}

/** @throws BadAnswerError */
function feeIn(said: unknown): ValidatorFeeRules {
  const answer = recordOf(said, FEE_METHOD)
  return {
    target: uintOf(answer['target'], FEE_METHOD),
    minPrice: uintOf(answer['minPrice'], FEE_METHOD),
    excessConversion: uintOf(answer['excessConversionConstant'], FEE_METHOD),
  }
}
