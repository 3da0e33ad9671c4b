import {
  AnswerTooLargeError,
  BadAnswerError,
  type FirnError,
  OverloadedError,
  UpstreamRateLimitedError,
  UpstreamUnavailableError,
} from '../../errors.ts'
import { type Failure, lacks, NOTHING_THERE, type Outcome } from '../outcome.ts'
import type { Unheard } from '../types.ts'
import type { Upstream } from '../upstream.ts'

/** `host1 connection refused; host2 status 503`: each host once, with its last cause. */
export const describeFailures = <T>(failures: readonly Failure<T>[]): string => {
  const byHost = new Map<string, string>()
  for (const { host, reason } of failures) byHost.set(host, reason)
  return [...byHost].map(([host, reason]) => `${host} ${reason}`).join('; ')
}

/** A server on another network does not serve this chain: the cause is what kept the others from answering. */
const withoutForeign = <T>(failures: readonly Failure<T>[]): readonly Failure<T>[] => {
  const own = failures.filter(({ kind }) => kind !== 'foreign')
  return own.length === 0 ? failures : own
}

const hadNoRoom = ({ kind }: Failure<unknown>): boolean => kind === 'no-room'

const errorFor = <T>(pool: string, failures: readonly Failure<T>[], resumesInMs: number | undefined): FirnError => {
  const text = `${pool}: ${failures.length === 0 ? 'every upstream is paused' : describeFailures(failures)}`
  if (failures.some(hadNoRoom)) return new OverloadedError(text)
  if (failures.every(({ kind }) => kind === 'rate-limited')) {
    const waits = failures.map(({ retryAfterMs }) => retryAfterMs).filter((ms) => ms !== undefined)
    const known = resumesInMs === undefined ? waits : [...waits, resumesInMs]
    return new UpstreamRateLimitedError(text, known.length === 0 ? undefined : Math.min(...known))
  }
  if (failures.length > 0 && failures.every(({ kind }) => kind === 'too-large')) return new AnswerTooLargeError(text)
  if (failures.every(({ kind }) => kind === 'bad-answer' || kind === 'too-large' || kind === 'foreign'))
    return new BadAnswerError(text)
  return new UpstreamUnavailableError(text)
}

/** In order: answers about the thing, that it is not there, that the method is not there, that the place is not there. */
const NEAREST_FIRST: readonly (Unheard | undefined)[] = [undefined, 'thing', 'method', 'place']

/** The answer to pass on: the last of those that say most about the thing. */
const nearestOf = <T>(failures: readonly Failure<T>[]): Outcome<T> | undefined => {
  for (const why of NEAREST_FIRST) {
    const words = failures.findLast(({ unheard, fallback }) => unheard === why && fallback !== undefined)?.fallback
    if (words) return words
  }
  return undefined
}

/** While an upstream that may serve the place is silent, that others do not serve it proves nothing. */
const withoutAbsent = <T>(failures: readonly Failure<T>[], silent: readonly string[]): readonly Failure<T>[] =>
  silent.length === 0 ? failures : failures.filter(({ unheard }) => unheard !== 'place')

/**
 * Hosts on this network that gave no usable answer this time and may serve what is asked for: they have served it
 * before, or never said that they do not. So may those that served it lately and now have nothing there (404): a starting
 * node does not know its chains at first.
 */
export const silentOf = <T>(asked: readonly Upstream[], failures: readonly Failure<T>[]): string[] => {
  const hostsOf = (is: (one: Failure<T>) => boolean): Set<string> =>
    new Set(failures.flatMap((one) => (is(one) ? [one.host] : [])))
  const spoke = hostsOf(({ fallback, kind }) => fallback !== undefined || kind === 'foreign')
  const refused = hostsOf((one) => one.refused === true)
  const without = hostsOf(({ unheard, reason }) => unheard === 'place' && reason === `status ${NOTHING_THERE}`)
  return asked.flatMap(({ host, serves, unknown, left }) => {
    const isSilent = !spoke.has(host) && (serves() || (unknown() && !refused.has(host)))
    return isSilent || (without.has(host) && left()) ? [host] : []
  })
}

const silence = <T>(pool: string, silent: readonly string[], failures: readonly Failure<T>[]): FirnError =>
  new UpstreamUnavailableError(
    `${pool}: ${silent.join(', ')} may serve it and did not answer; ${describeFailures(failures)}`,
  )

/**
 * The single outcome of a read that no upstream could answer. An upstream whose answer found no room here did answer,
 * so it is not true that nobody has what was asked for. A node that says it has not seen the block yet, or may not have
 * understood the question, is closer to the truth than nodes that said nothing, do not run the chain or lack the
 * method: callers give up asking for what nobody has. Other doubtful errors are passed on only when every upstream gave one.
 * @param silent hosts that may serve what was asked for and said nothing this time
 */
export const concludeFailures = <T>(
  pool: string,
  all: readonly Failure<T>[],
  resumesInMs: number | undefined,
  silent: readonly string[],
): Outcome<T> => {
  const failures = withoutAbsent(withoutForeign(all), silent)
  if (failures.length === 0 && silent.length > 0 && resumesInMs === undefined)
    return { kind: 'truth', error: silence(pool, silent, all) }
  if (failures.some(hadNoRoom)) return { kind: 'truth', error: errorFor(pool, failures, resumesInMs) }
  const last = failures.at(-1)
  for (const spoke of ['behind', 'doubtful']) {
    const words = nearestOf(failures.filter(({ kind }) => kind === spoke))
    if (words) return words
  }
  if (last?.fallback && failures.every(({ fallback }) => fallback !== undefined)) return last.fallback
  return { kind: 'truth', error: errorFor(pool, failures, resumesInMs) }
}

/** The error for a caller who cannot wait: undefined if something else than rate limits kept the answer from coming. */
export const rateLimitOf = <T>(
  pool: string,
  failures: readonly Failure<T>[],
  resumesInMs: number | undefined,
): FirnError | undefined => {
  if (!failures.every(({ kind }) => kind === 'rate-limited' || kind === 'foreign')) return undefined
  const outcome = concludeFailures(pool, failures, resumesInMs, [])
  return outcome.kind === 'truth' ? outcome.error : undefined
}

/**
 * Whether every upstream that is worth waiting for has said that it does not have the thing. Not worth waiting for are those
 * with an open breaker, those of another network, and those that did not answer this read before: they are asked again,
 * but not waited for as long as the first time.
 */
export const allOthersLackIt = <T>(asked: readonly Upstream[], failures: readonly Failure<T>[]): boolean => {
  const isDone = ({ host }: Upstream): boolean =>
    failures.some((one) => one.host === host && (lacks(one) || one.kind === 'foreign' || one.kind === 'network'))
  return (
    failures.some((one) => lacks(one) && one.fallback !== undefined && one.unheard !== 'place') &&
    asked.every((upstream) => upstream.breaker.state() !== 'closed' || isDone(upstream))
  )
}
