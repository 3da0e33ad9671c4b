import type { Kysely, Transaction } from 'kysely'
import { bytea } from '../bytea.ts'
import { nowSeconds } from '../database.ts'
import type { Database } from '../schema/index.ts'
import { raiseGeneration, readGeneration } from './generation.ts'

/**
 * Signing credential of tokens: the salt is part of the key, the fingerprint shows whether the password is still the
 * same.
 */
export interface Credential {
  /** Hex. */
  salt: string
  /** A password hash in the caller's own text format; the store never sees a password. */
  fingerprint: string
}

export interface Revocation {
  jti: string
  /** Unix seconds at which the token expires anyway; the entry is dropped `KEPT_SECONDS` later. */
  until: bigint
}

/**
 * Time a revocation outlives its token, seconds: when a clock that was ahead is corrected, revoked tokens must not
 * become valid again.
 */
export const KEPT_SECONDS = 604_800n

export interface AuthState {
  /** Grows with every change by any process. */
  generation: bigint
  credential: Credential | undefined
  revocations: Revocation[]
}

export interface AuthRecords {
  generation(): Promise<bigint>
  /** The whole state at once, without revocations that are no longer needed. */
  state(): Promise<AuthState>
  /**
   * Replaces the credential, unless another process did so since `expected` was read. All revocations are deleted,
   * because no token of the old credential is valid any more.
   * @returns false when another process changed the state: read it again and decide again
   */
  replaceCredential(credential: Credential, expected: bigint): Promise<boolean>
  /** Idempotent. */
  revoke(revocation: Revocation): Promise<void>
}

/** State of access tokens across restarts and processes: password and revocations live as long as the data. */
export function createAuthRecords(db: Kysely<Database>): AuthRecords {
  return {
    generation: () => readGeneration(db, 'auth'),
    state: () => db.transaction().setIsolationLevel('repeatable read').execute(readState),
    replaceCredential: ({ salt, fingerprint }, expected) =>
      db.transaction().execute(async (tx) => {
        const locked = await tx
          .selectFrom('node_generation')
          .select('generation')
          .where('topic', '=', 'auth')
          .forUpdate()
          .executeTakeFirstOrThrow()
        if (locked.generation !== expected) return false
        await raiseGeneration(tx, 'auth')
        const row = { salt: bytea(salt), fingerprint }
        await tx
          .insertInto('node_credential')
          .values(row)
          .onConflict((conflict) => conflict.column('single').doUpdateSet(row))
          .execute()
        await tx.deleteFrom('node_revocation').execute()
        return true
      }),
    revoke: (revocation) =>
      db.transaction().execute(async (tx) => {
        await raiseGeneration(tx, 'auth')
        await tx
          .deleteFrom('node_revocation')
          .where('until', '<', nowSeconds() - KEPT_SECONDS)
          .execute()
        await tx
          .insertInto('node_revocation')
          .values(revocation)
          .onConflict((conflict) => conflict.column('jti').doNothing())
          .execute()
      }),
  }
}

async function readState(tx: Transaction<Database>): Promise<AuthState> {
  return {
    generation: await readGeneration(tx, 'auth'),
    credential: await tx.selectFrom('node_credential').select(['salt', 'fingerprint']).executeTakeFirst(),
    revocations: await tx
      .selectFrom('node_revocation')
      .select(['jti', 'until'])
      .where('until', '>=', nowSeconds() - KEPT_SECONDS)
      .execute(),
  }
}
