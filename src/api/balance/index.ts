/**
 * `/v1/balance/*`: balances of every chain family as a server-sent event stream, and the list of served chains;
 * `/v1/stake/*`: stake rewards. HTTP only: `services/balances` decides what is read and how it is valued.
 */
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { NativeToken } from '../../chains/capabilities.ts'
import { nextTurn } from '../../lib/waiting/next-turn.ts'
import type { BalanceService } from '../../services/balances/index.ts'
import type { StakeRewardsService } from '../../services/stake-rewards/index.ts'
import { createDocumentHandler } from '../plugins/api-document.ts'
import { installDocsPage } from '../plugins/docs-page.ts'
import { APP_CHECK_HEADER, type AppCheck } from './app-check.ts'
import { isTooHeavy } from './body-weight.ts'
import { checkByPrefixes, type KnownPrefixes } from './by-prefixes.ts'
import { documentInfo } from './document.ts'
import { installErrors, refuse, refuseOtherMethods } from './errors.ts'
import { issue } from './issues.ts'
import { createPresenter } from './presenter.ts'
import { type Asked, createQuestions, type Questions } from './questions.ts'
import { createRequestSchemas } from './request-schema.ts'
import { createRequestValidator } from './request-validation.ts'
import { balancesRouteSchema, supportedChainsRouteSchema } from './route-schemas.ts'
import { createStakeCheck, createStakeHandler, createStakeSchemas, stakeRouteSchema } from './stake-rewards.ts'
import { createStreams } from './streams.ts'

export interface BalanceApiOptions extends KnownPrefixes {
  balances: BalanceService
  /** Left out where nothing is indexed. */
  stakeRewards?: StakeRewardsService
  appCheck: AppCheck
  /** Currently served chains: chains may be added while the server runs. */
  caip2Ids: () => readonly string[]
  nativeOf: (caip2Id: string) => NativeToken
  /**
   * Whether there is no room for another stream, given the bytes that open streams have yet to take. Left out: there is
   * always room.
   */
  isFull?: (toCome: number) => boolean
  limits: {
    bodyLimitBytes: number
    keepAliveMs: number
    stalledReaderMs: number
    maxStreams: number
    /** Time for open streams to finish when the server closes, milliseconds. */
    shutdownGraceMs: number
  }
}

/** Larger bodies take so long to parse, check and plan that other requests get turns in between. Bytes. */
const LONG_BODY = 256 * 1024

const TOO_HEAVY = issue([], 'invalid_size', 'holds more values than any request needs')

/** `get-rewards` takes a hundred addresses. */
export const STAKE_BODY = 65_536

export async function balanceApi(app: FastifyInstance, options: BalanceApiOptions): Promise<void> {
  installErrors(app)
  app.removeContentTypeParser('text/plain')
  await app.register(swagger, documentInfo)
  const guarded = { onRequest: createGuard(options.appCheck) }
  await routeBalances(app, options, guarded)
  routeSupportedChains(app, options, guarded)
  routeStakeRewards(app, options, guarded)
  app.get('/schema.json', { schema: { hide: true } }, createDocumentHandler(app))
  await installDocsPage(app, '/docs')
}

interface Guarded {
  onRequest(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void
}

/** The credential is checked before the body is read: an unknown caller must not make us parse 12 MB. */
function createGuard(appCheck: AppCheck): Guarded['onRequest'] {
  return (request, reply, done) => {
    // Caches on the way do not know this header: they would serve one caller's answer, or refusal, to everyone.
    reply.header('cache-control', 'no-store')
    const header = request.headers[APP_CHECK_HEADER]
    const judge = (valid: boolean): void => {
      if (valid) done()
      else refuse(reply, 401)
    }
    const valid = appCheck(Array.isArray(header) ? header[0] : header)
    if (typeof valid === 'boolean') judge(valid)
    else valid.then(judge, done)
  }
}

async function routeBalances(app: FastifyInstance, options: BalanceApiOptions, guarded: Guarded): Promise<void> {
  const url = '/v1/balance/get-balances'
  const validate = checkByPrefixes(options, (hrps) => createRequestValidator(createRequestSchemas(hrps)))
  const questions = createQuestions(validate)
  const streams = createStreams({
    balances: options.balances,
    present: createPresenter(options.nativeOf),
    questions,
    ...(options.isFull && { isFull: options.isFull }),
    limits: options.limits,
  })
  app.addHook('preClose', () => streams.close(options.limits.shutdownGraceMs))
  // The parser of this route only: the others keep the framework's.
  await app.register(async (scope) => {
    parseQuestions(scope, questions)
    scope.route({
      method: 'POST',
      url,
      ...guarded,
      bodyLimit: options.limits.bodyLimitBytes,
      schema: balancesRouteSchema(createRequestSchemas(options.hrps())),
      // Our own check reports only the item shape that was meant; Ajv would report all five.
      validatorCompiler: () => () => true,
      serializerCompiler: () => JSON.stringify,
      handler: streams.answer,
    })
  })
  refuseOtherMethods(app, url, ['POST'])
}

/** Turns bodies into questions. Identical bytes are not parsed again, and long bodies yield to other requests. */
function parseQuestions(scope: FastifyInstance, questions: Questions): void {
  const parseJson = scope.getDefaultJsonParser('error', 'error')
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
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, raw, done) => {
    const question = questions.known(raw)
    if (question) return done(null, { ok: true, question })
    if (isTooHeavy(raw)) return done(null, { ok: false, issues: [TOO_HEAVY] })
    if (raw.length > LONG_BODY) return void readLong(request, raw).then((asked) => done(null, asked), done)
    return parseJson(request, raw.toString(), (error, json) =>
      done(error, error ? undefined : questions.ask(raw, json)),
    )
  })
}

function routeSupportedChains(app: FastifyInstance, { caip2Ids }: BalanceApiOptions, guarded: Guarded): void {
  const url = '/v1/balance/get-supported-chains'
  app.route({
    method: 'GET',
    url,
    ...guarded,
    schema: supportedChainsRouteSchema,
    serializerCompiler: () => JSON.stringify,
    handler: async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify({ caip2Ids: caip2Ids() })),
  })
  refuseOtherMethods(app, url, ['GET', 'HEAD'])
}

function routeStakeRewards(app: FastifyInstance, options: BalanceApiOptions, guarded: Guarded): void {
  const { hrps, stakeRewards, limits } = options
  const url = '/v1/stake/get-rewards'
  const check = checkByPrefixes(options, (prefixes) => createStakeCheck(createStakeSchemas(prefixes)))
  app.route({
    method: 'POST',
    url,
    ...guarded,
    bodyLimit: Math.min(limits.bodyLimitBytes, STAKE_BODY),
    schema: stakeRouteSchema(createStakeSchemas(hrps())),
    validatorCompiler: () => () => true,
    serializerCompiler: () => JSON.stringify,
    handler: createStakeHandler(check, stakeRewards),
  })
  refuseOtherMethods(app, url, ['POST'])
}
