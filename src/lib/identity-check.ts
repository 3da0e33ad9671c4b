import { BadAnswerError, CancelledError, DeadlineError } from '../errors.ts'
import { steadyNow } from './steady-clock.ts'

/** Time before a server that could not or would not say who it is, or is another, is asked again. */
const RECHECK_MS = 60_000

/**
 * Makes sure once that servers are on the right network: two networks of one kind share address forms, so a wrong one
 * would answer plain zeros. `ask` gives the network's identity (genesis hash), or undefined when it cannot be told.
 *
 * The check rejects with BadAnswerError only for a definite other network. A server that cannot tell is believed.
 */
export const createIdentityCheck = <C extends { signal: AbortSignal }>(deps: {
  /** Named in the error, for example `bitcoin testnet`. */
  network: string
  ask: (context: C) => Promise<string | undefined>
  matches: (identity: string) => boolean
  /** Milliseconds before who could not or would not say is asked again; who is another is after a minute. Default the same. */
  recheckMs?: number
}): ((context: C) => Promise<void>) => {
  let verdict: 'unknown' | 'right' | 'wrong' = 'unknown'
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  const ask = async (context: C): Promise<void> => {
    try {
      const identity = await deps.ask(context)
      if (identity !== undefined) verdict = deps.matches(identity) ? 'right' : 'wrong'
      askedAt = steadyNow()
    } catch (error) {
      // A reader that left says nothing about the server: the next one asks again. One whose time is over has waited for it
      // in vain: those who wait besides would ask one after the other until theirs is over, too.
      const isLate = context.signal.reason instanceof DeadlineError
      if (isLate || !(context.signal.aborted || error instanceof CancelledError)) askedAt = steadyNow()
    }
  }

  const isDue = (): boolean => {
    const wait = verdict === 'unknown' ? (deps.recheckMs ?? RECHECK_MS) : RECHECK_MS
    return verdict !== 'right' && steadyNow() - askedAt >= wait
  }
  return async (context) => {
    // Who asks may leave before the answer: then the next one asks for those who wait.
    while (isDue() && asking) await asking
    if (isDue()) {
      asking = ask(context).finally(() => {
        asking = undefined
      })
      await asking
    }
    if (verdict === 'wrong') throw new BadAnswerError(`server is not on ${deps.network}`)
  }
}
