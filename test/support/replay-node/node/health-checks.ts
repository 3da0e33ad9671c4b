import type { NodeContext } from '../node-context.ts'
import type { RecordedChain } from '../recorded/recorded-chain.ts'
import type { PrimaryAlias } from '../recorded/recorded-network.ts'
import type { Answer } from '../wire/answer.ts'
import type { GorillaMethod } from '../wire/gorilla-rpc.ts'

const PRIMARY_NETWORK = '11111111111111111111111111111111LpoYY'

/** What the node reports when it is not well; undefined = healthy. */
export type Illness = () => string | undefined

export interface HealthDeps {
  context: NodeContext
  chains: Record<PrimaryAlias, RecordedChain>
  illness: Illness
}

interface Check {
  name: string
  /** Chain checks answer only to their subnet's tag, the others to every tag. */
  tag: string | undefined
  message?: unknown
  error?: string
}

interface Upgrades {
  graniteTime: string
}

interface ValidatorsFile {
  primary: { validators: { nodeID: string; weight: string; connected?: boolean }[] }
}

function networking({ recordings }: NodeContext): object {
  const { validators } = recordings.json<ValidatorsFile>('network/platform-state.json').primary
  const away = validators.filter((validator) => validator.connected === false)
  const sum = (list: typeof validators): number => list.reduce((total, one) => total + Number(one.weight), 0)
  const percentConnected = 1 - sum(away) / sum(validators)
  return { disconnectedValidators: away.map((validator) => validator.nodeID).sort(), percentConnected }
}

function chainCheck({ context, chains, illness }: HealthDeps, name: PrimaryAlias): Check {
  const height = context.tips.height(name)
  const consensus = {
    avgAcceptanceTime: '500ms',
    lastAcceptedHeight: height,
    lastAcceptedID: height === 0 ? '' : (chains[name].container(height - 1)?.id ?? ''),
    longestProcessingBlock: '0s',
    processingBlocks: 0,
  }
  const message = {
    engine: { consensus, vm: null },
    networking: networking(context),
  }
  const error = illness()
  return { name, tag: PRIMARY_NETWORK, message, ...(error === undefined ? {} : { error }) }
}

function allChecks(deps: HealthDeps): Check[] {
  const { graniteTime } = deps.context.network.upgrades as Upgrades
  const upgrade = {
    localUpgradeTime: graniteTime,
    modeUpgradeTime: graniteTime,
    modeUpgradeWeightPercentage: 100,
    numUpgradeTimes: 1,
  }
  const network = {
    connectedPeers: 5,
    'primary network validator health': { ingressConnectionCount: 5, primaryNetworkValidator: true },
    sendFailRate: 0,
    timeSinceLastMsgReceived: '100ms',
    timeSinceLastMsgSent: '100ms',
  }
  return [
    chainCheck(deps, 'C'),
    chainCheck(deps, 'P'),
    chainCheck(deps, 'X'),
    { name: 'bls', tag: undefined, message: 'node has the correct BLS key' },
    { name: 'bootstrapped', tag: undefined, message: [] },
    { name: 'database', tag: undefined },
    { name: 'diskspace', tag: undefined, message: { availableDiskBytes: 76_861_313_024, availableDiskPercentage: 28 } },
    { name: 'futureupgrade', tag: undefined, message: upgrade },
    { name: 'network', tag: undefined, message: network },
    { name: 'router', tag: undefined, message: { longestRunningRequest: '0s', outstandingRequests: 0 } },
  ]
}

interface Report {
  healthy: boolean
  text: string
}

function report(deps: HealthDeps, checks: readonly Check[]): Report {
  const timestamp = new Date(deps.context.clock() * 1000).toISOString().replace('.000Z', 'Z')
  const results = checks.map(({ name, message, error }) => {
    const failing = error === undefined ? {} : { contiguousFailures: 1, timeOfFirstFailure: timestamp }
    return [name, { message, error, timestamp, duration: 1000, ...failing }] as const
  })
  const healthy = checks.every((check) => check.error === undefined)
  return { healthy, text: JSON.stringify({ checks: Object.fromEntries(results), healthy }) }
}

type Kind = 'health' | 'readiness' | 'liveness'

function reportOf(deps: HealthDeps, kind: Kind, tags: readonly string[]): Report {
  if (kind === 'liveness') return report(deps, [])
  const all = allChecks(deps)
  if (kind === 'readiness')
    return report(
      deps,
      all.filter((check) => check.name === 'bootstrapped'),
    )
  const wanted = tags.length === 0 || tags.includes('all')
  return report(
    deps,
    all.filter((check) => wanted || check.tag === undefined || tags.includes(check.tag)),
  )
}

/** GET-style health answers: 200 while healthy, 503 otherwise. */
export function healthAnswer(deps: HealthDeps, kind: Kind, tags: readonly string[]): Answer {
  const { healthy, text } = reportOf(deps, kind, tags)
  return { status: healthy ? 200 : 503, headers: [['Content-Type', 'application/json']], body: `${text}\n` }
}

/** The same checks over JSON-RPC, always with HTTP 200. */
export function healthMethods(deps: HealthDeps): Record<Kind, GorillaMethod> {
  const method =
    (kind: Kind): GorillaMethod =>
    (args) =>
      reportOf(deps, kind, args.texts('tags')).text
  return { health: method('health'), readiness: method('readiness'), liveness: method('liveness') }
}
