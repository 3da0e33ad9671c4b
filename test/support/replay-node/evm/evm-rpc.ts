import { type Answer, empty, httpError, type Incoming } from '../wire/answer.ts'
import { compact, firstValue, GoJsonError, goEscape, kindOf, rawElements, rawMembers } from '../wire/go-json.ts'
import { NotRecordedError, type RecordedFacts } from '../wire/gorilla-rpc.ts'

/** An error the EVM's JSON-RPC answers with. `data` is left out when empty. */
export class EvmError extends Error {
  readonly code: number
  readonly data: string | undefined
  constructor(code: number, message: string, data?: string) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Gets the unparsed positional parameters and the name it was called by; answers with the JSON text of `result`. */
export type EvmMethod = (params: readonly string[], method: string) => string

export type EvmMethods = Record<string, EvmMethod>

interface Message {
  version: string
  id: string | undefined
  method: string
  params: string | undefined
  response: boolean
}

const MAX_BODY = 5_242_880
const MAX_BATCH = 1000
const MEDIA_TYPES = ['application/json', 'application/json-rpc', 'application/jsonrequest']

/** What is no text leaves the one before it, as Go reads a doubled member. */
function textOf(value: string, before: string): string {
  return kindOf(value) === 'string' ? String(JSON.parse(value)) : before
}

function readMessage(raw: string): Message {
  const message: Message = { version: '', id: undefined, method: '', params: undefined, response: false }
  if (kindOf(raw) !== 'object') return message
  for (const [key, value] of rawMembers(raw)) {
    const name = key.toLowerCase()
    if (name === 'jsonrpc') message.version = textOf(value, message.version)
    else if (name === 'id') message.id = compact(value)
    else if (name === 'method') message.method = textOf(value, message.method)
    else if (name === 'params') message.params = value
    else if (name === 'result') message.response = true
    else if (name === 'error' && value !== 'null') message.response = true
  }
  return message
}

function failure(id: string, error: EvmError): string {
  const data = error.data === undefined ? '' : `,"data":${JSON.stringify(error.data)}`
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${error.code},"message":${JSON.stringify(error.message)}${data}}}`
}

function positional(params: string | undefined): string[] {
  if (params === undefined || params === 'null') return []
  if (kindOf(params) !== 'array') throw new EvmError(-32602, 'non-array args')
  return rawElements(params)
}

/** Whatever ends so is about subscriptions, also where no service is called as it begins. */
function handlerOf(method: string): string {
  return /_(?:un)?subscribe$/.exec(method)?.[0].replace('_', 'eth_') ?? method
}

function call(message: Message, methods: EvmMethods, facts: RecordedFacts): string {
  const id = message.id ?? 'null'
  try {
    const name = handlerOf(message.method)
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (method === undefined) {
      throw new EvmError(-32601, `the method ${message.method} does not exist/is not available`)
    }
    const params = positional(message.params)
    return `{"jsonrpc":"2.0","id":${id},"result":${method(params, message.method)}}`
  } catch (error) {
    if (error instanceof EvmError) return failure(id, error)
    if (!(error instanceof NotRecordedError)) throw error
    const recorded = facts(message.method, message.params)
    // A recorded fact is the text behind the id: result or error, whichever the node gave.
    return recorded === undefined
      ? failure(id, new EvmError(-32000, error.message))
      : `{"jsonrpc":"2.0","id":${id},${recorded}}`
  }
}

/** The answer to one message; undefined when it gets none. */
export function answerMessage(raw: string, methods: EvmMethods, facts: RecordedFacts): string | undefined {
  const message = readMessage(raw)
  const validID = message.id !== undefined && !/^[[{]/.test(message.id)
  const version = message.version === '2.0'
  if (version && message.method !== '' && message.id === undefined) return undefined
  if (version && message.method !== '' && validID) return call(message, methods, facts)
  if (version && validID && message.params === undefined && message.response) return undefined
  return failure(validID ? (message.id ?? 'null') : 'null', new EvmError(-32600, 'invalid request'))
}

function json(text: string, options: { newline: boolean; close?: boolean }): Answer {
  return {
    status: 200,
    headers: [['Content-Type', 'application/json']],
    body: options.newline ? `${goEscape(text)}\n` : goEscape(text),
    ownLength: !options.newline,
    close: options.close ?? false,
  }
}

function answerBatch(entries: string[], methods: EvmMethods, facts: RecordedFacts): Answer {
  if (entries.length === 0) {
    return json(failure('null', new EvmError(-32600, 'empty batch')), { newline: false })
  }
  if (entries.length > MAX_BATCH) {
    const first = entries.map(readMessage).find((message) => message.id !== undefined && message.method !== '')
    return json(`[${failure(first?.id ?? 'null', new EvmError(-32600, 'batch too large'))}]`, { newline: false })
  }
  const answers = entries.map((entry) => answerMessage(entry, methods, facts)).filter((text) => text !== undefined)
  if (answers.length === 0) return { ...empty(200, [['Content-Type', 'application/json']]) }
  return json(`[${answers.join(',')}]`, { newline: true })
}

function refused(request: Incoming): Answer | undefined {
  const { method, headers } = request
  if (method === 'PUT' || method === 'DELETE') return httpError(405, 'method not allowed')
  const length = Number(headers['content-length'] ?? 0)
  if (length > MAX_BODY) {
    return { ...httpError(413, `content length too large (${length}>${MAX_BODY})`), close: true }
  }
  if (method === 'OPTIONS') return undefined
  const media = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (!MEDIA_TYPES.includes(media)) {
    return httpError(415, 'invalid content type, only application/json is supported')
  }
  return undefined
}

/** Answers one HTTP request in the dialect of the EVM endpoints, batches included. */
export function answerEvm(request: Incoming, methods: EvmMethods, facts: RecordedFacts): Answer {
  if (request.method === 'GET' && request.body.length === 0 && !request.target.includes('?')) return empty(200)
  const refusal = refused(request)
  if (refusal !== undefined) return refusal
  const text = request.body.subarray(0, MAX_BODY).toString('utf8')
  if (text.trim() === '') return empty(200, [['Content-Type', 'application/json']])
  try {
    const raw = firstValue(text)
    if (kindOf(raw) === 'array') return answerBatch(rawElements(raw), methods, facts)
    const answer = answerMessage(raw, methods, facts)
    return answer === undefined ? empty(200, [['Content-Type', 'application/json']]) : json(answer, { newline: true })
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error
    const close = request.body.length > MAX_BODY
    return json(failure('null', new EvmError(-32700, 'parse error')), { newline: false, close })
  }
}
