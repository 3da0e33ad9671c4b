import { UpstreamUnavailableError } from '../../../errors.ts'
import { goJson } from '../../../lib/json/go-json.ts'
import { posted } from '../forward/call.ts'
import type { Forwarder } from '../forward/forwarder.ts'
import { errorOf, lacksMethod } from '../forward/judge.ts'
import { namedByIds } from '../forward/named-by-ids.ts'
import { isCleanCall, scanCall } from '../forward/scan-call.ts'
import { JSON_GORILLA, type NodeAnswer } from '../http/answer.ts'
import type { CallerAddress } from '../http/caller-address.ts'
import { type Exchange, headerOf } from '../http/exchange.ts'
import { memberOf, type Span } from '../json/spans.ts'
import { compactJson } from '../json/write.ts'
import { ruleOf } from '../methods/forwarded.ts'
import type { MethodTable } from '../methods/method-table.ts'
import type { ChainDirectory } from '../routes/chain-directory.ts'
import { type Endpoint, endpointByName } from '../routes/endpoint.ts'
import { execute, type GorillaAnswer, methodProblem, refusal, unknownMethod } from './execute.ts'
import { type LocalCall, type LocalMethod, MethodError, PASS_ON } from './local-service.ts'
import { type GorillaRequest, parseRequest } from './request.ts'

/** Answers POSTs to the node's non-EVM endpoints that have passed the HTTP checks. */
export type GorillaHandler = (exchange: Exchange, body: Buffer) => Promise<NodeAnswer>

const present = ({ body, executed }: GorillaAnswer): NodeAnswer =>
  body.length === 0
    ? { status: 200, body, nosniff: executed }
    : { status: 200, contentType: JSON_GORILLA, body, nosniff: executed }

/** JSON text of `result` in a node's answer. */
function resultOf(answer: NodeAnswer, method: string): string {
  const error = errorOf(answer.body)
  if (answer.status === 200 && error) throw new MethodError(error.message)
  const result = answer.status === 200 ? memberOf(answer.body, 'result')?.toString('utf8') : undefined
  if (result === undefined) throw new UpstreamUnavailableError(`${method}: status ${answer.status} without a result`)
  return result
}

const ASK_ID = Buffer.from('1')

/** Asks a node on behalf of a local method. */
const askNode =
  ({ forwarder, chains }: GorillaHandlerDeps, endpoint: Endpoint, signal: AbortSignal): LocalCall['ask'] =>
  async (method, params, name) => {
    const target = name === undefined ? endpoint : endpointByName(name)
    if (!target) throw new Error(`no endpoint ${name}`)
    const asked = Buffer.from(goJson(params))
    const named = namedByIds(method, asked, chains.aliased())
    const text = named?.params ?? asked
    const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":${goJson(method)},"params":${text.toString()}}`)
    const answer = await forwarder.forward({
      endpoint: target,
      rule: ruleOf(method),
      method,
      params: text,
      id: ASK_ID,
      isClean: () => true,
      http: posted(body),
      signal,
    })
    return resultOf(named ? { ...answer, body: named.inOwnNames(answer.body) } : answer, method)
  }

export interface GorillaHandlerDeps {
  table: MethodTable
  forwarder: Pick<Forwarder, 'forward'>
  callerAddress: CallerAddress
  chains: Pick<ChainDirectory, 'aliased'>
}

/** The body with other params. */
const withParams = (body: Buffer, { from, to }: Span, params: Buffer): Buffer =>
  Buffer.concat([body.subarray(0, from), params, body.subarray(to)])

export function createGorillaHandler(deps: GorillaHandlerDeps): GorillaHandler {
  const { table, forwarder, callerAddress, chains } = deps
  const forward = async (exchange: Exchange, sent: Buffer): Promise<NodeAnswer> => {
    const { endpoint, request, signal } = exchange
    const call = scanCall(sent)
    const asked = call?.params && sent.subarray(call.params.from, call.params.to)
    const named = namedByIds(call?.method, asked, chains.aliased())
    const params = named?.params ?? asked
    const body = named && call?.params ? withParams(sent, call.params, named.params) : sent
    const id =
      call?.id && sent[call.id.from] !== 0x6e ? compactJson(sent.subarray(call.id.from, call.id.to)) : undefined
    const method = call?.method
    const isClean = (): boolean => call !== undefined && isCleanCall(sent, call)
    const rule = ruleOf(method)
    const caller = callerAddress(request)
    const answer = await forwarder.forward({
      ...{ endpoint, rule, method, params, id, isClean, caller },
      http: posted(body),
      signal: signal(),
    })
    return named ? { ...answer, body: named.inOwnNames(answer.body) } : answer
  }
  const localCall = (exchange: Exchange, request: GorillaRequest): LocalCall => ({
    method: request.method,
    endpoint: exchange.endpoint.name,
    remoteAddress: exchange.request.socket.remoteAddress,
    callerAddress: callerAddress(exchange.request),
    header: (name) => headerOf(exchange.request, name),
    get signal() {
      return exchange.signal()
    },
    ask: (method, params, endpoint) => askNode(deps, exchange.endpoint, exchange.signal())(method, params, endpoint),
  })
  const run = async (exchange: Exchange, body: Buffer, request: GorillaRequest, method: LocalMethod) => {
    const done = await execute(request, method, localCall(exchange, request))
    return done === PASS_ON ? forward(exchange, body) : present(done)
  }
  /** Parses the body as strictly as a node and answers without asking one, unless the method passes the call on. */
  const answerHere = async (exchange: Exchange, body: Buffer): Promise<NodeAnswer> => {
    const parsed = parseRequest(body)
    const refused = refusal(parsed)
    if (refused) return present(refused)
    const { request } = parsed
    const { name } = exchange.endpoint
    const entry = table.entry(name, request.method)
    const problem = methodProblem(
      request.method,
      (service) => !table.isWhole(name) || table.isService(name, service),
      () => entry.kind !== 'unknown',
    )
    if (problem !== undefined) return present(unknownMethod(request, problem))
    return entry.kind === 'local' ? run(exchange, body, request, entry.method) : forward(exchange, body)
  }
  const compose = async (exchange: Exchange, body: Buffer, fallback: LocalMethod, answer: NodeAnswer) => {
    const parsed = parseRequest(body)
    if (refusal(parsed)) return answer
    const done = await execute(parsed.request, fallback, localCall(exchange, parsed.request))
    return done === PASS_ON ? answer : present(done)
  }
  return async (exchange, body) => {
    const { name } = exchange.endpoint
    if (!table.hasLocal(name) && !table.isPublic) return forward(exchange, body)
    if (table.isWhole(name)) return answerHere(exchange, body)
    const entry = table.entry(name, scanCall(body)?.method)
    if (entry.kind !== 'forward') return answerHere(exchange, body)
    const answer = await forward(exchange, body)
    return entry.fallback && lacksMethod(answer.body) ? compose(exchange, body, entry.fallback, answer) : answer
  }
}
