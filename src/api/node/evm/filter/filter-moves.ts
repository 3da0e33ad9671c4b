import { FirnError, UpstreamUnavailableError } from '../../../../errors.ts'
import { isRecord } from '../../../../lib/json/json-record.ts'
import { mapBounded } from '../../../../lib/waiting/map-bounded.ts'
import type { Member, NodePools } from '../../forward/nodes/node-pools.ts'
import { elementsOf } from '../../json/spans.ts'
import { resultOf } from '../answers.ts'
import type { EvmCall } from '../call.ts'
import { rangeFilter } from '../log-range.ts'
import { toQuantity } from '../quantity.ts'
import type { ChainTip } from '../read/chain-tip.ts'
import { followedRange, parameterAt } from '../read/finality.ts'
import { callOf, exchange, isAnswer, textOf } from './filter-call.ts'
import type { GoingFilter, HeldFilter } from './filter-table.ts'
import { isHash, LATE_EVENTS } from './told-changes.ts'

/** A filter cannot go on where it was: too much was missed, or what was told is not known any more. */
export class LostFilterError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'FILTER_LOST', status: 404 })
  }
}

/**
 * Makes filters again at another node when theirs is gone, and reads what changed in between. Blocks under /ext are
 * accepted for good. Where a chain takes some back all the same, a filter goes on if the node knows the last block that
 * was told, and is lost if not; the logs that were taken back in between are not told as removed.
 */
export interface FilterMoves {
  /** To be called before this node makes a filter: what it takes to go on with it. Undefined = it cannot go on. */
  begin(call: EvmCall, member: Member): Promise<GoingFilter | undefined>
  /**
   * The filter at the first of these nodes that takes it.
   * @throws LostFilterError; UpstreamUnavailableError when no node has what was told
   */
  move(call: EvmCall, filter: GoingFilter, members: () => readonly Member[]): Promise<HeldFilter>
  /** Events of the gap, oldest first. @throws LostFilterError, FirnError. */
  missed(call: EvmCall, filter: GoingFilter, maker: Member): Promise<Buffer[]>
}

/** Blocks that are read again; more are too many, as for WebSockets. */
export const MAX_MISSED_BLOCKS = 1_024
/** Length of the params of a filter that can go on at another node: they are kept. */
export const MAX_KEPT_PARAMS = 2_048
/** Blocks that may be accepted while a filter is made: their hashes are kept. */
const MAX_UNSURE = 32n
/** Time limit for the question for a node's height, milliseconds. */
const HEIGHT_MS = 2_000
/** Blocks of a gap that are asked for at once. */
const AT_ONCE = 16

const isHeight = (told: unknown): told is string => typeof told === 'string' && /^0x[\da-f]{1,16}$/i.test(told)
const bytesOf = (params: string): Buffer => Buffer.from(params, 'latin1')

export function createFilterMoves(deps: {
  pools: NodePools
  tipOf(endpoint: EvmCall['endpoint']): ChainTip
}): FilterMoves {
  const ask = ({ pool, path }: Member, { endpoint, signal, deadline }: EvmCall, method: string, params: unknown[]) =>
    // Not joined with a question under way: its answer may be older than what was done since.
    pool.rpc<unknown>(path(endpoint), method, params, { signal, deadline, idempotent: false })
  const heightAt = async (member: Member, call: EvmCall): Promise<bigint> => {
    const deadline = Math.min(call.deadline, Date.now() + HEIGHT_MS)
    const told = await ask(member, { ...call, deadline }, 'eth_blockNumber', [])
    if (!isHeight(told)) throw new UpstreamUnavailableError(`${member.host}: tells no height`)
    const height = BigInt(told)
    deps.tipOf(call.endpoint).saw(member.host, height)
    return height
  }
  /** Number of the newest block that was told; undefined = the node does not know it. */
  const toldAt = async (member: Member, call: EvmCall, { last }: GoingFilter): Promise<bigint | undefined> => {
    if (!isHash(last)) return BigInt(last)
    const block = await ask(member, call, 'eth_getBlockByHash', [last, false])
    return isRecord(block) && typeof block['number'] === 'string' ? BigInt(block['number']) : undefined
  }
  const makeAt = async (member: Member, call: EvmCall, { method, params }: GoingFilter): Promise<string> => {
    const make = callOf(call, method, params)
    const response = await exchange(member, make)
    const id = isAnswer(make, response) ? textOf(resultOf(response.body)) : undefined
    if (id === undefined) throw new UpstreamUnavailableError(`${member.host}: ${method} made no filter`)
    return id
  }
  /** `late` = the node lacks blocks; `foreign` = it has all that were shown, and not the one that was told last. */
  const moveTo = async (
    member: Member,
    call: EvmCall,
    filter: GoingFilter,
  ): Promise<HeldFilter | 'late' | 'foreign'> => {
    const { endpoint } = call
    const tip = deps.tipOf(endpoint)
    const sure = await heightAt(member, call)
    const { host } = member
    if (filter.method === 'eth_newPendingTransactionFilter')
      return { host, id: await makeAt(member, call, filter), going: filter }
    const last = await toldAt(member, call, filter)
    // Made there, it would tell again what another node has told.
    if (last === undefined && tip.hasNewest(host)) return 'foreign'
    const quietTo = BigInt(filter.quietTo ?? '0x0')
    const told = last === undefined || last > quietTo ? last : quietTo
    if (told === undefined || told > sure) return 'late'
    if (sure - told > BigInt(MAX_MISSED_BLOCKS)) throw new LostFilterError(`${sure - told} blocks were missed`)
    await tip.history.learn(deps.pools.group(endpoint.source), endpoint, told + 1n)
    if (tip.history.mayLack(host, told + 1n)) return 'late'
    const id = await makeAt(member, call, filter)
    const to = await heightAt(member, call)
    if (to - sure > MAX_UNSURE) throw new UpstreamUnavailableError(`${host}: moves too fast for a filter`)
    const early = sure > LATE_EVENTS ? sure - LATE_EVENTS : 0n
    const gap = to > told ? { from: toQuantity(told + 1n), to: toQuantity(to), sure: toQuantity(early) } : undefined
    return { host, id, going: { ...filter, gap, again: isHash(filter.last) ? [filter.last] : undefined } }
  }
  const missedLogs = async (call: EvmCall, { params }: GoingFilter, maker: Member, from: bigint, to: bigint) => {
    const bytes = bytesOf(params)
    const { first = from, last = to } = followedRange(bytes) ?? {}
    const [begin, end] = [first > from ? first : from, last < to ? last : to]
    if (begin > end) return []
    const filter = parameterAt(bytes, 0)?.toString('latin1') ?? '{}'
    const asked = callOf(call, 'eth_getLogs', rangeFilter(filter, begin, end))
    const response = await exchange(maker, asked)
    const isSaid = isAnswer(asked, response)
    const logs = isSaid ? resultOf(response.body) : undefined
    if (logs) return elementsOf(logs)
    const reason = `${maker.host}: logs from ${begin} to ${end} are not told`
    throw isSaid ? new LostFilterError(reason) : new UpstreamUnavailableError(reason)
  }
  const missedBlocks = (call: EvmCall, maker: Member, from: bigint, to: bigint): Promise<Buffer[]> => {
    const heights = Array.from({ length: Number(to - from) + 1 }, (_, at) => toQuantity(from + BigInt(at)))
    return mapBounded(heights, AT_ONCE, async (height) => {
      const block = await ask(maker, call, 'eth_getBlockByNumber', [height, false])
      const hash = isRecord(block) ? String(block['hash']) : ''
      if (!isHash(hash)) throw new UpstreamUnavailableError(`${maker.host}: block ${height} is not there`)
      return Buffer.from(`"${hash}"`)
    })
  }
  return {
    async begin(call, member) {
      const { method } = call.message
      const params = call.message.params?.toString('latin1') ?? '[]'
      if (params.length > MAX_KEPT_PARAMS) return undefined
      if (method === 'eth_newFilter' && !followedRange(call.message.params)) return undefined
      if (method === 'eth_newPendingTransactionFilter') return { method, params, last: '0x0' }
      return { method, params, last: toQuantity(await heightAt(member, call)) }
    },
    async move(call, filter, members) {
      const { endpoint, signal } = call
      const group = deps.pools.group(endpoint.source)
      const tip = deps.tipOf(endpoint)
      let failure: unknown
      let isForeign = false
      const round = async (): Promise<HeldFilter | undefined> => {
        for (const member of members()) {
          try {
            const moved = await moveTo(member, call, filter)
            if (typeof moved === 'object') return moved
            isForeign ||= moved === 'foreign'
          } catch (error) {
            if (signal.aborted || error instanceof LostFilterError) throw error
            failure = error
          }
        }
        return undefined
      }
      const giveUp = (): never => {
        if (isForeign) throw new LostFilterError('no node knows the last block that was returned')
        throw failure ?? new UpstreamUnavailableError(`${filter.method}: no node has what was returned last`)
      }
      const first = await round()
      const newest = tip.mark()
      if (first || isForeign || newest === undefined) return first ?? giveUp()
      const hasCaughtUp = await tip.execution.catchesUp(group, endpoint, newest, group.hosts, signal)
      return ((hasCaughtUp || tip.wasSetBack()) && (await round())) || giveUp()
    },
    async missed(call, filter, maker) {
      if (!filter.gap) return []
      const [from, to] = [BigInt(filter.gap.from), BigInt(filter.gap.to)]
      return filter.method === 'eth_newFilter'
        ? missedLogs(call, filter, maker, from, to)
        : missedBlocks(call, maker, from, to)
    },
  }
}
