import { DeadlineError, FirnError } from '../errors.ts'

/** The database cannot be reached, is starting, is full or went away. The same call may succeed later. */
export class StoreUnavailableError extends FirnError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'STORE_UNAVAILABLE', status: 503, retryable: true, cause })
  }
}

/** The database, or its turn, did not come in time. What was asked may still be done. */
export class StoreLateError extends DeadlineError {}

/** A newer version of this program has migrated the database; only that one may write to it. */
export class NewerSchemaError extends StoreUnavailableError {
  /** @param step name of a step that this version does not know */
  constructor(step: string, cause?: unknown) {
    super(
      `the database has the schema of a newer version of this program (step ${step}), and this one cannot go back: start that version`,
      cause,
    )
  }
}

/** The database has to be migrated, and this process must not do it. */
export class OlderSchemaError extends StoreUnavailableError {
  /** @param step name of the first step that is missing */
  constructor(step: string) {
    super(
      `the database has the schema of an earlier version of this program (step ${step} is missing): it is migrated by a server of this version, and nothing is changed here`,
    )
  }
}

/**
 * The database has no tables yet, and this process must not create them: most often the URL is that of another
 * database.
 */
export class NoSchemaError extends StoreUnavailableError {
  constructor() {
    super('the database holds no index: its tables are made by the first server of it, and nothing is changed here')
  }
}

/** The database's role may not do what this program does: somebody else made the tables, or took rights back. */
export class StoreRightsError extends StoreUnavailableError {
  /** @param missing rights and tables, such as `SELECT on tx, utxo` */
  constructor(missing: readonly string[]) {
    super(`rights on tables are missing: ${missing.join('; ')}`)
  }
}

/** Somebody has dropped tables, or the role may not use the schema that they are in. */
export class StoreTablesError extends StoreUnavailableError {
  constructor(missing: readonly string[]) {
    super(`tables are missing: ${missing.join(', ')}`)
  }
}

/** A lock cannot exclude others: the session that would hold it serves other clients, too. */
export class SharedSessionError extends StoreUnavailableError {
  constructor() {
    super(
      'a pooler in front of the database shares sessions among its clients, so that a lock of a session keeps no other indexer out: set store.leader to lease',
    )
  }
}

/** Another process holds the embedded database's folder. */
export class StoreLockedError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'STORE_LOCKED', status: 503, retryable: true })
  }
}

/** A database that can be reached and written but cannot give right answers in its current form. */
export class StoreUnfitError extends FirnError {
  constructor(message: string, code: 'STORE_SPREAD' | 'STORE_ENCODING') {
    super(message, { code, status: 503, expose: true })
  }
}

/** The database distributes the index's tables over shards, where sums are wrong during commits. */
export class StoreSpreadError extends StoreUnfitError {
  constructor(tables: readonly string[]) {
    super(
      `the database spreads tables of the index over shards (${tables.join(', ')}), where balances beside commits are wrong: undo it with undistribute_table, or name another database`,
      'STORE_SPREAD',
    )
  }
}

/** Its encoding lacks characters that token names use. */
export class StoreEncodingError extends StoreUnfitError {
  /** @param encoding as Postgres names it */
  constructor(encoding: string) {
    super(
      `the encoding of the database is ${encoding}, which cannot hold every name of a token: make one with encoding 'UTF8' and template template0`,
      'STORE_ENCODING',
    )
  }
}

/** The index in the database is of another network than the nodes or the configuration name. */
export class OtherNetworkError extends FirnError {
  /** @param difference see `differenceOf` */
  constructor(name: string, difference: string) {
    super(
      `the database holds the index of another network under the name ${name}: ${difference}. Name the database of this network, or another node`,
      { code: 'OTHER_NETWORK', status: 503, expose: true },
    )
  }
}

/** Data from the database contradicts what this program wrote or can have written. */
export class StoreCorruptError extends FirnError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'STORE_CORRUPT', status: 500, cause })
  }
}

/** A range does not continue the stored chain: its first height is not the stored one plus one. */
export class RangeGapError extends FirnError {
  /** Height that the next range has to begin with. */
  readonly expected: bigint
  constructor(stream: string, expected: bigint, from: bigint) {
    super(`${stream}: a range from ${from} was given, ${expected} is next`, { code: 'RANGE_GAP' })
    this.expected = expected
  }
}

/** A range does not continue the stored chain: its parent is another block. On an EVM chain this is a re-org. */
export class RangeParentError extends FirnError {
  constructor(stream: string, height: bigint, stored: string, given: string) {
    super(`${stream}: the block at ${height} is ${stored}, the range builds on ${given}`, { code: 'RANGE_PARENT' })
  }
}

/** The rows of a range contradict each other or what is stored. Nothing of the range was written. */
export class RangeContentError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'RANGE_CONTENT' })
  }
}
