/**
 * `GET /`: a page for people, and the two small JSON documents that it reads in addition to the public APIs. The page
 * itself is plain HTML, CSS and JavaScript in `browser`, served unchanged: there is no build step.
 */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createRateLimitedLog } from '../../lib/logging/rate-limited-log.ts'
import { sendAsset } from '../plugins/send-asset.ts'
import { readAssets } from './assets.ts'
import type { PageFacts, PageIndex } from './types.ts'

export type { PageChain, PageFacts, PageIndex, PageStream } from './types.ts'

export interface PageOptions {
  facts(): PageFacts
  /** Rejects when the index could not be asked. */
  index(): Promise<PageIndex>
}

/**
 * Only what this server serves, no inline script or style, no frame around the page. Trusted types without a policy
 * disable `innerHTML` and the like: names chosen by strangers can only ever be text.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

export async function pageApi(app: FastifyInstance, options: PageOptions): Promise<void> {
  const rateLimited = createRateLimitedLog()
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(HEADERS)
  })
  const page = (name: string): string => (name === 'page.html' ? '/' : `/page/${name}`)
  for (const [name, asset] of readAssets()) {
    app.get(page(name), { schema: { hide: true } }, (request, reply) => sendAsset(asset, request, reply))
  }
  // Names of chains, coins and prefixes come from the configuration; get-supported-chains has only their ids.
  app.get('/page/facts.json', { schema: { hide: true } }, async (_request, reply) => fresh(reply).send(options.facts()))
  // Elsewhere, progress is only in headers of answers, which exist once there is an index, without tip, rate and phase.
  app.get('/page/index.json', { schema: { hide: true } }, async (request, reply) => {
    try {
      return fresh(reply).send(await options.index())
    } catch (error) {
      rateLimited('index', (others) =>
        request.log.warn({ ...others, err: error }, 'the progress of the index could not be read'),
      )
      return fresh(reply).code(503).send({ message: 'the index could not be read' })
    }
  })
}

const fresh = (reply: FastifyReply): FastifyReply =>
  reply.header('cache-control', 'no-store').type('application/json; charset=utf-8')
