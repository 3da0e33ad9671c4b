import { steadyNow } from '../../lib/steady-clock.ts'
import type { Task } from '../calls/task.ts'
import type { Attempt } from '../http/attempt.ts'
import { documentRequest } from '../http/document-request.ts'
import type { WireAnswer, WireRequest } from '../http/wire.ts'
import { jsonRequest } from '../json-rpc/batcher.ts'
import { readSingle, writeEntry } from '../json-rpc/rpc-message.ts'
import { failed, mapAnswer, type Outcome } from '../outcome.ts'
import type { IdentityProbe } from '../types.ts'
import type { Upstream } from '../upstream.ts'
import { createIdentityCheck } from './identity-check.ts'

/** Separates what a server says of itself from its genesis. */
const BETWEEN = '\n'

/** A server that was right before and cannot say so now is asked again after this, milliseconds. */
const COMES_BACK_MS = 250

/** A server that closes connections all the time is asked at most this often, milliseconds. */
const ALONE_MS = 5_000

/** Withholds answers of servers that turn out to be on another network. */
export interface IdentityGuard {
  /** `launch`, but the answer is held until the upstream's identity is known, which is asked beside the first call. */
  guarded<T>(launch: Task<T>['launch']): Task<T>['launch']
  /** True when the upstream is known to be on another network. */
  isForeign(upstream: Upstream): boolean
  /** The address may belong to another server by now: the upstream is asked again before its next answer counts. */
  wasAway(upstream: Upstream): void
  /** The same when its last connection is closed, but rate-limited, since some servers close each connection. */
  wasAlone(upstream: Upstream): void
}

/**
 * Networks of one kind share address forms: a server on another network answers zeros, or other people's numbers,
 * without any error. Each upstream of a pool is asked once, and again after it was away, that is, whenever its last
 * connection was closed or its tip fell. An upstream that cannot tell is believed (`createIdentityCheck`).
 */
export const createIdentityGuard = (probe: IdentityProbe, attempt: Attempt): IdentityGuard => {
  const right = new WeakSet<Upstream>()
  const once = new WeakSet<Upstream>()
  /** Upstreams that have told their genesis. */
  const named = new WeakSet<Upstream>()
  const foreign = new WeakSet<Upstream>()
  const checks = new WeakMap<Upstream, () => Promise<boolean>>()
  const askedAt = new WeakMap<Upstream, number>()
  /** Upstreams whose last connection was closed after they were asked. */
  const alone = new WeakSet<Upstream>()

  const askFor = (upstream: Upstream, question: Question): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      const request = requestTo(upstream, question)
      const plan = { request, read: readerOf(question), calls: 1, hedge: false, urgent: true }
      attempt(upstream, plan, (outcome) => {
        if (outcome.kind === 'failure') reject(new Error(outcome.failure.reason))
        else resolve(outcome.kind === 'answer' ? outcome.value : undefined)
      })
    })

  const ask = async (upstream: Upstream): Promise<string | undefined> => {
    askedAt.set(upstream, steadyNow())
    // A server that was right before most likely still is: both questions at once, since callers wait.
    const ahead = probe.genesis && once.has(upstream) ? askFor(upstream, probe.genesis) : undefined
    ahead?.catch(() => undefined)
    const identity = await askFor(upstream, probe)
    // If it is another network, no second question is needed; its server may not even answer it.
    if (identity === undefined || !probe.genesis || !probe.matches(identity)) return identity
    const genesis = await (ahead ?? askFor(upstream, probe.genesis))
    if (genesis !== undefined) return `${identity}${BETWEEN}${genesis}`
    // It could tell before, so it is only too early now.
    return named.has(upstream) ? undefined : identity
  }

  const fits = (told: string): boolean => {
    const [identity = '', genesis] = told.split(BETWEEN)
    return probe.matches(identity, genesis)
  }

  const judge = (upstream: Upstream, told: string): boolean => {
    const matches = fits(told)
    if (matches && told.includes(BETWEEN)) named.add(upstream)
    if (matches) {
      right.add(upstream)
      once.add(upstream)
      foreign.delete(upstream)
    } else foreign.add(upstream)
    return matches
  }

  /** Resolves with false if the server is definitely on another network. */
  const checkOf = (upstream: Upstream): (() => Promise<boolean>) => {
    const known = checks.get(upstream)
    if (known) return known
    const check = createIdentityCheck({
      // It told its identity before: if it cannot now, as while it starts, that must not count for long.
      ...(once.has(upstream) && { recheckMs: COMES_BACK_MS }),
      ask: () => ask(upstream),
      // The result of a check from before it went away says nothing about the server that came back.
      matches: (told) => (checks.get(upstream) === check ? judge(upstream, told) : fits(told)),
    })
    checks.set(upstream, check)
    return check
  }

  const forget = (upstream: Upstream): void => {
    alone.delete(upstream)
    right.delete(upstream)
    checks.delete(upstream)
  }
  const isRight = (upstream: Upstream): boolean => {
    if (alone.has(upstream) && steadyNow() - (askedAt.get(upstream) ?? 0) >= ALONE_MS) forget(upstream)
    return right.has(upstream)
  }

  const refusal = <T>({ host }: Upstream, neverSent: boolean): Outcome<T> =>
    failed({ host, kind: 'foreign', reason: `server is not on ${probe.network}`, neverSent })

  /** The answer's connection may be newer than the check made before the call. A failure has told nothing. */
  const checkBehind = <T>(upstream: Upstream, { kind }: Outcome<T>): Promise<boolean> | undefined =>
    kind === 'failure' || isRight(upstream) ? undefined : checkOf(upstream)()

  return {
    isForeign: (upstream) => foreign.has(upstream),
    wasAway: forget,
    wasAlone: (upstream) => {
      alone.add(upstream)
    },
    guarded: (launch) => (upstream, hedge, settle) => {
      const checked = isRight(upstream) ? undefined : checkOf(upstream)()
      if (checked && foreign.has(upstream)) {
        // If it is on this network by now, the check under way finds out.
        upstream.breaker.inconclusive()
        settle(refusal(upstream, true))
        return () => {}
      }
      let left = false
      const cancel = launch(upstream, hedge, (outcome) => {
        const told = checked ?? checkBehind(upstream, outcome)
        if (!told) settle(outcome)
        else
          void told.then((here) => {
            if (!left) settle(here ? outcome : refusal(upstream, false))
          })
      })
      return (cause) => {
        left = true
        cancel(cause)
      }
    },
  }
}

type Question = Pick<IdentityProbe, 'path' | 'rpc' | 'parse'> & { params?: unknown }

const requestTo = (upstream: Upstream, { path, rpc, params = [] }: Question): WireRequest => {
  if (rpc) return jsonRequest(upstream, path, writeEntry({ method: rpc, params: JSON.stringify(params) }, 1), undefined)
  return documentRequest(upstream, path)
}

/** What the server says of itself; undefined if it does not know the question. */
const readerOf =
  ({ rpc, parse }: Question) =>
  (host: string, answer: WireAnswer): Outcome<string | undefined> => {
    if (rpc) return mapAnswer(readSingle(host, answer), (value) => ({ kind: 'answer', value: parse(value) }))
    if (answer.status >= 500 || answer.status === 429)
      return failed({ host, kind: 'status', reason: `status ${answer.status}` })
    const value = answer.status === 200 ? parse(answer.body.toString('utf8')) : undefined
    return { kind: 'answer', value }
  }
