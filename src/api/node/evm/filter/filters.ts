import { FirnError, UpstreamUnavailableError } from '../../../../errors.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import { answerOf } from '../../forward/forwarded-answer.ts'
import type { Member, NodePools } from '../../forward/nodes/node-pools.ts'
import type { NodeAnswer } from '../../http/answer.ts'
import { bodyOf, resultEntry, resultOf } from '../answers.ts'
import type { EvmCall } from '../call.ts'
import { FILTER_MAKERS, FILTER_USERS } from '../methods.ts'
import type { ChainTip } from '../read/chain-tip.ts'
import { parameterAt, rangeStart } from '../read/finality.ts'
import { lastLogHeight } from '../read/inspect.ts'
import {
  callOf,
  exchange,
  hasNoChain,
  isAnswer,
  isOwnWord,
  isTurnedAway,
  saysUnknown,
  textOf,
  unknownFilter,
} from './filter-call.ts'
import { createFilterMoves, LostFilterError } from './filter-moves.ts'
import type { FilterTable, HeldFilter } from './filter-table.ts'
import { quietUpTo, toldChanges } from './told-changes.ts'
import { createUnlessSilent } from './unless-silent.ts'

/** The node that has the filter lacks a block that clients were shown. */
class LateMakerError extends UpstreamUnavailableError {}

/**
 * A filter lives at one node: the node that created it answers all its calls. When that node is gone, or has forgotten it,
 * it is made again at another, and what changed in between is told first.
 */
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

const EMPTY_LIST = '[]'.length

/** A node that has such a filter answers this call as if it had not: it is no sign that the filter is gone. */
const hasNoLogs = ({ message }: EvmCall, { going }: HeldFilter): boolean =>
  message.method === 'eth_getFilterLogs' && going !== undefined && going.method !== 'eth_newFilter'

/** A mutex for each name: its works run one after the other. */
function createKeyedMutex() {
  const last = new Map<string, Promise<unknown>>()
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const turn = (last.get(name) ?? Promise.resolve()).then(work, work)
    last.set(name, turn)
    const end = (): void => {
      if (last.get(name) === turn) last.delete(name)
    }
    turn.then(end, end)
    return turn
  }
}

export function createEvmFilters({ pools, table, tipOf }: EvmFiltersDeps): EvmFilters {
  const moves = createFilterMoves({ pools, tipOf })
  const inTurn = createKeyedMutex()
  const unlessSilent = createUnlessSilent({ pools, tipOf })
  /**
   * The best first.
   * @param from first block whose logs are wanted: a filter at a node that lacks some would leave them out
   */
  const membersFor = ({ endpoint }: EvmCall, from?: bigint): readonly Member[] => {
    const tip = tipOf(endpoint)
    const isOut = ({ host }: Member): boolean =>
      from !== undefined && tip.history.mayLack(host, from) && !tip.history.isLost(from)
    // Of blocks that a node lacks yet, a new filter there would tell as of new ones, though clients were shown them.
    const lag = ({ host }: Member): number => (tip.isBehind(host) ? 2 : tip.hasNewest(host) ? 0 : 1)
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
        // One that does not say how far it is may make filters, too.
        const going = await moves.begin(call, member).catch(() => undefined)
        const response = await exchange(member, call)
        if (isAnswer(call, response)) {
          const id = textOf(resultOf(response.body))
          if (id !== undefined) table.hold(endpoint.path, id, { host: member.host, id, going })
          return answerOf(response)
        }
        refused = response
      } catch (error) {
        if (call.signal.aborted) throw error
        failure = error
      }
    }
    if (refused && (isOwnWord(refused) || (!failure && hasNoChain(call, refused)))) return answerOf(refused)
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
  /** Undefined = the node is gone, or has the filter no more. */
  const atMaker = async (call: EvmCall, id: string, held: HeldFilter): Promise<NodeAnswer | undefined> => {
    const { endpoint, message } = call
    const maker = membersFor(call).find(({ host }) => host === held.host)
    if (!maker) return undefined
    try {
      const isPoll = message.method === 'eth_getFilterChanges'
      const { going } = held
      const missed =
        isPoll && going?.gap ? await unlessSilent(maker, call, (own) => moves.missed(own, going, maker)) : []
      const before = tipOf(endpoint).shown(maker.host)
      const asked = held.id === id ? call : callOf(call, message.method, `["${held.id}"]`)
      const ask = (own: EvmCall): Promise<RawResponse> => askMaker(maker, own)
      // One that cannot go on elsewhere is waited for.
      const response = await (going ? unlessSilent(maker, asked, ask) : ask(asked))
      // This includes that the node has not reached the filter's blocks: no other node has the filter.
      if (!isAnswer(asked, response)) return isOwnWord(response) ? answerOf(response) : undefined
      if (saysUnknown(call, response.body)) return hasNoLogs(call, held) ? answerOf(response) : undefined
      const told = isPoll ? toldChanges(call, held, missed, response.body) : { body: response.body, held }
      if (message.method === 'eth_uninstallFilter') table.forget(endpoint.path, id)
      else table.hold(endpoint.path, id, isPoll ? quietUpTo(told.held, before) : told.held)
      await learn(call, maker, told.body)
      return answerOf({ ...response, body: told.body })
    } catch (error) {
      if (call.signal.aborted || !(error instanceof FirnError) || error instanceof LostFilterError) throw error
      // Clients that are told that it is gone create a new one, and never learn what happened in between.
      if (isTurnedAway(error) || error instanceof LateMakerError) throw error
      return undefined
    }
  }
  /** The first answer of the filter's own node, or of those to which it goes when that is gone. */
  const ofHeld = async (call: EvmCall, id: string): Promise<NodeAnswer> => {
    const { endpoint, message } = call
    for (let left = pools.group(endpoint.source).hosts.length; left >= 0; left -= 1) {
      const held = table.find(endpoint.path, id)
      if (!held) return anywhere(call, id)
      const answer = await atMaker(call, id, held)
      if (answer) return answer
      const { going } = held
      if (!going || message.method === 'eth_uninstallFilter') {
        table.forget(endpoint.path, id)
        return going ? bodyOf(resultEntry(message.id, 'true')) : unknownFilter(call)
      }
      const make = callOf(call, going.method, going.params)
      const from = going.method === 'eth_newFilter' ? rangeStart(make.message.params) : undefined
      table.hold(endpoint.path, id, await moves.move(call, going, () => membersFor(make, from)))
    }
    throw new UpstreamUnavailableError(`${message.method}: no node keeps the filter`)
  }
  const orLost =
    (call: EvmCall, id: string) =>
    (error: unknown): NodeAnswer => {
      if (!(error instanceof LostFilterError)) throw error
      table.forget(call.endpoint.path, id)
      // Clients that are told so create new ones.
      return unknownFilter(call)
    }
  /** The filter was created before a restart of this server, or never: the node that knows it is its creator. */
  const anywhere = async (call: EvmCall, id: string): Promise<NodeAnswer> => {
    const { endpoint } = call
    let said: RawResponse | undefined
    let refused: RawResponse | undefined
    let absent: RawResponse | undefined
    let turnedAway: FirnError | undefined
    for (const member of membersFor(call)) {
      try {
        const response = await exchange(member, call)
        if (!isAnswer(call, response)) {
          if (isOwnWord(response)) refused ??= response
          else if (hasNoChain(call, response)) absent ??= response
          continue
        }
        said = response
        if (saysUnknown(call, response.body)) continue
        if (resultOf(response.body) && call.message.method !== 'eth_uninstallFilter')
          table.hold(endpoint.path, id, { host: member.host, id })
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
    // A node that reports anything but an unknown filter may be the one that has it; where none runs the chain, clients
    // that are told of an unknown one would begin anew, and miss what happened until then.
    const words = refused ?? said ?? absent
    return words ? answerOf(words) : unknownFilter(call)
  }
  return {
    concerns: (method) => FILTER_MAKERS.has(method) || FILTER_USERS.has(method),
    answer: (call) => {
      if (FILTER_MAKERS.has(call.message.method)) return make(call)
      const id = textOf(parameterAt(call.message.params, 0))
      if (id === undefined) return anywhere(call, '')
      // A poll that comes while the filter moves must not tell again what the one before it tells.
      return inTurn(`${call.endpoint.path} ${id}`, () => ofHeld(call, id)).catch(orLost(call, id))
    },
  }
}
