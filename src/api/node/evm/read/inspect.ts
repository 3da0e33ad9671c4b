import type { AnswerVerdict } from '../../../../upstream/index.ts'
import { memberOf } from '../../json/spans.ts'
import { resultOf } from '../answers.ts'
import type { EvmRead } from '../methods.ts'
import type { ChainTip } from './chain-tip.ts'
import type { ReadPlan } from './plan.ts'

const ANSWER: AnswerVerdict = { kind: 'answer' }
const behind = (reason: string): AnswerVerdict => ({ kind: 'retry', reason, behind: true })
const incomplete = (reason: string): AnswerVerdict => ({ kind: 'retry', reason, behind: true, withhold: true })

const QUANTITY = /^"(0x[0-9a-fA-F]{1,16})"$/
const quantity = (bytes: Buffer | undefined): bigint | undefined => {
  const text = bytes && bytes.length <= 20 ? QUANTITY.exec(bytes.toString('latin1'))?.[1] : undefined
  return text === undefined ? undefined : BigInt(text)
}

/** The height in an answer: a bare number, that of a block, or that of the block with a transaction. */
export function heightIn({ read, message }: ReadPlan, result: Buffer): bigint | undefined {
  if (message.method === 'eth_blockNumber') return quantity(result)
  if (result[0] !== 0x7b) return undefined
  const { depends } = read
  if (depends.on === 'number' && depends.height) return quantity(memberOf(result, 'number'))
  return depends.on === 'hash' && depends.finalWhen ? quantity(memberOf(result, 'blockNumber')) : undefined
}

/** The block of the transaction, when the answer is a receipt. */
export function receiptHeight(plan: ReadPlan, entry: Buffer): bigint | undefined {
  if (plan.message.method !== 'eth_getTransactionReceipt') return undefined
  const result = resultOf(entry)
  return result && heightIn(plan, result)
}

/** Results that mean "nothing found" are short. */
const MAX_MISSING = 100

/** True for a result that means "nothing found". */
export const isMissing = ({ missing }: EvmRead, result: Buffer): boolean => {
  if (result.length === 4 && result[0] === 0x6e) return true
  return missing !== undefined && result.length <= MAX_MISSING && result.includes(missing)
}

/** An accepted block or transaction may not be executed yet; one with a receipt is. */
const isExecuted = ({ message }: ReadPlan, tip: ChainTip, result: Buffer): boolean =>
  message.method === 'eth_getTransactionReceipt' ||
  !(tip.execution.isLater() || (result[0] === 0x7b && memberOf(result, 'settledHeight') !== undefined))

/** The block is accepted: nodes without it were state-synced, and however many they are, another node may have it. */
const isThere = ({ finality }: ReadPlan, tip: ChainTip): boolean =>
  finality?.kind === 'immutable' && finality.block !== undefined && finality.block <= (tip.mark() ?? -1n)

/** What the attempts of one read have shown. */
export interface Attempts {
  /** A node has answered "not found". */
  missing: boolean
  /** One that has the newest block has, so that no block that was shown holds it. */
  missingNow?: boolean
  /** A node may have left something out. */
  doubtful: boolean
  /** Newest block that had been shown when the read began. */
  readonly shown: bigint | undefined
  /** Nodes that may not have executed the end of the range. */
  late: string[]
}

export const noAttempts = (shown: bigint | undefined): Attempts => ({
  missing: false,
  doubtful: false,
  shown,
  late: [],
})

/** Last block of a range of logs, if it is a number. */
export const endOf = ({ read, finality }: ReadPlan): bigint | undefined =>
  read.depends.on === 'range' && finality?.kind === 'immutable' ? finality.block : undefined

/**
 * The block up to which logs must be complete. A client that asks up to the newest block may know the number that was
 * shown, and go on from there.
 */
export const neededEnd = (plan: ReadPlan, { shown }: Attempts): bigint | undefined =>
  plan.toNewest ? shown : endOf(plan)

/**
 * Learns the chain's tip from one node's answer and decides whether the node lags too far to give it. `entry` is one
 * answer object.
 */
export function inspect(plan: ReadPlan, tip: ChainTip, host: string, entry: Buffer, attempts: Attempts): AnswerVerdict {
  const { read, finality } = plan
  const aboutTip = finality?.kind === 'tip'
  const tellsHeight = 'height' in read.depends || (read.depends.on === 'hash' && read.depends.finalWhen !== undefined)
  const end = neededEnd(plan, attempts)
  const { from } = plan
  if (!aboutTip && !tellsHeight && !read.mayBeMissing && end === undefined && from === undefined) return ANSWER
  const result = resultOf(entry)
  if (!result) return ANSWER
  if (from !== undefined && tip.history.mayLack(host, from)) {
    attempts.doubtful = true
    // A scanner that is given the rest of the logs never comes back for these.
    return (tip.history.isLost(from) ? behind : incomplete)('has not the beginning of the range')
  }
  if (end !== undefined && tip.execution.mayLack(host, end)) {
    attempts.doubtful = true
    attempts.late.push(host)
    return incomplete('may not have executed the end of the range')
  }
  if (read.mayBeMissing && isMissing(read, result)) {
    // Hashes may name something of any age: a state-synced node cannot testify that it does not exist.
    const isWitness = read.depends.on !== 'hash' || !tip.history.mayLack(host, 1n)
    // Several nodes may lack a block that a client was shown by another one.
    attempts.missingNow ||= tip.hasNewest(host)
    const isBelieved = attempts.missing && attempts.missingNow && isWitness
    if (isBelieved && !read.mayBePending && !isThere(plan, tip)) return ANSWER
    attempts.missing ||= isWitness
    return behind('has no such block or transaction')
  }
  // A pending block is not a block yet, whatever its number.
  const height = tellsHeight && finality !== undefined ? heightIn(plan, result) : undefined
  const newest = aboutTip && !finality.below
  if (height !== undefined) {
    if (newest) tip.saw(host, height)
    else if (isExecuted(plan, tip, result)) tip.reached(host, height)
  }
  if (!aboutTip) return ANSWER
  const mark = tip.mark()
  if (newest && height !== undefined && mark !== undefined && height < mark) return behind('shows an older tip')
  return tip.isBehind(host) ? behind('lags') : ANSWER
}
