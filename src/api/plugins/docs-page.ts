import { Readable } from 'node:stream'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { createDocumentHandler } from './api-document.ts'

/** The one style that Swagger UI writes into its page, in its own logo. Browsers report styles a policy omits. */
const LOGO_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

/**
 * Content policy of the pages that show an OpenAPI document: everything from here, also over http. A policy that
 * upgrades requests leaves the page of a server without TLS empty.
 */
const PAGE_POLICY = `default-src 'self'; base-uri 'self'; font-src 'self' data:; frame-ancestors 'self'; img-src 'self' data:; object-src 'none'; script-src 'self'; script-src-attr 'none'; style-src 'self' ${LOGO_STYLE}`

/**
 * The page that shows the OpenAPI document of `app`, in its own scope, because the plugin decorates its scope. Its
 * files are sent as whole answers: as streams, which are complete once the client has read them, they would have no
 * time limit, and a client that reads nothing could keep its connection and an open file indefinitely.
 *
 * @param routePrefix without a trailing slash
 */
export async function installDocsPage(app: FastifyInstance, routePrefix: string): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onSend', async (_request, _reply, payload) =>
      payload instanceof Readable ? Buffer.concat(await payload.toArray()) : payload,
    )
    const answer = createDocumentHandler(app)
    scope.addHook('preHandler', async (request, reply) =>
      request.routeOptions.url === `${routePrefix}/json` ? answer(request, reply) : undefined,
    )
    await scope.register(swaggerUi, { routePrefix, staticCSP: PAGE_POLICY })
  })
}
