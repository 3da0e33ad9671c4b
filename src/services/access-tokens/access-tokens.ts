import { randomBytes } from 'node:crypto'
import { passwordProblem } from '../../lib/password-strength/index.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { AccessTokenError } from './access-token-error.ts'
import { ATTEMPT_LIMITS, type AttemptLimits, createAttempts } from './attempts.ts'
import { deriveKey, newSigningKey, SALT_BYTES, sameKey } from './keys.ts'
import { signToken, type TokenJson, verifyToken } from './token.ts'
import { createTokenState, type TokenStateDeps } from './token-state.ts'

/** Passwords and tokens of the auth API. Every method throws AccessTokenError with the node's text. */
export interface AccessTokens {
  /** Opens the store; await it before anything else. */
  open(): Promise<void>
  /** A token for 12 hours. `from` = the caller's address, for the limit on attempts. */
  newToken(wish: { password: string; endpoints: readonly string[] }, from: string | undefined): Promise<string>
  /** An invalid token counts as revoked already: nothing happens. */
  revokeToken(wish: { password: string; token: string }, from: string | undefined): Promise<void>
  /** Afterwards no token of the old password is valid. */
  changePassword(wish: { oldPassword: string; newPassword: string }, from: string | undefined): Promise<void>
  /**
   * Why a token (one character per byte) does not grant `path` (decoded); undefined when it does. Synchronous, from
   * memory.
   * @param plain false = the path can be read in several ways, so that only a token for everything grants it
   */
  problem(token: string, path: string, plain: boolean): string | undefined
  /** False when the store has not confirmed this process's state for too long. */
  isCurrent(): boolean
  close(): void
}

export interface AccessTokensDeps extends Omit<TokenStateDeps, 'now' | 'steady'> {
  json: TokenJson
  limits?: AttemptLimits
  /** Interval at which changes of other processes are read, milliseconds; 0 = no other process writes to the store. */
  refreshMs: number
  /** Milliseconds; default the clock. */
  now?: () => number
}

const LIFETIME_MS = 43_200_000
const MAX_ENDPOINTS = 128
const JTI_BYTES = 20
/**
 * Revocations of other processes may stay unknown for this long: after it, no token is valid until the store answers.
 */
const MAX_STALE_MS = 60_000

const EVERYTHING = '*'
const NOT_GRANTED = 'the provided auth token does not allow access to this endpoint'

const NO_KEY = Buffer.alloc(0)

/** A time at which nothing has expired. Tokens made here carry no time but their end. */
const BEFORE_ALL = 0n

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')

const grants = (endpoint: string, path: string, plain: boolean): boolean =>
  endpoint === EVERYTHING || (plain && endpoint !== '' && path.endsWith(endpoint))

function checkEndpoints(endpoints: readonly string[]): void {
  if (endpoints.length === 0) throw new AccessTokenError('must name at least one endpoint')
  if (endpoints.length > MAX_ENDPOINTS) throw new AccessTokenError(`can only name at most ${MAX_ENDPOINTS} endpoints`)
  // The empty text is a suffix of every path.
  if (endpoints.includes('')) throw new AccessTokenError('must name at least one endpoint')
}

/**
 * The last nodes' auth API (avalanchego 1.10 `api/auth`), with tokens that survive restarts. Changes run one after the
 * other; tokens are checked in memory.
 */
export function createAccessTokens(deps: AccessTokensDeps): AccessTokens {
  const { json, logger, refreshMs, now = Date.now } = deps
  const steady = deps.now ?? steadyNow
  const state = createTokenState({ ...deps, now, steady })
  const attempts = createAttempts(deps.limits ?? ATTEMPT_LIMITS, steady)
  const nanoseconds = (): bigint => BigInt(now()) * 1_000_000n
  let changes: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    const done = changes.then(change, change)
    changes = done.catch(() => undefined)
    return done
  }
  /** Returns the key of the password: whatever is signed with it becomes invalid when the password changes. */
  const checkPassword = async (password: string, from: string | undefined): Promise<Buffer> => {
    let derived: Buffer = NO_KEY
    const isRight = async (): Promise<boolean> => {
      // The work is also done without a key, so that the duration reveals nothing.
      derived = await deriveKey(password, state.signing?.salt ?? randomBytes(SALT_BYTES))
      return sameKey(derived, state.signing?.key)
    }
    if (!(await attempts.run(from, isRight))) throw new AccessTokenError('incorrect password')
    return derived
  }
  const refresh = async (): Promise<void> => {
    await inTurn(() => state.refresh()).catch((error: unknown) =>
      logger.error({ err: error }, 'access tokens: no store'),
    )
    schedule()
  }
  const schedule = (): void => {
    if (refreshMs > 0 && !closed) timer = setTimeout(() => void refresh(), refreshMs).unref()
  }

  return {
    async open() {
      await state.open()
      schedule()
    },
    async newToken({ password, endpoints }, from) {
      if (password === '') throw new AccessTokenError('empty password')
      checkEndpoints(endpoints)
      const key = await checkPassword(password, from)
      const claims = {
        exp: BigInt(Math.floor((now() + LIFETIME_MS) / 1_000)),
        jti: randomBytes(JTI_BYTES).toString('base64url'),
        endpoints: endpoints.includes(EVERYTHING) ? [EVERYTHING] : endpoints,
      }
      return signToken(claims, key)
    },
    async revokeToken({ password, token }, from) {
      if (token === '') throw new AccessTokenError('auth token not provided')
      if (password === '') throw new AccessTokenError('empty password')
      await checkPassword(password, from)
      await inTurn(async () => {
        // Ignores the time: a token that has expired by a fast clock is valid again when the clock is corrected.
        const claims = readQuietly(() => verifyToken(bytesOf(token), state.signing?.key, BEFORE_ALL, json))
        if (claims?.exp !== undefined && claims.jti !== '') await state.revoke(claims.jti, claims.exp)
      })
    },
    async changePassword({ oldPassword, newPassword }, from) {
      if (oldPassword === newPassword) throw new AccessTokenError("new password can't be same as old password")
      // Outside the queue: otherwise guesses would delay hearing of revocations of other processes.
      const key = await checkPassword(oldPassword, from)
      await inTurn(async () => {
        // Another change may have been made meanwhile.
        if (!sameKey(key, state.signing?.key)) throw new AccessTokenError('incorrect password')
        const problem = passwordProblem(newPassword)
        if (problem !== undefined) throw new AccessTokenError(problem)
        if (!(await state.replace(await newSigningKey(newPassword)))) throw new AccessTokenError('incorrect password')
      })
    },
    problem(token, path, plain) {
      try {
        const { jti, exp, endpoints } = verifyToken(token, state.signing?.key, nanoseconds(), json)
        if (state.isRevoked(jti)) return 'the provided auth token was revoked'
        // Tokens made here can be revoked and have an end.
        if (jti === '' || exp === undefined) return NOT_GRANTED
        return endpoints.some((endpoint) => grants(endpoint, path, plain)) ? undefined : NOT_GRANTED
      } catch (error) {
        if (error instanceof AccessTokenError) return error.message
        throw error
      }
    },
    isCurrent: () => refreshMs === 0 || state.age() < MAX_STALE_MS,
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

function readQuietly<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof AccessTokenError) return undefined
    throw error
  }
}
