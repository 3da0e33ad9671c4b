import { plainText } from '../http/answer.ts'
import { isLargerThan, readBody, tooLarge, tooManyMembers } from '../http/body.ts'
import { type Exchange, headerOf } from '../http/exchange.ts'
import type { Finish } from '../http/finish.ts'
import { gorillaMediaType } from '../http/media-type.ts'
import { hasManyMembers } from '../json/many-members.ts'
import type { GorillaHandler } from './endpoint-handler.ts'

/** Serves the node's non-EVM endpoints: the HTTP checks of its library, then the body. */
export function createGorillaServing(deps: { answer: GorillaHandler; finish: Finish; bodyLimitBytes: number }) {
  const { answer, finish, bodyLimitBytes } = deps
  return (exchange: Exchange): void => {
    const { request } = exchange
    const type = gorillaMediaType(headerOf(request, 'content-type'))
    if (request.method !== 'POST')
      exchange.send(plainText(405, `rpc: POST method required, received ${request.method}`))
    else if (type.toLowerCase() !== 'application/json')
      exchange.send(plainText(415, `rpc: unrecognized Content-Type: ${type}`))
    else if (isLargerThan(request, bodyLimitBytes)) exchange.send(tooLarge(request, bodyLimitBytes))
    else
      readBody(request, bodyLimitBytes, (read) => {
        if (read.kind === 'cut') exchange.send(tooLarge(request, bodyLimitBytes))
        else if (read.kind === 'gone') return
        else if (hasManyMembers(read.body)) exchange.send(tooManyMembers())
        else finish(exchange, answer(exchange, read.body), read)
      })
  }
}
