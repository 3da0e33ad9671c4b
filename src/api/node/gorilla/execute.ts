import { goJson } from '../../../lib/json/go-json.ts'
import { goQuote } from '../json/go-quote.ts'
import { errorBody, GORILLA_CODES, successBody } from './answer.ts'
import { ArgumentError, readArguments } from './arguments.ts'
import { type LocalCall, type LocalMethod, type LocalResult, MethodError, PASS_ON, RawJson } from './local-service.ts'
import { type GorillaRequest, type ParsedRequest, requestData } from './request.ts'

/** The answer: an empty body for notifications. */
export interface GorillaAnswer {
  body: Buffer
  /** A method ran (even if it failed): the node then forbids content sniffing. */
  executed: boolean
}

const EMPTY = Buffer.alloc(0)

const jsonOf = (result: Exclude<LocalResult, typeof PASS_ON>): string =>
  result instanceof RawJson ? result.text : goJson(result)

/** The name as the library prints it: the part after the first dot begins with an upper-case letter. */
export function printedName(method: string): string {
  const dot = method.indexOf('.')
  if (dot < 0) return method
  const [first = ''] = method.slice(dot + 1)
  // In Go, an upper-case form is a single letter: ß stays unchanged.
  const upper = [...first.toUpperCase()].length === 1 ? first.toUpperCase() : first
  return method.slice(0, dot + 1) + upper + method.slice(dot + 1 + first.length)
}

/** Why a method cannot be called, in the library's words and order; undefined when its name is valid and known. */
export function methodProblem(
  method: string,
  isService: (service: string) => boolean,
  isMethod: (method: string) => boolean,
): string | undefined {
  const dot = method.indexOf('.')
  if (dot >= 0 && /^\p{Lu}/u.test(method.slice(dot + 1))) return 'method must start with a non-uppercase letter'
  const parts = method.split('.')
  const printed = goQuote(printedName(method))
  if (parts.length !== 2) return `rpc: service/method request ill-formed: ${printed}`
  if (!isService(parts[0] ?? '')) return `rpc: can't find service ${printed}`
  return isMethod(method) ? undefined : `rpc: can't find method ${printed}`
}

const failure = (request: GorillaRequest, message: string, executed: boolean): GorillaAnswer => ({
  body: request.id === undefined ? EMPTY : errorBody(GORILLA_CODES.server, message, request.id),
  executed,
})

/** The answer to an invalid call: unreadable, or not version 2.0; undefined for a valid one. */
export function refusal(parsed: ParsedRequest): GorillaAnswer | undefined {
  const { request } = parsed
  if (parsed.kind === 'unreadable')
    return {
      body: errorBody(GORILLA_CODES.parse, parsed.message, request.id, requestData(request)),
      executed: false,
    }
  if (request.jsonrpc === '2.0') return undefined
  const body =
    request.id === undefined
      ? EMPTY
      : errorBody(GORILLA_CODES.invalidRequest, 'jsonrpc must be 2.0', request.id, requestData(request))
  return { body, executed: false }
}

/** The answer to an unknown method. */
export const unknownMethod = (request: GorillaRequest, problem: string): GorillaAnswer =>
  failure(request, problem, false)

/**
 * Runs a method; PASS_ON means that the call must be forwarded.
 * @throws any error of the method except MethodError and ArgumentError: a fault of this server or its upstreams.
 */
export async function execute(
  request: GorillaRequest,
  method: LocalMethod,
  call: LocalCall,
): Promise<GorillaAnswer | typeof PASS_ON> {
  try {
    if (method.isThere && !(await method.isThere()))
      return unknownMethod(request, `rpc: can't find method ${goQuote(printedName(call.method))}`)
    const result = await method(readArguments(request.params), call)
    if (result === PASS_ON) return PASS_ON
    return { body: request.id === undefined ? EMPTY : successBody(jsonOf(result), request.id), executed: true }
  } catch (error) {
    if (error instanceof ArgumentError) return failure(request, error.message, false)
    if (error instanceof MethodError) return failure(request, error.message, true)
    throw error
  }
}
