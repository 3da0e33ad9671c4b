import { Readable } from 'node:stream'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createDocumentHandler } from './api-document.ts'
import { createAsset, type ServedAsset, sendAsset } from './send-asset.ts'

/** The one style that Swagger UI writes into its page, in its own logo. Browsers report styles a policy omits. */
const LOGO_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

/**
 * Content policy of the pages that show an OpenAPI document: everything from here, also over http. A policy that
 * upgrades requests leaves the page of a server without TLS empty.
 */
const PAGE_POLICY = `default-src 'self'; base-uri 'self'; font-src 'self' data:; frame-ancestors 'self'; img-src 'self' data:; object-src 'none'; script-src 'self'; script-src-attr 'none'; style-src 'self' ${LOGO_STYLE}`

/** Name of a file of the page: other ways to write it are not kept, so that there are as many as files. */
const FILE = /^[\w-]+(\.[\w-]+)+$/

/** The files of the page, read from the disk once each. They change only with the server. */
function createKeptFiles(routePrefix: string) {
  const files = new Map<string, ServedAsset>()
  const nameOf = ({ method, params, headers, routeOptions: { url } }: FastifyRequest): string | undefined => {
    if (method !== 'GET' || headers.range !== undefined || url !== `${routePrefix}/static/*`) return undefined
    const name = (params as { '*'?: string })['*']
    return name !== undefined && FILE.test(name) ? name : undefined
  }
  return {
    answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined {
      const file = files.get(nameOf(request) ?? '')
      return file && sendAsset(file, request, reply)
    },
    keep(request: FastifyRequest, reply: FastifyReply, body: Buffer): void {
      const name = nameOf(request)
      if (name === undefined || reply.statusCode !== 200) return
      const file = createAsset(String(reply.getHeader('content-type')), body)
      files.set(name, file)
      // The first answer has the headers of all others.
      reply.removeHeader('last-modified').header('cache-control', 'no-cache').header('etag', file.etag)
    },
  }
}

/**
 * The page that shows the OpenAPI document of `app`, in its own scope, because the plugin decorates its scope. Its
 * files are sent as whole answers: as streams, which are complete once the client has read them, they would have no
 * time limit, and a client that reads nothing could keep its connection and an open file indefinitely.
 *
 * @param routePrefix without a trailing slash
 */
export async function installDocsPage(app: FastifyInstance, routePrefix: string): Promise<void> {
  await app.register(async (scope) => {
    const files = createKeptFiles(routePrefix)
    scope.addHook('onSend', async (request, reply, payload) => {
      if (!(payload instanceof Readable)) return payload
      const whole = Buffer.concat(await payload.toArray())
      files.keep(request, reply, whole)
      return whole
    })
    const answer = createDocumentHandler(app)
    scope.addHook('preHandler', async (request, reply) =>
      request.routeOptions.url === `${routePrefix}/json` ? answer(request, reply) : files.answer(request, reply),
    )
    await scope.register(swaggerUi, { routePrefix, staticCSP: PAGE_POLICY })
  })
}
