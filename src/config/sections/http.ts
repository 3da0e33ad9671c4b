import { Type } from '@sinclair/typebox'
import { choice, count, list, ms, section, toggle, wait } from './field.ts'

export const HttpSection = section({
  host: Type.String({ minLength: 1, default: '127.0.0.1', description: 'Address to listen on.' }),
  port: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 8650,
    description: 'Port to listen on; 0 picks a free one.',
  }),
  bodyLimitBytes: count(16_777_216, 'Largest accepted request body of /v1, bytes.'),
  bodyRoomBytes: count(
    268_435_456,
    'Bytes of all request bodies in memory. Beyond it, the body of over 64 KiB that has been arriving for longest is 503 with retry-after. One body of the largest size always fits.',
  ),
  corsOrigins: list(
    // No path, not even a slash: browsers send none, so such an origin would match nobody.
    Type.String({
      pattern: '^(\\*|null|(\\*|[A-Za-z][A-Za-z0-9+.-]*://)[^\\s/?#]+)$',
      allowed: 'an origin such as https://app.example.org or https://*.example.org, or *',
    }),
    'Origins that browsers may call from.',
    ['*'],
    { flag: 'http-allowed-origins' },
  ),
  keepAliveTimeoutMs: wait(72_000, 'Idle keep-alive connections are closed after this.'),
  headersTimeoutMs: wait(15_000, 'Time for a client to send its headers.'),
  requestTimeoutMs: wait(60_000, 'Time for a client to send its whole request.'),
  answerTimeoutMs: wait(120_000, 'Time for a client to read a complete answer; then its connection is cut.'),
  answerRoomBytes: count(
    268_435_456,
    'Bytes of all answers that clients have not read yet. Beyond it, the clients that have been behind for longest with more than 64 KiB are cut.',
  ),
  maxConnections: count(10_000, 'Connections beyond this are refused.'),
  maxInFlight: count(4_096, 'Requests in flight, streams included; one more is 503 with retry-after.'),
  maxPerClient: count(
    0,
    'Requests, streams and WebSockets of one client address (IPv6: /64) at a time; one more is 503 with retry-after. Without trustProxy, an address may have twice as many connections. 0 = no limit: all clients of a company, or of a proxy without trustProxy, are one address.',
    0,
  ),
  maxEventLoopDelayMs: ms(500, 'Mean event loop delay, two seconds in a row, above which requests are 503; 0 = never.'),
  maxHeapPercent: Type.Integer({
    minimum: 0,
    maximum: 95,
    default: 60,
    description:
      "Percent of V8's heap limit that live objects may take; above it requests are 503 with retry-after, so that the process does not run out of memory. 0 = no check.",
  }),
  shutdownDelayMs: wait(
    500,
    'Time after SIGTERM in which readiness is already 503 and requests are still served, so that load balancers notice and clients close idle connections.',
    { minimum: 0 },
  ),
  shutdownGraceMs: wait(10_000, 'Time for open answers to finish on SIGTERM before they are cut.', { minimum: 0 }),
  trustProxy: toggle(false, 'Believe X-Forwarded-For of a reverse proxy.'),
  proxyHops: count(
    1,
    'Number of your reverse proxies in a row; addresses further left in X-Forwarded-For are not believed.',
  ),
})

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export const LogSection = section({
  level: choice(LEVELS, { default: 'info', description: 'Lowest level written.' }),
  displayLevel: Type.Optional(
    choice(LEVELS, { description: 'Lowest level written to standard error; left out = level.' }),
  ),
  dir: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Folder of log files, one per logger, besides standard error; left out = none.',
    }),
  ),
})
