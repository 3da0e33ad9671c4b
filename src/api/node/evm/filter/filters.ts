import { FirnError, UpstreamUnavailableError } from '../../../../errors.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import { forwardHeaders } from '../../forward/call.ts'
import { answerOf } from '../../forward/forwarded-answer.ts'
import { type Judge, judgeCall, judgeRpc } from '../../forward/judge.ts'
import type { Member, NodePools } from '../../forward/node-pools.ts'
import type { NodeAnswer } from '../../http/answer.ts'
import { bodyOf, EVM_CODES, errorEntry, resultEntry, resultOf } from '../answers.ts'
import { CALL_MS, type EvmCall } from '../call.ts'
import { FILTER_MAKERS, FILTER_USERS } from '../methods.ts'
import type { ChainTip } from '../read/chain-tip.ts'
import { parameterAt, rangeStart } from '../read/finality.ts'
import type { FilterTable } from './filter-table.ts'

/** Filters live at one node: who made one answers for it. */
export interface EvmFilters {
  concerns(method: string): boolean
  /** @throws FirnError when a filter cannot be made anywhere. */
  answer(call: EvmCall): Promise<NodeAnswer>
}

export interface EvmFiltersDeps {
  pools: NodePools
  table: FilterTable
  tipOf(endpoint: EvmCall['endpoint']): ChainTip
}

/** Ids are 16 bytes in hex at a node; others are some more generous. */
const MAX_ID = 130
const NOT_FOUND = 'filter not found'

const textOf = (value: Buffer | undefined): string | undefined =>
  value && value[0] === 0x22 && value.length <= MAX_ID ? value.toString('latin1', 1, value.length - 1) : undefined

const judgeOf = ({ message: { id }, body }: EvmCall): Judge => (id === undefined ? judgeRpc(body) : judgeCall(id, body))

const exchange = (member: Member, call: EvmCall): Promise<RawResponse> => {
  const { endpoint, body, contentType, signal } = call
  return member.pool.exchange(
    {
      method: 'POST',
      path: member.path(endpoint),
      headers: forwardHeaders({ method: 'POST', contentType, contentEncoding: undefined, query: '', body }),
      body,
    },
    { idempotent: false, signal, deadline: Date.now() + CALL_MS, judge: judgeOf(call) },
  )
}

const isAnswer = (call: EvmCall, response: RawResponse): boolean => judgeOf(call)(response).kind === 'answer'

/** An error in a node's own dialect, whatever it says: its words are better than ours; a page of some proxy is not. */
const isOwnWord = ({ status, body }: RawResponse): boolean =>
  status === 200 && body[0] === 0x7b && resultOf(body) === undefined

/** What a node says of a filter that it does not have. */
const unknownFilter = ({ message }: EvmCall): NodeAnswer =>
  bodyOf(
    message.method === 'eth_uninstallFilter'
      ? resultEntry(message.id, 'false')
      : errorEntry(message.id, EVM_CODES.server, NOT_FOUND),
  )

const saysUnknown = ({ message }: EvmCall, body: Buffer): boolean =>
  message.method === 'eth_uninstallFilter'
    ? resultOf(body)?.toString('latin1') === 'false'
    : body.length < 1_000 && body.includes(NOT_FOUND)

export function createEvmFilters({ pools, table, tipOf }: EvmFiltersDeps): EvmFilters {
  /** The best first; @param from first block whose logs are wanted */
  const membersFor = ({ endpoint }: EvmCall, from?: bigint): readonly Member[] => {
    const tip = tipOf(endpoint)
    const lacks = ({ host }: Member): number =>
      (tip.isBehind(host) ? 1 : 0) + (from !== undefined && tip.history.mayLack(host, from) ? 2 : 0)
    return [...pools.group(endpoint.source).members()].sort((a, b) => lacks(a) - lacks(b))
  }
  /** First block of a filter of logs, once it is known who has such blocks: all its logs are asked of its maker later. */
  const beginningOf = async ({ endpoint, message }: EvmCall): Promise<bigint | undefined> => {
    const group = pools.group(endpoint.source)
    const tip = tipOf(endpoint)
    await tip.ready(group, endpoint)
    const from = message.method === 'eth_newFilter' ? rangeStart(message.params) : undefined
    if (from !== undefined) await tip.history.learn(group, endpoint, from)
    return from
  }
  const make = async (call: EvmCall): Promise<NodeAnswer> => {
    const { endpoint } = call
    const from = await beginningOf(call)
    let failure: unknown
    let refused: RawResponse | undefined
    for (const member of membersFor(call, from)) {
      try {
        const response = await exchange(member, call)
        if (isAnswer(call, response)) {
          const id = textOf(resultOf(response.body))
          if (id !== undefined) table.made(endpoint.path, id, member.host)
          return answerOf(response)
        }
        refused = response
      } catch (error) {
        if (call.signal.aborted) throw error
        failure = error
      }
    }
    if (refused && isOwnWord(refused)) return answerOf(refused)
    throw failure ?? new UpstreamUnavailableError(`${call.message.method}: no node made a filter`)
  }
  const atMaker = async (call: EvmCall, host: string, id: string): Promise<NodeAnswer> => {
    const { endpoint } = call
    const maker = membersFor(call).find((member) => member.host === host)
    if (!maker) return unknownFilter(call)
    try {
      const response = await exchange(maker, call)
      // That it has not come to the blocks of the filter, too: nobody else has the filter.
      if (!isAnswer(call, response)) return isOwnWord(response) ? answerOf(response) : unknownFilter(call)
      if (call.message.method === 'eth_uninstallFilter' || saysUnknown(call, response.body))
        table.forget(endpoint.path, id)
      return answerOf(response)
    } catch (error) {
      if (call.signal.aborted || !(error instanceof FirnError)) throw error
      // Its filters are lost to clients with the node: they make new ones when told so.
      return unknownFilter(call)
    }
  }
  /** Made before a restart of this server, or by nobody: whoever knows it is its maker. */
  const anywhere = async (call: EvmCall, id: string): Promise<NodeAnswer> => {
    const { endpoint } = call
    let said: RawResponse | undefined
    let refused: RawResponse | undefined
    for (const member of membersFor(call)) {
      try {
        const response = await exchange(member, call)
        if (!isAnswer(call, response)) {
          if (isOwnWord(response)) refused ??= response
          continue
        }
        said = response
        if (saysUnknown(call, response.body)) continue
        if (resultOf(response.body) && call.message.method !== 'eth_uninstallFilter')
          table.made(endpoint.path, id, member.host)
        return answerOf(response)
      } catch (error) {
        if (call.signal.aborted || !(error instanceof FirnError)) throw error
      }
    }
    // Who has something else to say than that there is no such filter may be the one that has it.
    const words = refused ?? said
    return words ? answerOf(words) : unknownFilter(call)
  }
  return {
    concerns: (method) => FILTER_MAKERS.has(method) || FILTER_USERS.has(method),
    answer: (call) => {
      if (FILTER_MAKERS.has(call.message.method)) return make(call)
      const id = textOf(parameterAt(call.message.params, 0))
      const host = id === undefined ? undefined : table.hostOf(call.endpoint.path, id)
      if (id === undefined || host === undefined) return anywhere(call, id ?? '')
      return atMaker(call, host, id)
    },
  }
}
