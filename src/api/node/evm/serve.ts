import { JSON_EVM, type NodeAnswer } from '../http/answer.ts'
import { readBody } from '../http/body.ts'
import { type Exchange, headerOf } from '../http/exchange.ts'
import type { Finish } from '../http/finish.ts'
import type { EvmApi } from './endpoint.ts'
import { answerOddBody, EVM_BODY_LIMIT, refuseEvmHttp } from './http-checks.ts'

const ANYTHING = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}')

/**
 * What a request that is refused, a probe by GET or an empty body is answered with. Of an L1 it is only known that the
 * network lists it: a node that does not run it answers 404 to whatever is asked, and a balancer must not take that for
 * a chain that is up. Where no node says so, the answer is that of any EVM endpoint.
 */
async function refusalOf(evm: EvmApi, { endpoint, signal }: Exchange, refused: NodeAnswer): Promise<NodeAnswer> {
  if (typeof endpoint.source === 'string') return refused
  const call = { endpoint, body: ANYTHING, contentType: JSON_EVM, signal: signal() }
  const answer = await evm.answer(call).catch(() => refused)
  return answer.status === 404 ? answer : refused
}

/** Serves EVM endpoints: the HTTP checks of geth, then the body. */
export function createEvmServing(deps: { evm: EvmApi; finish: Finish }) {
  const { evm, finish } = deps
  return (exchange: Exchange): void => {
    const { request, endpoint, signal } = exchange
    const refused = refuseEvmHttp(exchange)
    if (refused) {
      finish(exchange, refusalOf(evm, exchange, refused))
      return
    }
    readBody(request, EVM_BODY_LIMIT, (read) => {
      if (read.kind === 'gone') return
      const odd = answerOddBody(read)
      // geth looks at the type of every body but that of OPTIONS; nodes are asked by POST, and would refuse it.
      const contentType = request.method === 'OPTIONS' ? JSON_EVM : headerOf(request, 'content-type')
      if (odd) finish(exchange, refusalOf(evm, exchange, odd))
      else if (read.kind === 'whole') {
        const { body } = read
        finish(exchange, evm.answer({ endpoint, body, contentType, signal: signal() }), read)
      }
    })
  }
}
