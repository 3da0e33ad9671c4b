import { UpstreamUnavailableError } from '../../../../errors.ts'
import { elementsOf, memberOf } from '../../json/spans.ts'
import { rangeFilter } from '../log-range.ts'
import { toQuantity } from '../quantity.ts'
import { followedRange } from '../read/finality.ts'
import type { HeadShape } from './head-shape.ts'
import { askLink } from './link/ask-link.ts'
import type { UpstreamLink } from './link/upstream-link.ts'
import { textMember } from './subscriptions/notification.ts'
import { haveLogsUntil, type Subscription } from './subscriptions/subscription.ts'

/** More was missed than is read again: the client has to start over. */
export class TooMuchMissedError extends UpstreamUnavailableError {}

const transactionsOf = (block: Buffer): Buffer[] => {
  const list = memberOf(block, 'transactions')
  return list ? elementsOf(list) : []
}

/** @param transaction an object or its hash */
const asHash = (transaction: Buffer): Buffer =>
  transaction[0] === 0x22 ? transaction : Buffer.from(`"${textMember(transaction, 'hash')}"`)

/**
 * Logs may be pushed after the headers of their block and of later ones, as by a node that catches up in a burst. So this
 * many blocks below the newest one that was shown are read again, too. Deliveries of eight blocks are remembered, so that
 * nothing is delivered twice.
 */
const LOG_OVERLAP = 7n
/**
 * This many where a subscription was told of none in the overlap: geth lets ten blocks with logs wait beside its headers,
 * so that logs may be further behind. A node keeps the order of one subscription, so all since its last log may be missing,
 * and nothing behind that log was delivered.
 */
const DEEP_LOG_OVERLAP = 32n

/** First block whose logs are read again for a subscription to logs. */
function firstLogBlock({ delivery: { last = 0n } }: Subscription, reached: bigint): bigint {
  const [near, deep] = [reached - LOG_OVERLAP, reached - DEEP_LOG_OVERLAP]
  if (last >= near) return near
  return last > deep ? last : deep
}

/** Logs from this block on that a subscription may have missed: nodes respect a range in its filter for new ones, too. */
async function readLogs(link: UpstreamLink, { filter, since }: Subscription, from: bigint, tip: bigint) {
  const start = from > since ? from : since + 1n
  const { first = start, last = tip } = followedRange(Buffer.from(`[${filter}]`, 'latin1')) ?? {}
  const [begin, end] = [first > start ? first : start, last < tip ? last : tip]
  return begin > end ? [] : elementsOf(await askLink(link, 'eth_getLogs', rangeFilter(filter, begin, end)))
}

/** Reads again, oldest first, what a subscription to logs may have missed. */
async function readMissedLogs(link: UpstreamLink, one: Subscription, reached: bigint, tip: bigint): Promise<Buffer[]> {
  const [from, near] = [firstLogBlock(one, reached), reached - LOG_OVERLAP]
  // A node many blocks behind pushes logs again whose deliveries are no longer remembered.
  haveLogsUntil(one, from - 1n)
  if (from === near) return readLogs(link, one, near, tip)
  // Some servers allow ranges of ten blocks.
  return readLogs(link, one, from, tip).catch(() => readLogs(link, one, near, tip))
}

export interface MissedDeps {
  link: UpstreamLink
  /** Newest block that the lost node had reported. */
  reached: bigint
  /** Newest block at the new node. */
  tip: bigint
  shape: HeadShape
  maxBlocks: number
}

/**
 * Reads what subscribers missed between the loss of one node and the subscription at another, oldest first. Pending
 * transactions cannot be read again.
 * @throws TooMuchMissedError, UpstreamUnavailableError.
 */
export async function readMissed(
  { link, reached, tip, shape, maxBlocks }: MissedDeps,
  subscriptions: readonly Subscription[],
  deliver: (subscription: Subscription, result: Buffer) => void,
): Promise<void> {
  if (tip - reached > BigInt(maxBlocks)) throw new TooMuchMissedError(`${tip - reached} blocks were missed`)
  const start = (subscription: Subscription): bigint => {
    const last = subscription.delivery.last
    return last !== undefined && last > subscription.since ? last : subscription.since
  }
  const byBlock = subscriptions.filter(({ kind }) => kind === 'newHeads' || kind === 'newAcceptedTransactions')
  /** Every missed head is read; transactions only as far back as their deliveries are remembered. */
  const begin = (one: Subscription): bigint => {
    const [next, told] = [start(one) + 1n, reached - LOG_OVERLAP]
    return one.kind === 'newHeads' || next > told ? next : told
  }
  if (byBlock.length > 0) {
    let from = tip + 1n
    for (const one of byBlock) if (begin(one) < from) from = begin(one)
    if (tip - from > BigInt(maxBlocks) + LOG_OVERLAP) throw new TooMuchMissedError(`${tip - from} blocks were missed`)
    const isWhole = byBlock.some((one) => one.isWhole)
    for (let height = from; height <= tip; height += 1n) {
      const block = await askLink(link, 'eth_getBlockByNumber', `["${toQuantity(height)}",${isWhole}]`)
      if (block[0] !== 0x7b) throw new UpstreamUnavailableError(`${link.host}: block ${height} is not there`)
      for (const one of byBlock) {
        // A head of another branch may stand below the last one.
        if (one.kind === 'newHeads' ? height <= one.since : height < begin(one)) continue
        if (one.kind === 'newHeads') deliver(one, shape.fit(block))
        else for (const found of transactionsOf(block)) deliver(one, one.isWhole ? found : asHash(found))
      }
    }
  }
  for (const one of subscriptions)
    if (one.kind === 'logs') for (const log of await readMissedLogs(link, one, reached, tip)) deliver(one, log)
}
