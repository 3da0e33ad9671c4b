import { BadAnswerError, CancelledError, DeadlineError } from '../errors.ts'
import { steadyNow } from './steady-clock.ts'

/** Wait before a server that did not tell its identity, or is on another network, is asked again. */
const RECHECK_MS = 60_000

/**
 * Verifies once that servers are on the right network: two networks of one kind share address forms, so a wrong one
 * would answer plain zeros. `ask` returns the network's identity (genesis hash), or undefined when it cannot be told.
 *
 * The check rejects with BadAnswerError only for a definite other network. A server that cannot tell is believed.
 */
export const createIdentityCheck = <C extends { signal: AbortSignal }>(deps: {
  /** Named in the error, for example `bitcoin testnet`. */
  network: string
  ask: (context: C) => Promise<string | undefined>
  matches: (identity: string) => boolean
  /**
   * Milliseconds before a server that did not tell its identity is asked again; default a minute. A server on another
   * network is always asked again after a minute.
   */
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
      // A reader that left says nothing about the server: the next one asks again. A reader whose deadline passed has
      // waited in vain: without this, the others would ask one after the other until their own deadlines.
      const isLate = context.signal.reason instanceof DeadlineError
      if (isLate || !(context.signal.aborted || error instanceof CancelledError)) askedAt = steadyNow()
    }
  }

  const isDue = (): boolean => {
    const wait = verdict === 'unknown' ? (deps.recheckMs ?? RECHECK_MS) : RECHECK_MS
    return verdict !== 'right' && steadyNow() - askedAt >= wait
  }
  return async (context) => {
    // The asking caller may leave before the answer: then the next waiting caller asks.
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
