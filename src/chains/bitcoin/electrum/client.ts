import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import {
  asError,
  CancelledError,
  DeadlineError,
  failure,
  OverloadedError,
  UpstreamUnavailableError,
} from '../../../errors.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import { createServerGate, type ServerGate } from '../../../upstream/index.ts'
import type { ReadContext } from '../../capabilities.ts'
import type { Told } from '../backend.ts'
import { BITCOIN_LAG_BLOCKS, type ElectrumLimits, electrumLimits, requestsPerSecondOf } from '../limits.ts'
import type { BitcoinNetworkName } from '../network.ts'
import { createStopper } from '../stopper.ts'
import { createTipWatch, type TipWatch } from '../tip-watch.ts'
import { withoutCutSums } from './cut-sums.ts'
import { createElectrumLink, type ElectrumCall, type ElectrumLink } from './link.ts'
import { startRound } from './round.ts'
import { heightIn, TIP_CALL } from './tip.ts'

export interface ElectrumServer {
  /**
   * `tcp://host:port` or `tls://host:port` (ports 50001 and 50002 when left out). `tls://host:port#<hex>` accepts the
   * one certificate with this SHA-256 fingerprint instead of asking the certificate authorities.
   */
  url: string
  /** Lower numbers are preferred while they answer; default 0. */
  priority?: number
  /** Requests per second; left out = that of the limits. One request is up to `maxPipelined` calls of a round. */
  requestsPerSecond?: number
  /** Simultaneous requests; left out = that of the limits. */
  maxConcurrent?: number
}

/** Calls to a set of Electrum servers of one network. */
export interface ElectrumClient {
  /** Hosts, for logs. */
  readonly name: string
  /** Calls that may be sent per second, over all servers. */
  readonly callsPerSecond: number
  /**
   * Sends all calls in one pipelined round to the best server; if it fails as a whole, to the next. A call that a
   * server refuses, or whose answer `check` rejects, goes to the next server alone, and becomes an error when no server
   * is left. The answers of a server that lags are used only if the others do not answer. Rejects when every server
   * failed, on abort, and at the deadline if nothing is known by then.
   * @param isFault false: a server whose answer `check` rejects is not asked last from then on
   */
  round(
    calls: readonly ElectrumCall[],
    context: ReadContext,
    check?: (answer: unknown) => void,
    isFault?: boolean,
  ): Promise<Told<unknown>[]>
  close(): void
}

interface Candidate {
  host: string
  priority: number
  link: ElectrumLink
  gate: ServerGate
  failures: number
  /** Until then the server is asked last. */
  avoidUntil: number
}

interface ElectrumClientDeps {
  network: BitcoinNetworkName
  servers: readonly ElectrumServer[]
  /** Left out: `electrumLimits`. */
  limits?: Partial<ElectrumLimits>
  /** For servers without their own limits; see `PoolLimits`. */
  budget: { requestsPerSecond: number; maxConcurrent: number }
  /** Called with the length of each wait at the gate of a server, milliseconds. */
  onWait?: (host: string, ms: number) => void
  logger?: Pick<Logger, 'debug'>
}

/** Electrum protocol 1.4 over TCP or TLS with failover among servers. */
export const createElectrumClient = (deps: ElectrumClientDeps): ElectrumClient => {
  const limits = { ...electrumLimits, ...deps.limits }
  const stopper = createStopper()
  const candidates = deps.servers.map((server) => candidateOf(server, limits, deps))

  const tips = createTipWatch<Candidate>({
    subjects: candidates,
    ask: async ({ link }, signal) => {
      const [tip] = (await link.send([TIP_CALL], signal, true)).outcomes
      return tip?.ok ? heightIn(tip.value) : undefined
    },
    lagBlocks: BITCOIN_LAG_BLOCKS,
  })

  const failed = (candidate: Candidate, error: unknown): void => {
    const pause = Math.min(limits.backoffMs * 2 ** candidate.failures, limits.maxBackoffMs)
    candidate.failures += 1
    candidate.avoidUntil = steadyNow() + pause
    deps.logger?.debug({ host: candidate.host, err: error, pause }, 'electrum server failed')
  }

  const attempt = async (
    candidate: Candidate,
    calls: readonly ElectrumCall[],
    context: ReadContext,
    share: number,
    stop: AbortSignal,
  ) => {
    const { link } = candidate
    const wait = Math.min(share, limits.answerTimeoutMs + (link.warm ? 0 : limits.connectTimeoutMs))
    const timeout = AbortSignal.timeout(wait)
    const signal = AbortSignal.any([context.signal, stop, timeout])
    // Every call of the round listens to this signal.
    setMaxListeners(0, signal)
    const trouble = (error: unknown): Error => {
      if (context.signal.aborted || stopper.stopped) return new CancelledError()
      // Nothing was sent, or too late: that says something about this process only.
      if (error instanceof OverloadedError) return error
      const late = timeout.aborted || error instanceof CancelledError
      const reason = late ? new UpstreamUnavailableError(`${candidate.host} did not answer in time`) : asError(error)
      failed(candidate, reason)
      return reason
    }
    const asked = link.send(calls, signal).then((said) => withoutCutSums(link, calls, said, signal))
    const sent = await asked.catch((error: unknown) => {
      throw trouble(error)
    })
    const { outcomes, fault } = sent
    if (fault === undefined) {
      candidate.failures = 0
      candidate.avoidUntil = 0
      return sent
    }
    const reason = trouble(fault)
    const told = outcomes.map((one) => (!one.ok && one.error === fault ? failure(reason) : one))
    return { outcomes: told, fault: reason }
  }

  return {
    name: `electrum ${candidates.map(({ host }) => host).join(', ')}`,
    callsPerSecond: limits.maxPipelined * requestsPerSecondOf(deps.servers, deps.budget),
    async round(calls, context, check, isFault = true) {
      if (calls.length === 0) return []
      tips.touch()
      const asked = startRound(calls, check)
      let last: unknown = new UpstreamUnavailableError('no Electrum server is configured')
      const answered = new Set<Candidate>()
      const tries = order(candidates, tips)
      for (const [index, candidate] of tries.entries()) {
        if (answered.has(candidate)) continue
        const left = context.deadline - Date.now()
        if (left <= 0) {
          last = new DeadlineError('Electrum servers did not answer in time')
          break
        }
        try {
          const share = Math.ceil(left / (tries.length - index))
          const sent = await stopper.run((stop) => attempt(candidate, asked.open(), context, share, stop))
          if (sent.fault === undefined) answered.add(candidate)
          else last = sent.fault
          if (await tips.isBehind(candidate, context.signal)) {
            asked.setAside(sent.outcomes)
            continue
          }
          const trouble = asked.take(sent.outcomes)
          if (trouble && isFault) failed(candidate, trouble)
          if (asked.open().length === 0 || sent.fault instanceof CancelledError) break
        } catch (error) {
          last = error
          if (error instanceof CancelledError) break
        }
      }
      if (!asked.begun()) throw last
      return asked.outcomes(last)
    },
    close() {
      stopper.stop()
      tips.close()
      for (const { link } of candidates) link.close(new CancelledError())
    },
  }
}

const candidateOf = (
  { url, priority = 0, ...own }: ElectrumServer,
  limits: ElectrumLimits,
  { network, budget, onWait }: Pick<ElectrumClientDeps, 'network' | 'budget' | 'onWait'>,
): Candidate => {
  const { host } = new URL(url)
  const gate = createServerGate({ host, limits: { ...budget, ...own }, onWait: (ms) => onWait?.(host, ms) })
  return {
    host,
    priority,
    gate,
    link: createElectrumLink({ url, network, limits, gate }),
    failures: 0,
    avoidUntil: 0,
  }
}

/**
 * Servers in backoff are asked last but not left out: there may be no others. The same goes for servers that lag. A
 * kept connection may have died unnoticed, which says nothing against its server, so a warm server is tried twice.
 */
const order = (candidates: readonly Candidate[], tips: TipWatch<Candidate>): Candidate[] => {
  const now = steadyNow()
  const avoided = (one: Candidate): number => (one.avoidUntil > now ? 2 : 0) + (tips.lags(one) ? 1 : 0)
  const busy = ({ gate }: Candidate): number => (gate.hasRoom() ? 0 : 1)
  return candidates
    .toSorted((a, b) => avoided(a) - avoided(b) || a.priority - b.priority || busy(a) - busy(b))
    .flatMap((candidate) => (candidate.link.warm ? [candidate, candidate] : [candidate]))
}
