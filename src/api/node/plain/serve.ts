import type { ForwardCall } from '../forward/call.ts'
import type { Forwarder } from '../forward/forwarder.ts'
import type { NodeAnswer } from '../http/answer.ts'
import { isLargerThan, readBody, tooLarge } from '../http/body.ts'
import { type Exchange, headerOf } from '../http/exchange.ts'
import type { Finish } from '../http/finish.ts'
import { goQuery } from './go-query.ts'
import type { LocalEndpoint } from './local-endpoint.ts'

/** Asks a local endpoint; undefined = it does not handle this request. */
export function askLocal({ request, endpoint, target, signal }: Exchange, local: LocalEndpoint) {
  return local.answer({
    endpoint,
    method: request.method ?? 'GET',
    query: goQuery(target.query),
    header: (name) => headerOf(request, name),
    signal: signal(),
  })
}

/** Forwards a plain HTTP request unchanged, to the identity node or to any. */
export function createPlainServing(deps: {
  forwarder: Pick<Forwarder, 'forward'>
  finish: Finish
  bodyLimitBytes: number
}) {
  const { forwarder, finish, bodyLimitBytes } = deps
  const forward = (exchange: Exchange, target: 'identity' | 'any', body: Buffer): Promise<NodeAnswer> => {
    const { request, endpoint, signal } = exchange
    // The bytes are requested and then dropped, so that their length is known.
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const http: ForwardCall['http'] = {
      method: method as ForwardCall['http']['method'],
      contentType: headerOf(request, 'content-type'),
      contentEncoding: headerOf(request, 'content-encoding'),
      query: exchange.target.query,
      body: body.length === 0 ? undefined : body,
    }
    const nothing = { method: undefined, params: undefined, id: undefined, isClean: () => false }
    return forwarder.forward({ endpoint, rule: { target }, ...nothing, http, signal: signal() })
  }
  return (exchange: Exchange, target: 'identity' | 'any'): void => {
    const { request } = exchange
    if (isLargerThan(request, bodyLimitBytes)) exchange.send(tooLarge(request, bodyLimitBytes))
    else
      readBody(request, bodyLimitBytes, (read) => {
        if (read.kind === 'cut') exchange.send(tooLarge(request, bodyLimitBytes))
        else if (read.kind === 'whole') finish(exchange, forward(exchange, target, read.body))
      })
  }
}
