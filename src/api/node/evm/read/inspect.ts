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

/** Of logs. No text in a log is the choice of a contract. */
const BLOCK_NUMBER = '"blockNumber":"'

/**
 * The block of the last log. Nodes write logs in the order of their blocks, and other servers' order costs only that
 * the height is learned from another answer.
 */
export function lastLogHeight(logs: Buffer): bigint | undefined {
  const at = logs.lastIndexOf(BLOCK_NUMBER, undefined, 'latin1')
  if (at < 0) return undefined
  const from = at + BLOCK_NUMBER.length - 1
  return quantity(logs.subarray(from, logs.indexOf(0x22, from + 1) + 1))
}

/** The height in an answer: a bare number, that of a block, or that of the block with a transaction or a log. */
export function heightIn({ read, message }: ReadPlan, result: Buffer): bigint | undefined {
  if (message.method === 'eth_blockNumber') return quantity(result)
  const { depends } = read
  if (depends.on === 'range') return lastLogHeight(result)
  if (result[0] !== 0x7b) return undefined
  if (depends.on === 'number') return depends.height ? quantity(memberOf(result, 'number')) : undefined
  return quantity(memberOf(result, depends.on === 'hash' && depends.isBlock ? 'number' : 'blockNumber'))
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

/** Bytes; of an answer that has an id and null. */
const MAX_NULL = 1_024

/** True for null where nodes always tell something: a server in front of one says so that got nothing from it. */
const isUntold = ({ read }: ReadPlan, entry: Buffer): boolean => {
  if (read.mayBeMissing || entry.length > MAX_NULL) return false
  const result = resultOf(entry)
  return result !== undefined && isMissing(read, result)
}

/** True for a transaction that is in no block yet, at this node. */
const isPending = ({ read }: ReadPlan, result: Buffer): boolean =>
  read.mayBePending === true && result[0] === 0x7b && memberOf(result, 'blockHash')?.[0] === 0x6e

/** An accepted block or transaction may not be executed yet; one with logs is. */
const isExecuted = ({ read }: ReadPlan, tip: ChainTip, result: Buffer): boolean =>
  read.depends.on === 'range' ||
  !(tip.execution.isLater() || (result[0] === 0x7b && memberOf(result, 'settledHeight') !== undefined))

/**
 * Clients are shown the block of a transaction, but its node may not have the state after it: where blocks are executed
 * after they are accepted (C since Helicon), nodes tell a transaction at once, and its receipt before those that follow.
 */
const isOfTransaction = ({ read: { depends } }: ReadPlan): boolean => depends.on === 'hash' && !depends.isBlock

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
  /** Newest block that had been shown when the read began; undefined = none, or there is one node only. */
  readonly shown: bigint | undefined
  /** Nodes that had `neededBlock` by then: one that reaches it while it answers may have looked before. */
  had: ReadonlySet<string>
  /** Nodes that may lack `neededBlock`. */
  late: string[]
}

/**
 * Before nodes are asked.
 * @param hosts the nodes; what a single one says is what there is
 */
export function noAttempts(plan: ReadPlan, tip: ChainTip, hosts: readonly string[]): Attempts {
  const shown = hosts.length > 1 ? tip.mark() : undefined
  return { missing: false, doubtful: false, shown, had: hostsWith(plan, tip, hosts, shown), late: [] }
}

/** Those that have shown what a read needs to be answered. */
export function hostsWith(
  plan: ReadPlan,
  tip: ChainTip,
  hosts: readonly string[],
  shown: bigint | undefined,
): ReadonlySet<string> {
  const needed = neededBlock(plan, shown) ?? shown
  return new Set(needed === undefined ? hosts : hosts.filter((host) => (tip.shown(host) ?? -1n) >= needed))
}

/** About the state of now, or about the newest block. Its bare number is not among them: `neverLower` corrects that. */
export const isOfNow = ({ read, finality }: ReadPlan): boolean =>
  read.depends.on === 'number' && finality?.kind === 'tip' && !finality.below

/** Logs of one block by its hash. */
export const isOfHash = ({ read, finality }: ReadPlan): boolean =>
  read.depends.on === 'range' && finality?.kind === 'immutable' && finality.finalWhen !== undefined

const isEmptyList = (result: Buffer): boolean => result.toString('latin1', 0, 3) === '[]'

/** Last block of a range of logs, if it is a number. */
export const endOf = ({ read, finality }: ReadPlan): bigint | undefined =>
  read.depends.on === 'range' && finality?.kind === 'immutable' ? finality.block : undefined

/**
 * The block that a node must have for its logs to be complete, or for its "not found" to count: clients may have been
 * shown it by another node. What a hash names may be in the newest one, and a client that asks for logs up to the newest
 * block may know the number that was shown, and go on from there.
 */
export function neededBlock(plan: ReadPlan, shown: bigint | undefined): bigint | undefined {
  if (plan.read.depends.on === 'range') return plan.toNewest || isOfHash(plan) ? shown : endOf(plan)
  if (isOfNow(plan)) return shown
  if (!plan.read.mayBeMissing || shown === undefined) return undefined
  if (plan.read.depends.on === 'hash') return shown
  const block = plan.finality?.kind === 'immutable' ? plan.finality.block : undefined
  return block !== undefined && block <= shown ? block : undefined
}

/**
 * Whether an answer leaves nothing out, wherever the block of its hash is: there are logs, or the chain executes at
 * once, and a node without the block says so.
 */
const isWholeOfHash = (plan: ReadPlan, tip: ChainTip, result: Buffer): boolean =>
  isOfHash(plan) && !(isEmptyList(result) && tip.execution.mayBeLater())

/** Whether logs up to a block may leave out those of its end. */
const mayLackEnd = (plan: ReadPlan, tip: ChainTip, host: string, needed: bigint | undefined, result: Buffer): boolean =>
  plan.read.depends.on === 'range' &&
  needed !== undefined &&
  tip.execution.mayLack(host, needed) &&
  !isWholeOfHash(plan, tip, result)

/** Decides whether a node's "not found" counts. */
function judgeMissing(plan: ReadPlan, tip: ChainTip, host: string, attempts: Attempts): AnswerVerdict {
  const { read } = plan
  // Hashes may name something of any age: a state-synced node cannot testify that it does not exist.
  const isWitness = read.depends.on !== 'hash' || !tip.history.mayLack(host, 1n)
  // Several nodes may lack a block that a client was shown by another one.
  attempts.missingNow ||= attempts.had.has(host)
  const isBelieved = attempts.missing && attempts.missingNow && isWitness
  if (isBelieved && !read.mayBePending && !isThere(plan, tip)) return ANSWER
  attempts.missing ||= isWitness
  if (attempts.missingNow || neededBlock(plan, attempts.shown) === undefined)
    // Of what may be pending, a node that has it knows more.
    return { ...behind('has no such block or transaction'), ...(read.mayBePending && { unheard: 'thing' }) }
  attempts.late.push(host)
  return incomplete('may not have reached the block')
}

/**
 * Learns the chain's tip from one node's answer and decides whether the node lags too far to give it. `entry` is one
 * answer object.
 */
export function inspect(plan: ReadPlan, tip: ChainTip, host: string, entry: Buffer, attempts: Attempts): AnswerVerdict {
  const { read, finality } = plan
  const aboutTip = finality?.kind === 'tip'
  const tellsHeight = 'height' in read.depends || read.depends.on === 'hash' || read.depends.on === 'range'
  const needed = neededBlock(plan, attempts.shown)
  const { from } = plan
  if (isUntold(plan, entry)) return behind('tells nothing')
  if (!aboutTip && !tellsHeight && !read.mayBeMissing) return ANSWER
  const result = resultOf(entry)
  if (!result) return ANSWER
  if (from !== undefined && tip.history.mayLack(host, from)) {
    attempts.doubtful = true
    // A scanner that is given the rest of the logs never comes back for these.
    return (tip.history.isLost(from) ? behind : incomplete)('has not the beginning of the range')
  }
  const hasNeeded = attempts.had.has(host)
  if (!hasNeeded && mayLackEnd(plan, tip, host, needed, result)) {
    attempts.doubtful = true
    attempts.late.push(host)
    return incomplete('may not have executed the end of the range')
  }
  if (read.mayBeMissing && isMissing(read, result)) return judgeMissing(plan, tip, host, attempts)
  // A node that lacks the block that holds it has it as pending still.
  if (!hasNeeded && isPending(plan, result)) return behind('may lack the block that holds it')
  // A pending block is not a block yet, whatever its number.
  const height = tellsHeight && finality !== undefined ? heightIn(plan, result) : undefined
  // Logs up to the newest block need not be of the newest block.
  const newest = aboutTip && !finality.below && read.depends.on !== 'range'
  if (height !== undefined) {
    if (newest) tip.saw(host, height)
    else if (isOfTransaction(plan)) tip.reached(undefined, height)
    else if (isExecuted(plan, tip, result)) tip.reached(host, height)
  }
  if (!aboutTip) return ANSWER
  const isLate = !hasNeeded && (height ?? -1n) < (attempts.shown ?? 0n)
  attempts.doubtful ||= isLate
  if (isLate && isOfNow(plan)) {
    attempts.late.push(host)
    return incomplete('may not have the newest block')
  }
  const mark = tip.mark()
  // It is above the mark only where that did not follow, since it is too high to be true.
  if (newest && height !== undefined && mark !== undefined && height !== mark) return behind('shows another tip')
  return tip.isBehind(host) ? behind('lags') : ANSWER
}
