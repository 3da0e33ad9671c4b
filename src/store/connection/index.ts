/**
 * How the store reaches Postgres: the embedded one in a worker thread, or a server through connections of its own.
 * Both end in one pool shape, so that nothing above knows which of them answers.
 */
export type { Caller } from './caller.ts'
export { type EmbeddedPool, openEmbeddedPool } from './embedded-pool.ts'
export type { ConnectionPool } from './pool.ts'
export { openServerPool } from './server-pool.ts'
