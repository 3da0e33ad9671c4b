import { FirnError, OverloadedError, UpstreamRateLimitedError, UpstreamUnavailableError } from '../../../../errors.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import { forwardHeaders } from '../../forward/call.ts'
import { answerOf } from '../../forward/forwarded-answer.ts'
import { type Judge, judgeCall, judgeRpc } from '../../forward/judge.ts'
import type { Member, NodePools } from '../../forward/nodes/node-pools.ts'
import type { NodeAnswer } from '../../http/answer.ts'
import { bodyOf, EVM_CODES, errorEntry, resultEntry, resultOf } from '../answers.ts'
import type { EvmCall } from '../call.ts'
import { FILTER_MAKERS, FILTER_USERS } from '../methods.ts'
import type { ChainTip } from '../read/chain-tip.ts'
import { parameterAt, rangeStart } from '../read/finality.ts'
import { lastLogHeight } from '../read/inspect.ts'
import type { FilterTable } from './filter-table.ts'

/** The node that has the filter lacks a block that clients were shown. */
class LateMakerError extends UpstreamUnavailableError {}

/** A filter lives at one node: the node that created it answers all its calls. */
export interface EvmFilters {
  concerns(method: string): boolean
  /** @throws FirnError when no node can create the filter. */
  answer(call: EvmCall): Promise<NodeAnswer>
}

export interface EvmFiltersDeps {
  pools: NodePools
  table: FilterTable
  tipOf(endpoint: EvmCall['endpoint']): ChainTip
}

/** Ids of nodes are 16 bytes in hex; other servers use longer ones. */
const MAX_ID = 130
const NOT_FOUND = 'filter not found'
const EMPTY_LIST = '[]'.length

const textOf = (value: Buffer | undefined): string | undefined =>
  value && value[0] === 0x22 && value.length <= MAX_ID ? value.toString('latin1', 1, value.length - 1) : undefined

const judgeOf = ({ message: { id }, body }: EvmCall): Judge => (id === undefined ? judgeRpc(body) : judgeCall(id, body))

/** @throws UpstreamRateLimitedError also for the page by which a node, or something in front of it, turns calls away. */
const exchange = async (member: Member, call: EvmCall): Promise<RawResponse> => {
  const { endpoint, body, contentType, signal, deadline } = call
  const judge = judgeOf(call)
  const response = await member.pool.exchange(
    {
      method: 'POST',
      path: member.path(endpoint),
      headers: forwardHeaders({ method: 'POST', contentType, contentEncoding: undefined, query: '', body }),
      body,
    },
    { idempotent: false, signal, deadline, judge },
  )
  const verdict = judge(response)
  if (verdict.kind === 'retry' && verdict.rateLimited && !isOwnWord(response))
    throw new UpstreamRateLimitedError(`${call.message.method}: ${verdict.reason}`, verdict.retryAfterMs)
  return response
}

/** The call has not reached the node, which still has what it had. */
const isTurnedAway = (error: unknown): boolean =>
  error instanceof UpstreamRateLimitedError || error instanceof OverloadedError

const isAnswer = (call: EvmCall, response: RawResponse): boolean => judgeOf(call)(response).kind === 'answer'

/** Any error in a node's own dialect is passed on, because it says more than ours; a page of a proxy is not. */
const isOwnWord = ({ status, body }: RawResponse): boolean =>
  status === 200 && body[0] === 0x7b && resultOf(body) === undefined

/** A node's answer about a filter that it does not have. */
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
  /**
   * The best first.
   * @param from first block whose logs are wanted: a filter at a node that lacks some would leave them out
   */
  const membersFor = ({ endpoint }: EvmCall, from?: bigint): readonly Member[] => {
    const tip = tipOf(endpoint)
    const isOut = ({ host }: Member): boolean =>
      from !== undefined && tip.history.mayLack(host, from) && !tip.history.isLost(from)
    const lag = ({ host }: Member): number => (tip.isBehind(host) ? 1 : 0)
    const members = pools.group(endpoint.source).members()
    return members.filter((member) => !isOut(member)).sort((a, b) => lag(a) - lag(b))
  }
  /** First block of a log filter, after learning which nodes have it: the creating node answers for all its logs. */
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
          if (id !== undefined) table.heldBy(endpoint.path, id, member.host)
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
  /** What has changed shows the client a block: nobody else may go on from an older one. */
  const learn = async ({ endpoint, message }: EvmCall, member: Member, body: Buffer): Promise<void> => {
    const result = resultOf(body)
    if (message.method === 'eth_uninstallFilter' || !result || result.length <= EMPTY_LIST) return
    if (pools.group(endpoint.source).hosts.length < 2) return
    const height = lastLogHeight(result)
    // A hash does not tell the height of its block.
    if (height === undefined) await tipOf(endpoint).look(member, endpoint)
    else tipOf(endpoint).reached(member.host, height)
  }
  /**
   * Logs of a filter go up to the newest block of its maker, which alone has it.
   * @throws LateMakerError when the maker lacks a block that clients were shown
   */
  const askMaker = async (maker: Member, call: EvmCall): Promise<RawResponse> => {
    const { endpoint, message, signal } = call
    const group = pools.group(endpoint.source)
    const tip = tipOf(endpoint)
    const shown = tip.mark()
    const hasAll = shown === undefined || group.hosts.length < 2 || (tip.shown(maker.host) ?? -1n) >= shown
    const response = await exchange(maker, call)
    if (hasAll || message.method !== 'eth_getFilterLogs' || !isAnswer(call, response)) return response
    const hasCaughtUp = await tip.execution.catchesUp(group, endpoint, shown, [maker.host], signal)
    if (hasCaughtUp || tip.wasSetBack()) return exchange(maker, call)
    throw new LateMakerError(`${message.method}: ${maker.host} has not reached block ${shown}`)
  }
  const atMaker = async (call: EvmCall, host: string, id: string): Promise<NodeAnswer> => {
    const { endpoint } = call
    const maker = membersFor(call).find((member) => member.host === host)
    if (!maker) return unknownFilter(call)
    try {
      const response = await askMaker(maker, call)
      // This includes that the node has not reached the filter's blocks: no other node has the filter.
      if (!isAnswer(call, response)) return isOwnWord(response) ? answerOf(response) : unknownFilter(call)
      if (call.message.method === 'eth_uninstallFilter' || saysUnknown(call, response.body))
        table.forget(endpoint.path, id)
      else table.heldBy(endpoint.path, id, host)
      await learn(call, maker, response.body)
      return answerOf(response)
    } catch (error) {
      if (call.signal.aborted || !(error instanceof FirnError)) throw error
      // Clients that are told that it is gone create a new one, and never learn what happened in between.
      if (isTurnedAway(error) || error instanceof LateMakerError) throw error
      // Filters are lost with their node: clients that are told so create new ones.
      return unknownFilter(call)
    }
  }
  /** The filter was created before a restart of this server, or never: the node that knows it is its creator. */
  const anywhere = async (call: EvmCall, id: string): Promise<NodeAnswer> => {
    const { endpoint } = call
    let said: RawResponse | undefined
    let refused: RawResponse | undefined
    let turnedAway: FirnError | undefined
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
          table.heldBy(endpoint.path, id, member.host)
        await learn(call, member, response.body)
        return answerOf(response)
      } catch (error) {
        if (call.signal.aborted || !(error instanceof FirnError)) throw error
        // Those after it are not asked in time either.
        if (isTurnedAway(error) || Date.now() >= call.deadline) turnedAway ??= error
      }
    }
    // One that was not asked may have it.
    if (turnedAway && !refused) throw turnedAway
    // A node that reports anything but an unknown filter may be the one that has it.
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
