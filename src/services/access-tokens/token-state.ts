import type { Logger } from 'pino'
import { type AuthRecords, type Credential, KEPT_SECONDS } from '../../store/index.ts'
import { deriveKey, type Lock, lockSaltOf, newSigningKey, type SigningKey, seal, unseal } from './keys.ts'

/** The state that decides about tokens, as known to this process. */
export interface TokenState {
  /** The current key; undefined = another process with another configured password has taken over. */
  readonly signing: SigningKey | undefined
  isRevoked(jti: string): boolean
  /** Milliseconds since the store last confirmed this state. */
  age(): number
  /** Opens the stored state, or creates a new one when the configured password has changed. */
  open(): Promise<void>
  /** Adopts changes of other processes. */
  refresh(): Promise<void>
  revoke(jti: string, until: bigint): Promise<void>
  /** Puts the key in force and deletes all revocations; false when another process changed the key first. */
  replace(signing: SigningKey): Promise<boolean>
}

export interface TokenStateDeps {
  records: AuthRecords
  /** The password of flag or file. */
  configured: string
  logger: Pick<Logger, 'error'>
  /** Unix milliseconds. */
  now(): number
  /** Milliseconds, for ages. */
  steady(): number
}

const ATTEMPTS = 5

/**
 * The state is in the store, so that tokens survive restarts and are valid in every process. The signing key is sealed
 * there with the configured password: as long as that one stays, a password changed at run time stays in force, too.
 */
export function createTokenState({ records, configured, logger, now, steady }: TokenStateDeps): TokenState {
  let lock: Lock | undefined
  let signing: SigningKey | undefined
  let generation = -1n
  let revoked = new Map<string, bigint>()
  let readAt = Number.NEGATIVE_INFINITY

  const unlock = async (credential: Credential): Promise<SigningKey | undefined> => {
    const salt = lockSaltOf(credential)
    if (salt === undefined) return undefined
    if (!lock?.salt.equals(salt)) lock = { salt, key: await deriveKey(configured, salt) }
    return unseal(credential, lock)
  }
  const load = async (): Promise<void> => {
    const at = steady()
    const state = await records.state()
    const known = state.credential === undefined ? undefined : await unlock(state.credential)
    if (known === undefined && signing !== undefined)
      logger.error('access tokens: another process runs with another password; no token is accepted here any more')
    generation = state.generation
    signing = known
    revoked = new Map(state.revocations.map(({ jti, until }) => [jti, until]))
    readAt = at
  }
  const replace = async (next: SigningKey): Promise<boolean> => {
    const before = signing
    lock ??= await newSigningKey(configured)
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const done = await records.replaceCredential(seal(next, lock), generation)
      await load()
      if (done) return true
      // A token revoked meanwhile is no reason to give up, another key is.
      if (before === undefined || !signing?.salt.equals(before.salt)) return false
    }
    return false
  }
  const forgetExpired = (): void => {
    const seconds = BigInt(Math.floor(now() / 1_000))
    for (const [jti, until] of revoked) if (until < seconds - KEPT_SECONDS) revoked.delete(jti)
  }
  return {
    get signing() {
      return signing
    },
    isRevoked: (jti) => revoked.has(jti),
    age: () => steady() - readAt,
    async open() {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        await load()
        if (signing !== undefined) return
        lock = undefined
        await replace(await newSigningKey(configured))
        if (signing !== undefined) return
      }
      throw new Error('access tokens: other processes keep changing the password')
    },
    async refresh() {
      const at = steady()
      if ((await records.generation()) === generation) readAt = at
      else await load()
    },
    async revoke(jti, until) {
      // Effective here at once, even if the store fails; in other processes once it is stored.
      forgetExpired()
      revoked.set(jti, until)
      await records.revoke({ jti, until })
    },
    replace,
  }
}
