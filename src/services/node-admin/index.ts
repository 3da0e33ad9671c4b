/**
 * Operations on a running server: aliases that outlive it, and profiles of it. No HTTP and no SQL; the admin API of
 * nodes is one way to reach them.
 */
export { AdminError } from './admin-error.ts'
export { type Aliases, type AliasesDeps, createAliases } from './aliases.ts'
export { createProfiler, type Profiler } from './profiler.ts'
