import { JSON_EVM } from '../http/answer.ts'
import { readBody } from '../http/body.ts'
import { type Exchange, headerOf } from '../http/exchange.ts'
import type { Finish } from '../http/finish.ts'
import type { EvmApi } from './endpoint.ts'
import { answerOddBody, EVM_BODY_LIMIT, refuseEvmHttp } from './http-checks.ts'

/** Serves EVM endpoints: the HTTP checks of geth, then the body. */
export function createEvmServing(deps: { evm: EvmApi; finish: Finish }) {
  const { evm, finish } = deps
  return (exchange: Exchange): void => {
    const { request, endpoint, signal } = exchange
    const refused = refuseEvmHttp(exchange)
    if (refused) {
      exchange.send(refused)
      return
    }
    readBody(request, EVM_BODY_LIMIT, (read) => {
      if (read.kind === 'gone') return
      const odd = answerOddBody(read)
      // geth looks at the type of every body but that of OPTIONS; nodes are asked by POST, and would refuse it.
      const contentType = request.method === 'OPTIONS' ? JSON_EVM : headerOf(request, 'content-type')
      const contentEncoding = headerOf(request, 'content-encoding')
      if (odd) exchange.send(odd)
      else if (read.kind === 'whole') {
        const { body } = read
        finish(exchange, evm.answer({ endpoint, body, contentType, contentEncoding, signal: signal() }), read)
      }
    })
  }
}
