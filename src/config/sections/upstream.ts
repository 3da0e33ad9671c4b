import { Type } from '@sinclair/typebox'
import { choice, count, ms, section, url, wait } from './field.ts'

/** What a budget that fills up to one second's worth means for those who count at the other end. */
const AFTER_A_PAUSE = 'after a pause up to twice as many within one second'

const upstreamMembers = (schemes: readonly string[]) => ({
  url: url(schemes, { description: 'Base URL. May carry a key: it is never logged, only its host.' }),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Headers sent with every request.', secret: true }),
  ),
  requestsPerSecond: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: `Requests started per second, ${AFTER_A_PAUSE}.` }),
  ),
  maxConcurrent: Type.Optional(Type.Integer({ minimum: 1, description: 'Requests in flight at once.' })),
  batchItems: Type.Optional(
    Type.Integer({ minimum: 1, description: 'JSON-RPC entries per batch; 1 switches batching off.' }),
  ),
  priority: Type.Optional(Type.Integer({ description: 'Lower numbers are preferred while healthy; default 0.' })),
})

/** One server of a chain. Left out limits come from the `upstream` section. */
export const UpstreamSchema = section(upstreamMembers(['https', 'http']))

/** One server of a Bitcoin network; Electrum's are not asked over HTTP. */
export const BitcoinUpstreamSchema = section({
  ...upstreamMembers(['https', 'http', 'tls', 'tcp']),
  kind: choice(['esplora', 'blockbook', 'electrum'], { description: 'Protocol of this server.' }),
})

export const UpstreamLimitsSection = section(
  {
    connectTimeoutMs: wait(3_000, 'Time to connect.'),
    headersTimeoutMs: wait(6_000, 'Time until the answer begins.'),
    bodyTimeoutMs: wait(6_000, 'Longest pause inside an answer.'),
    maxResponseBytes: count(33_554_432, 'Larger answers are cut and count as failures, bytes.'),
    answerRoomBytes: count(
      268_435_456,
      'Bytes of all answers of more than 64 KiB that are being received. Beyond it, the latest answer of the server with most of them is given up, which is 503 with retry-after if no other server answers. One answer of any size always fits.',
    ),
    maxConcurrent: count(64, 'Requests in flight per upstream.'),
    requestsPerSecond: Type.Number({
      exclusiveMinimum: 0,
      default: 50,
      description: `Requests started per second and upstream, ${AFTER_A_PAUSE}; fewer while it refuses some for their number.`,
    }),
    batchItems: count(100, 'JSON-RPC entries per batch.'),
    batchBytes: count(262_144, 'Bytes per JSON-RPC batch; for Solana 50,000 at most, as agave takes 51,200.'),
    maxAttempts: count(
      4,
      'Attempts for one read over all upstreams. Upstreams that do not have the item are not counted: each is asked once before the answer is that it does not exist.',
    ),
    hedgeMinMs: wait(150, 'Earliest hedge of a slow read; 0 switches hedging off.', { minimum: 0 }),
    breakerFailures: count(5, 'Consecutive failures that open the breaker.'),
    breakerOpenMs: ms(10_000, 'Time before a probe is let through an open breaker.'),
    maxLagBlocks: count(3, 'Blocks an upstream may lag behind the best head.', 0),
    maxLagMs: ms(
      60_000,
      'An upstream that lacks a block which another one reported longer ago than this gives no balances, even if no other answers.',
    ),
  },
  { description: 'Limits of every upstream; one upstream may override some.' },
)
