import { FirnError, JsonRpcError, UpstreamUnavailableError } from '../../../errors.ts'
import { escapeHtml } from '../../../lib/json/go-json.ts'
import { parseJsonAsWritten, stringifyAsWritten } from '../../../lib/json/json.ts'
import { type AskEvm, composeActivePrecompiles } from '../../../services/node-fallbacks/index.ts'
import type { EvmApi, EvmRequest } from '../evm/endpoint.ts'
import { errorOf, lacksMethod } from '../forward/judge.ts'
import { scanCall } from '../forward/scan-call.ts'
import { JSON_EVM, type NodeAnswer } from '../http/answer.ts'
import { compactJson } from '../json/write.ts'

const METHOD = 'eth_getActivePrecompilesAt'

/** Bytes; the argument is a timestamp. Larger values of callers may take seconds to parse. */
const LONGEST = 4_096

/** Sends another call to the same endpoint on behalf of the caller. */
const askOf =
  (evm: EvmApi, request: EvmRequest): AskEvm =>
  async (method, params) => {
    const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${stringifyAsWritten(params)}}`)
    const answer = await evm.answer({ ...request, body, contentType: JSON_EVM })
    const error = errorOf(answer.body)
    if (error) throw new JsonRpcError(error.message, error.code)
    // A page, of something in front of a node.
    if (answer.status !== 200) throw new UpstreamUnavailableError(`${method}: status ${answer.status}`)
    // Fees of an L1 may be numbers that a double cannot hold.
    return (parseJsonAsWritten(answer.body.toString()) as { result?: unknown }).result
  }

/**
 * Adds a method to EVM endpoints that the newest nodes dropped: `eth_getActivePrecompilesAt`, when the node lacks it.
 * Single calls only; a batch is answered by one node as a whole.
 */
export function withEvmFallbacks(evm: EvmApi): EvmApi {
  const compose = async (request: EvmRequest, answer: NodeAnswer): Promise<NodeAnswer> => {
    const call = scanCall(request.body)
    if (call?.id === undefined || request.body.length > LONGEST) return answer
    const params: unknown =
      call.params === undefined
        ? []
        : parseJsonAsWritten(request.body.toString('utf8', call.params.from, call.params.to))
    try {
      const result = await composeActivePrecompiles(askOf(evm, request), Array.isArray(params) ? params : [])
      const id = compactJson(request.body.subarray(call.id.from, call.id.to))
      const body = Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":'),
        id,
        Buffer.from(`,"result":${escapeHtml(stringifyAsWritten(result))}}\n`),
      ])
      return { status: 200, contentType: JSON_EVM, body }
    } catch (error) {
      // The methods it is composed of are missing, too, or refused: the node's own answer is returned.
      if (error instanceof FirnError && error.code !== 'CANCELLED') return answer
      throw error
    }
  }
  const { upgrade } = evm
  return {
    answer: async (request) => {
      const answer = await evm.answer(request)
      const lacking = answer.body.includes(METHOD) && lacksMethod(answer.body)
      return lacking && scanCall(request.body)?.method === METHOD ? compose(request, answer) : answer
    },
    ...(upgrade === undefined ? {} : { upgrade: upgrade.bind(evm) }),
  }
}
