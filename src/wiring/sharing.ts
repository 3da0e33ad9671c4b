import type { Logger } from 'pino'
import type { Config } from '../config/index.ts'
import { APPLICATION_TAG, type HealthCheck } from '../services/node-health/index.ts'
import {
  createSharedCounters,
  createSharedNews,
  createSharedServer,
  createSharedValues,
  type SharedCounters,
  type SharedNews,
  type SharedServer,
  type SharedValues,
} from '../sharing/index.ts'

/** What this process shares with others. */
export interface ServerSharing {
  server: SharedServer
  counters: SharedCounters
  values: SharedValues
  news(channel: string): SharedNews
  /** The `redis` check: always healthy, as every process can continue alone; it reports whether this one has to. */
  check: HealthCheck
}

/** Undefined when this process is configured to be the only one. */
export function createServerSharing({ redis }: Config, logger: Logger): ServerSharing | undefined {
  const { url, ...options } = redis
  if (url === undefined) return undefined
  const server = createSharedServer({
    ...options,
    url,
    onChange: ({ state, trouble }) => {
      if (state === 'shared') logger.info('limits and prices are shared with other processes')
      else logger.warn({ trouble }, 'the Redis server is away: limits and prices of this process alone')
    },
  })
  return {
    server,
    counters: createSharedCounters(server),
    values: createSharedValues(server),
    news: (channel) => createSharedNews(server, channel),
    check: {
      name: 'redis',
      tags: () => [APPLICATION_TAG],
      run: () => {
        const { state, since, trouble } = server.status()
        return { state, since: new Date(since).toISOString(), ...(trouble === undefined ? {} : { trouble }) }
      },
    },
  }
}
