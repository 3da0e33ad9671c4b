import type { Kysely, Transaction } from 'kysely'
import { inChunks } from '../../lib/in-chunks.ts'
import { byteaOf, bytesOf } from '../bytea.ts'
import type { Database } from '../schema/index.ts'

/** A user as stored: all opaque bytes. The name is bytes too, because its limits are counted in them. */
export interface KeystoreUser {
  name: Uint8Array
  hash: Uint8Array
  salt: Uint8Array
}

/**
 * A user whose password was checked. Each has a salt, and so a hash, of its own: by another hash it is another user, who
 * got the name meanwhile.
 */
export type CheckedUser = Pick<KeystoreUser, 'name' | 'hash'>

export interface KeystoreEntry {
  key: Uint8Array
  value: Uint8Array
}

export interface KeystoreRecords {
  find(name: Uint8Array): Promise<KeystoreUser | undefined>
  /** Names in byte order. */
  names(): Promise<Uint8Array[]>
  /** Creates the user with all its entries, or nothing. @returns false when the name is taken */
  create(user: KeystoreUser, entries?: readonly KeystoreEntry[]): Promise<boolean>
  /** Removes the user and its entries. @returns false when there is no such user */
  remove(user: CheckedUser): Promise<boolean>
  /** A consistent snapshot of the user and all its entries, sorted by key bytes. */
  read(name: Uint8Array): Promise<{ user: KeystoreUser; entries: KeystoreEntry[] } | undefined>
  /** The values of some keys; absent keys are left out. */
  values(name: Uint8Array, keys: readonly Uint8Array[]): Promise<KeystoreEntry[]>
  /**
   * Lets `change` compute the writes from the current values, with the user locked so that two requests never undo each
   * other; all writes happen or none.
   * @returns false when there is no such user
   */
  update(user: CheckedUser, keys: readonly Uint8Array[], change: KeystoreChange): Promise<boolean>
}

/** Takes the entries found under the requested keys, returns the entries to write. */
export type KeystoreChange = (found: KeystoreEntry[]) => readonly KeystoreEntry[] | Promise<readonly KeystoreEntry[]>

/** More parameters than any sane user needs at once, fewer than the protocol allows in one statement. */
const ENTRIES_PER_STATEMENT = 1_000

/** Users of the keystore API. Only the service knows the meaning of the bytes. */
export function createKeystoreRecords(db: Kysely<Database>): KeystoreRecords {
  return {
    find: (name) => findUser(db, name),
    async names() {
      const rows = await db.selectFrom('keystore_user').select('name').orderBy('name').execute()
      return rows.map((row) => bytesOf(row.name))
    },
    create: (user, entries = []) =>
      db.transaction().execute(async (tx) => {
        const made = await tx
          .insertInto('keystore_user')
          .values({ name: byteaOf(user.name), hash: byteaOf(user.hash), salt: byteaOf(user.salt) })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .executeTakeFirst()
        if (made.numInsertedOrUpdatedRows !== 1n) return false
        await write(tx, user.name, entries)
        return true
      }),
    async remove({ name, hash }) {
      const gone = await db
        .deleteFrom('keystore_user')
        .where('name', '=', byteaOf(name))
        .where('hash', '=', byteaOf(hash))
        .executeTakeFirst()
      return gone.numDeletedRows === 1n
    },
    read: (name) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (tx) => {
          const user = await findUser(tx, name)
          return user === undefined ? undefined : { user, entries: await readEntries(tx, name) }
        }),
    values: (name, keys) => readEntries(db, name, keys),
    update: ({ name, hash }, keys, change) =>
      db.transaction().execute(async (tx) => {
        const locked = await tx
          .selectFrom('keystore_user')
          .select('name')
          .where('name', '=', byteaOf(name))
          .where('hash', '=', byteaOf(hash))
          .forUpdate()
          .executeTakeFirst()
        if (locked === undefined) return false
        await write(tx, name, await change(await readEntries(tx, name, keys)))
        return true
      }),
  }
}

async function findUser(db: Kysely<Database>, name: Uint8Array): Promise<KeystoreUser | undefined> {
  const row = await db
    .selectFrom('keystore_user')
    .select(['hash', 'salt'])
    .where('name', '=', byteaOf(name))
    .executeTakeFirst()
  return row === undefined ? undefined : { name, hash: bytesOf(row.hash), salt: bytesOf(row.salt) }
}

async function readEntries(
  db: Kysely<Database>,
  name: Uint8Array,
  keys?: readonly Uint8Array[],
): Promise<KeystoreEntry[]> {
  if (keys?.length === 0) return []
  const all = db.selectFrom('keystore_entry').select(['key', 'value']).where('name', '=', byteaOf(name)).orderBy('key')
  const rows = await (keys === undefined ? all : all.where('key', 'in', keys.map(byteaOf))).execute()
  return rows.map((row) => ({ key: bytesOf(row.key), value: bytesOf(row.value) }))
}

async function write(tx: Transaction<Database>, name: Uint8Array, entries: readonly KeystoreEntry[]): Promise<void> {
  // A blob may contain a key twice; the last one counts, as in a key-value database.
  const rows = new Map(entries.map((entry) => [byteaOf(entry.key), byteaOf(entry.value)]))
  const values = [...rows].map(([key, value]) => ({ name: byteaOf(name), key, value }))
  for (const some of inChunks(values, ENTRIES_PER_STATEMENT)) {
    await tx
      .insertInto('keystore_entry')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['name', 'key']).doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
      )
      .execute()
  }
}
