/**
 * Connections to Postgres: the embedded one in a worker thread, or a server. Both have the same pool interface, so that
 * the layers above do not know which of them answers.
 */
export type { Caller } from './caller.ts'
export { hasEmbeddedDatabase } from './embedded/data-folder.ts'
export { type EmbeddedPool, openEmbeddedPool } from './embedded/pool.ts'
export type { ConnectionPool } from './pool.ts'
export { openServerPool } from './server-pool.ts'
