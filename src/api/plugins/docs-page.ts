import { Readable } from 'node:stream'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

/** The one style that Swagger UI writes into its page, in its own logo. Browsers complain of what a policy leaves out. */
const LOGO_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

/**
 * Content policy of the pages that show an OpenAPI document: everything from here, over http as well. A policy that
 * upgrades requests leaves the page of a server without TLS empty.
 */
const PAGE_POLICY = `default-src 'self'; base-uri 'self'; font-src 'self' data:; frame-ancestors 'self'; img-src 'self' data:; object-src 'none'; script-src 'self'; script-src-attr 'none'; style-src 'self' ${LOGO_STYLE}`

/**
 * The page that shows the OpenAPI document of `app`, in a scope of its own: the plugin decorates the one it is in. Its files
 * go out as whole answers. As streams, which are complete when the client has read them, they had no time limit, and a client
 * that reads nothing kept its connection and an open file for as long as it liked.
 *
 * @param routePrefix without a slash at its end
 */
export async function installDocsPage(app: FastifyInstance, routePrefix: string): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onSend', async (_request, _reply, payload) =>
      payload instanceof Readable ? Buffer.concat(await payload.toArray()) : payload,
    )
    await scope.register(swaggerUi, { routePrefix, staticCSP: PAGE_POLICY })
  })
}
