import { type Answer, empty, type Incoming, plain } from './answer.ts'
import { DecodeError } from './binary-text.ts'
import { compact, firstValue, GoJsonError, goEscape, kindOf, rawMembers } from './go-json.ts'
import { type Arguments, BadArgumentsError, readArguments } from './gorilla-arguments.ts'

/** An error text of the node itself (JSON-RPC code -32000, HTTP 200). */
export class MethodError extends Error {}

/** Nothing in the recordings says what the node would answer. */
export class NotRecordedError extends Error {}

/** Answers with the JSON text of `result`. */
export type GorillaMethod = (args: Arguments) => string

/** The services of one endpoint: service name to method name (as called) to method. */
export type GorillaServices = Record<string, Record<string, GorillaMethod>>

/** Last resort when a method is not computed: the recorded `result` for the same method and arguments, or undefined. */
export type RecordedFacts = (method: string, params: string | undefined) => string | undefined

interface Call {
  jsonrpc: string
  method: string
  params: string | undefined
  id: string
}

const FIELDS: Record<string, 'string' | 'any'> = { jsonrpc: 'string', method: 'string', params: 'any', id: 'any' }

class CallError extends Error {
  readonly call: Call
  constructor(message: string, call: Call) {
    super(message)
    this.call = call
  }
}

function emptyCall(): Call {
  return { jsonrpc: '', method: '', params: undefined, id: 'null' }
}

function assign(call: Call, name: string, value: string): string | undefined {
  if (name === 'id') call.id = compact(value)
  else if (name === 'params') call.params = value
  else if (value !== 'null') {
    if (kindOf(value) !== 'string') {
      return `json: cannot unmarshal ${kindOf(value)} into Go struct field serverRequest.${name} of type string`
    }
    if (name === 'method') call.method = String(JSON.parse(value))
    else call.jsonrpc = String(JSON.parse(value))
  }
  return undefined
}

function readCall(body: string): Call {
  const call = emptyCall()
  let raw: string
  try {
    raw = firstValue(body)
  } catch (error) {
    if (error instanceof GoJsonError) throw new CallError(error.message, call)
    throw error
  }
  const kind = kindOf(raw)
  if (kind === 'null') return call
  if (kind !== 'object') {
    throw new CallError(`json: cannot unmarshal ${kind} into Go value of type json2.serverRequest`, call)
  }
  let wrong: string | undefined
  for (const [key, value] of rawMembers(raw)) {
    const name = key.toLowerCase()
    if (name in FIELDS) wrong ??= assign(call, name, value)
  }
  if (wrong !== undefined) throw new CallError(wrong, call)
  return call
}

function requestText(call: Call): string {
  const params = call.params === undefined ? 'null' : compact(call.params)
  return `{"jsonrpc":${JSON.stringify(call.jsonrpc)},"method":${JSON.stringify(call.method)},"params":${params},"id":${call.id}}`
}

function errorText(code: number, message: string, data: string, id: string): string {
  return `{"jsonrpc":"2.0","error":{"code":${code},"message":${JSON.stringify(message)},"data":${data}},"id":${id}}`
}

function json(text: string, executed: boolean): Answer {
  const headers: [string, string][] = [['Content-Type', 'application/json; charset=utf-8']]
  if (executed) headers.push(['X-Content-Type-Options', 'nosniff'])
  return { status: 200, headers, body: `${goEscape(text)}\n` }
}

/** The name as the library prints it: the part behind the first dot begins with an upper-case letter. */
function printedName(method: string): string {
  const dot = method.indexOf('.')
  if (dot < 0 || dot === method.length - 1) return method
  return `${method.slice(0, dot + 1)}${(method[dot + 1] ?? '').toUpperCase()}${method.slice(dot + 2)}`
}

function findMethod(services: GorillaServices, name: string): GorillaMethod {
  const parts = name.split('.')
  const [service, method] = parts
  if (service === undefined || method === undefined || parts.length !== 2) {
    throw new MethodError(`rpc: service/method request ill-formed: "${printedName(name)}"`)
  }
  if (/^\p{Lu}/u.test(method)) throw new MethodError('method must start with a non-uppercase letter')
  const methods = services[service]
  if (methods === undefined) throw new MethodError(`rpc: can't find service "${printedName(name)}"`)
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (found === undefined) throw new MethodError(`rpc: can't find method "${printedName(name)}"`)
  return found
}

interface Outcome {
  text: string
  executed: boolean
}

function execute(call: Call, method: GorillaMethod, facts: RecordedFacts): Outcome {
  let args: Arguments
  try {
    args = readArguments(call.params)
  } catch (error) {
    if (error instanceof BadArgumentsError) return { text: failure(error.message, call), executed: false }
    throw error
  }
  try {
    return { text: success(method(args), call), executed: true }
  } catch (error) {
    if (error instanceof BadArgumentsError) return { text: failure(error.message, call), executed: false }
    if (error instanceof MethodError || error instanceof DecodeError) {
      return { text: failure(error.message, call), executed: true }
    }
    if (!(error instanceof NotRecordedError)) throw error
    const result = facts(call.method, call.params)
    return { text: result === undefined ? failure(error.message, call) : success(result, call), executed: true }
  }
}

function success(result: string, call: Call): string {
  return `{"jsonrpc":"2.0","result":${result},"id":${call.id}}`
}

function failure(message: string, call: Call): string {
  return errorText(-32000, message, 'null', call.id)
}

function outcome(call: Call, services: GorillaServices, facts: RecordedFacts): Outcome {
  if (call.jsonrpc !== '2.0') {
    return { text: errorText(-32600, 'jsonrpc must be 2.0', requestText(call), call.id), executed: false }
  }
  let method: GorillaMethod
  try {
    method = findMethod(services, call.method)
  } catch (error) {
    if (error instanceof MethodError) return { text: failure(error.message, call), executed: false }
    throw error
  }
  return execute(call, method, facts)
}

/** Answers one HTTP request in the dialect of the node's non-EVM endpoints. */
export function answerGorilla(request: Incoming, services: GorillaServices, facts: RecordedFacts): Answer {
  if (request.method !== 'POST') return plain(405, `rpc: POST method required, received ${request.method}`)
  const contentType = (request.headers['content-type'] ?? '').split(';')[0] ?? ''
  if (contentType.toLowerCase() !== 'application/json') {
    return plain(415, `rpc: unrecognized Content-Type: ${contentType}`)
  }
  let call: Call
  try {
    call = readCall(request.body.toString('utf8'))
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    return json(errorText(-32700, error.message, requestText(error.call), error.call.id), false)
  }
  const { text, executed } = outcome(call, services, facts)
  if (call.id !== 'null') return json(text, executed)
  return empty(200, executed ? [['X-Content-Type-Options', 'nosniff']] : [])
}
