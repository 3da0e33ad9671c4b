/**
 * What several Firn processes hold in common through a Redis-compatible server: counters, short-lived values, turns, news.
 * Whoever asks gets `undefined` while the server cannot be reached and goes on with what this process knows alone.
 */
export { createSharedCounters, type SharedCounters } from './shared-counters.ts'
export { createSharedNews, type SharedNews } from './shared-news.ts'
export { createSharedServer, type SharedServer, type SharedServerStatus } from './shared-server.ts'
export { createSharedValues, type SharedValues } from './shared-values.ts'
