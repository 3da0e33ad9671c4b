/**
 * What several Firn processes share through a Redis-compatible server: counters, short-lived values, turns, news. While
 * the server cannot be reached, callers get `undefined` and continue with what this process knows alone.
 */
export { createSharedCounters, type SharedCounters } from './shared-counters.ts'
export { createSharedNews, type SharedNews } from './shared-news.ts'
export { createSharedServer, type SharedServer, type SharedServerStatus } from './shared-server.ts'
export { createSharedValues, type SharedValues } from './shared-values.ts'
