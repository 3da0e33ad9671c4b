import { steadyNow } from '../../lib/steady-clock.ts'

/** Wait before a server that did not tell its identity, or is on another network, is asked again. */
const RECHECK_MS = 60_000

export interface IdentityCheckDeps {
  /** The network's identity (genesis hash), or undefined when it cannot be told. */
  ask(): Promise<string | undefined>
  matches(identity: string): boolean
  /**
   * Milliseconds before a server that did not tell its identity is asked again; default a minute. A server on another
   * network is always asked again after a minute.
   */
  recheckMs?: number
}

/**
 * Verifies once that a server is on the right network: two networks of one kind share address forms, so a wrong one
 * would answer plain zeros. Resolves with false only for a definite other network: a server that cannot tell is
 * believed. Never rejects.
 */
export const createIdentityCheck = ({ ask, matches, recheckMs = RECHECK_MS }: IdentityCheckDeps) => {
  let verdict: 'unknown' | 'right' | 'wrong' = 'unknown'
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  const askOnce = async (): Promise<void> => {
    try {
      const identity = await ask()
      if (identity !== undefined) verdict = matches(identity) ? 'right' : 'wrong'
    } catch {
      // The verdict stays: a server that does not answer has told nothing.
    }
    askedAt = steadyNow()
  }

  const isDue = (): boolean => {
    const wait = verdict === 'unknown' ? recheckMs : RECHECK_MS
    return verdict !== 'right' && steadyNow() - askedAt >= wait
  }
  return async (): Promise<boolean> => {
    if (isDue()) {
      asking ??= askOnce().finally(() => {
        asking = undefined
      })
      await asking
    }
    return verdict !== 'wrong'
  }
}
