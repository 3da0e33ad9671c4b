/**
 * `/v1/balance/*`: balances of five chain families as a server-sent event stream, and the list of served chains;
 * `/v1/stake/*`: stake rewards.
 * HTTP only: what is read and how it is valued is decided in `services/balances`.
 */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { NativeToken } from '../../chains/capabilities.ts'
import { nextTurn } from '../../lib/next-turn.ts'
import type { BalanceService } from '../../services/balances/index.ts'
import type { StakeRewardsService } from '../../services/stake-rewards/index.ts'
import { PAGE_POLICY } from '../plugins/page-policy.ts'
import type { AppCheck } from './app-check.ts'
import { byPrefixes, type Prefixes } from './by-prefixes.ts'
import { documentInfo } from './document.ts'
import { installErrors, refuse, refuseOtherMethods } from './errors.ts'
import { createPresenter } from './presenter.ts'
import { type Asked, createQuestions } from './questions.ts'
import { createRequestSchemas } from './request-schema.ts'
import { createRequestValidator } from './request-validation.ts'
import { balancesRouteSchema, supportedChainsRouteSchema } from './route-schemas.ts'
import { compileStakeSchemas, createStakeHandler, createStakeSchemas, stakeRouteSchema } from './stake-rewards.ts'
import { createStreams } from './streams.ts'

export interface BalanceApiOptions {
  balances: BalanceService
  /** Left out where nothing is indexed. */
  stakeRewards?: StakeRewardsService
  appCheck: AppCheck
  caip2Ids: readonly string[]
  nativeOf: (caip2Id: string) => NativeToken
  hrps: Prefixes
  limits: {
    bodyLimitBytes: number
    keepAliveMs: number
    stalledReaderMs: number
    maxStreams: number
    /** Time for open streams to finish when the server closes, milliseconds. */
    shutdownGraceMs: number
  }
}

/** Bodies beyond this, bytes, take long enough to parse, to check and to plan that others get turns in between. */
const LONG_BODY = 256 * 1024

export const APP_CHECK_HEADER = 'x-firebase-appcheck'

export async function balanceApi(app: FastifyInstance, options: BalanceApiOptions): Promise<void> {
  installErrors(app)
  app.removeContentTypeParser('text/plain')
  await app.register(swagger, documentInfo)
  const validator = byPrefixes(options.hrps, (hrps) => createRequestValidator(createRequestSchemas(hrps)))
  const questions = createQuestions((body) => validator()(body))
  const streams = createStreams({
    balances: options.balances,
    present: createPresenter(options.nativeOf),
    questions,
    limits: options.limits,
  })
  app.addHook('preClose', () => streams.close(options.limits.shutdownGraceMs))

  // The credential is judged before the body is read: an unknown caller must not make us parse 12 MB.
  const guarded = {
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
      const header = request.headers[APP_CHECK_HEADER]
      const judge = (valid: boolean): void => {
        if (valid) done()
        else refuse(reply, 401)
      }
      const valid = options.appCheck(Array.isArray(header) ? header[0] : header)
      if (typeof valid === 'boolean') judge(valid)
      else valid.then(judge, done)
    },
  }

  await app.register(async (scope) => {
    const parseJson = scope.getDefaultJsonParser('error', 'error')
    scope.removeContentTypeParser('application/json')
    scope.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, raw, done) => {
      const question = questions.known(raw)
      if (question) return done(null, { ok: true, question })
      if (raw.length > LONG_BODY) return void readLong(request, raw).then((asked) => done(null, asked), done)
      return parseJson(request, raw.toString(), (error, json) =>
        done(error, error ? undefined : questions.ask(raw, json)),
      )
    })
    const readLong = async (request: FastifyRequest, raw: Buffer): Promise<Asked> => {
      const text = raw.toString()
      await nextTurn()
      const json = await new Promise<unknown>((resolve, reject) =>
        parseJson(request, text, (error, value) => (error ? reject(error) : resolve(value))),
      )
      await nextTurn()
      const asked = questions.ask(raw, json)
      await nextTurn()
      return asked
    }
    scope.route({
      method: 'POST',
      url: '/v1/balance/get-balances',
      ...guarded,
      bodyLimit: options.limits.bodyLimitBytes,
      schema: balancesRouteSchema(createRequestSchemas(options.hrps())),
      // Our own check speaks of the one item shape that was meant; Ajv would report all five.
      validatorCompiler: () => () => true,
      serializerCompiler: () => JSON.stringify,
      handler: streams.answer,
    })
  })
  refuseOtherMethods(app, '/v1/balance/get-balances', ['POST'])

  const supported = JSON.stringify({ caip2Ids: options.caip2Ids })
  app.route({
    method: 'GET',
    url: '/v1/balance/get-supported-chains',
    ...guarded,
    schema: supportedChainsRouteSchema,
    serializerCompiler: () => JSON.stringify,
    handler: async (_request, reply) => reply.type('application/json; charset=utf-8').send(supported),
  })
  refuseOtherMethods(app, '/v1/balance/get-supported-chains', ['GET', 'HEAD'])

  const stakeChecks = byPrefixes(options.hrps, (hrps) => compileStakeSchemas(createStakeSchemas(hrps)))
  app.route({
    method: 'POST',
    url: '/v1/stake/get-rewards',
    ...guarded,
    schema: stakeRouteSchema(createStakeSchemas(options.hrps())),
    validatorCompiler: () => () => true,
    serializerCompiler: () => JSON.stringify,
    handler: createStakeHandler(stakeChecks, options.stakeRewards),
  })
  refuseOtherMethods(app, '/v1/stake/get-rewards', ['POST'])

  app.get('/schema.json', { schema: { hide: true } }, async () => app.swagger())
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: PAGE_POLICY })
}
