/**
 * `/v1/*`: indexed chain data as the official SDKs read it. One file per resource, each a list of routes, in `primary` (P,
 * X and C's atomic side) or `evm`; this file adds what they share: budgets, errors, paths, the document and its page.
 */
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createDocumentHandler } from '../plugins/api-document.ts'
import { installDocsPage } from '../plugins/docs-page.ts'
import { type ComputeUnits, WEIGHTS } from './compute-units.ts'
import { documentInfo } from './document.ts'
import { installErrors, notFound, refuse } from './errors.ts'
import { queryValidator } from './query-validator.ts'
import type { DataRoute } from './route.ts'

export interface DataApiOptions {
  routes: readonly DataRoute[]
  computeUnits: ComputeUnits
  /** Prefix of every path; clients may be configured with a base URL that has a path. */
  pathPrefix: string
}

/** 1,024 addresses are some 100 kB; parsing larger bodies takes time, during which no other request is answered. */
export const MAX_BODY_BYTES = 1_048_576

export const API_KEY_HEADER = 'x-glacier-api-key'

export async function dataApi(app: FastifyInstance, options: DataApiOptions): Promise<void> {
  installErrors(app)
  relaxBodies(app)
  await app.register(swagger, documentInfo(options.pathPrefix))

  for (const route of options.routes) {
    add(app, route, `${options.pathPrefix}${route.url}`, false, options.computeUnits)
    for (const alias of route.aliases ?? []) {
      add(app, route, `${options.pathPrefix}${alias}`, true, options.computeUnits)
    }
  }
  app.all(`${options.pathPrefix}/v1/*`, { schema: { hide: true } }, notFound)

  // Clients whose base URL has a path look for the document below it, and a proxy may forward nothing else.
  const document = createDocumentHandler(app)
  for (const place of new Set(['', options.pathPrefix])) {
    app.get(`${place}/api-json`, { schema: { hide: true } }, document)
    await installDocsPage(app, `${place}/api`)
  }
}

function add(app: FastifyInstance, route: DataRoute, url: string, hide: boolean, computeUnits: ComputeUnits): void {
  app.route({
    method: route.method,
    url,
    bodyLimit: Math.min(app.initialConfig.bodyLimit ?? MAX_BODY_BYTES, MAX_BODY_BYTES),
    schema: {
      operationId: route.operationId,
      tags: [route.tag],
      summary: route.summary,
      description: described(route),
      'x-execution-weight': route.weight,
      ...(route.params ? { params: route.params } : {}),
      ...(route.query ? { querystring: route.query } : {}),
      ...(route.body ? { body: route.body } : {}),
      response: route.response,
      hide,
    } as never,
    validatorCompiler: queryValidator,
    serializerCompiler: () => JSON.stringify,
    onRequest: (request, reply) => charge(request, reply, route, computeUnits),
    handler: (request, reply) => route.handle(request, reply),
  })
}

/** With what a call takes: the units of a plan say little to whoever does not know it. */
const described = ({ description, weight }: DataRoute): string =>
  [description, `Takes ${WEIGHTS[weight]} compute unit${WEIGHTS[weight] === 1 ? '' : 's'}.`].filter(Boolean).join(' ')

/** Budget first: for a caller without any left, the refusal is the only work done. */
async function charge(request: FastifyRequest, reply: FastifyReply, route: DataRoute, computeUnits: ComputeUnits) {
  // A cached copy would hide its age.
  reply.header('cache-control', 'no-store')
  const admission = await computeUnits.admit(apiKeyOf(request), request.ip, route.weight, route.operationId)
  reply.headers(admission.headers)
  if (admission.ok) return undefined
  if (admission.status === 429) return refuse(reply, 429, admission.message)
  if (admission.status === 401) return refuse(reply, 401, `a known key is needed in the header ${API_KEY_HEADER}`)
  return refuse(reply, 403, `the plan of this key does not include ${route.operationId}`)
}

/** The first one where the header comes twice: `headers` joins them with commas, which is nobody's key. */
function apiKeyOf({ raw: { rawHeaders } }: FastifyRequest): string | undefined {
  const at = rawHeaders.findIndex((text, place) => place % 2 === 0 && text.toLowerCase() === API_KEY_HEADER)
  return at < 0 ? undefined : rawHeaders[at + 1]
}

/**
 * Some clients POST without a body but with a content type (of forms and others), which is accepted. An operation that
 * takes no body ignores it.
 */
function relaxBodies(app: FastifyInstance): void {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  const parse = app.getDefaultJsonParser('error', 'error')
  const takesBody = (request: FastifyRequest): boolean => request.routeOptions.schema?.body !== undefined
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '' || !takesBody(request)) done(null, undefined)
    else parse(request, body as string, done)
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, _body, done) => {
    if (!takesBody(request)) done(null, undefined)
    else done(Object.assign(new Error('Unsupported Media Type: send application/json'), { statusCode: 415 }))
  })
}
