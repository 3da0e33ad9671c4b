import { elementsOf, memberOf } from '../../json/spans.ts'
import { resultEntry, resultOf } from '../answers.ts'
import type { EvmCall } from '../call.ts'
import { toQuantity } from '../quantity.ts'
import type { Gap, GoingFilter, HeldFilter } from './filter-table.ts'

const HASH = /^0x[0-9a-f]{64}$/i
const HASH_LENGTH = 66

/** Of logs. No text in a log is the choice of a contract. */
const OF_LOG = '"blockHash":"'
const OF_BLOCK = '"'

/** True for the hash of a block, false for its number. */
export const isHash = (block: string): boolean => HASH.test(block)

const startOf = (method: string): string => (method === 'eth_newBlockFilter' ? OF_BLOCK : OF_LOG)

/** The last block that is told: nodes tell in the order of their blocks, and all of a block at once. */
function lastBlock({ method }: GoingFilter, told: Buffer): string | undefined {
  const start = startOf(method)
  // Of a hash, the quote behind it is the last one.
  const end = method === 'eth_newBlockFilter' ? told.lastIndexOf('"') - 1 : undefined
  const at = told.lastIndexOf(start, end, 'latin1')
  const hash = at < 0 ? '' : told.toString('latin1', at + start.length, at + start.length + HASH_LENGTH)
  return isHash(hash) ? hash : undefined
}

const blockOf = (method: string, event: Buffer): string =>
  (method === 'eth_newBlockFilter' ? event : memberOf(event, 'blockHash'))?.toString('latin1').slice(1, -1) ?? ''

const numberOf = (log: Buffer): bigint => BigInt(memberOf(log, 'blockNumber')?.toString('latin1').slice(1, -1) ?? '0x0')

/** Blocks of the gap that the node may tell again: it had made the filter before it was asked how far it is. */
function mayComeAgain(method: string, { to, sure }: Gap, missed: readonly Buffer[]): string[] {
  const unsure = Number(BigInt(to) - BigInt(sure))
  if (unsure <= 0) return []
  const late =
    method === 'eth_newBlockFilter' ? missed.slice(-unsure) : missed.filter((log) => numberOf(log) > BigInt(sure))
  return [...new Set(late.map((event) => blockOf(method, event)))]
}

/** A node may tell a filter of a block some time after it has the block; not of one that is older than this. */
export const LATE_EVENTS = 3n
/** So that rare events are not a change with each poll: other processes hear of changes. Blocks. */
const QUIET_STEP = 128n

/**
 * What is known of a filter behind a poll without events of the newest blocks: nothing up to them is missing.
 * @param before the block that the filter's node had before the poll, if known
 */
export function quietUpTo(held: HeldFilter, before: bigint | undefined): HeldFilter {
  const { going } = held
  if (!going || before === undefined) return held
  const quietTo = before - LATE_EVENTS
  const since = BigInt(going.quietTo ?? (isHash(going.last) ? '0x0' : going.last))
  if (quietTo - since < QUIET_STEP) return held
  return { ...held, going: { ...going, quietTo: toQuantity(quietTo) } }
}

/** A log that a re-organisation took back is news, though its block was told. */
const isRemoved = (event: Buffer): boolean => event[0] === 0x7b && memberOf(event, 'removed')?.[0] === 0x74

/**
 * What a client is told by a poll, and what is known of the filter from then on.
 * @param missed events that come before those of the node
 * @param body the node's answer
 */
export function toldChanges(
  { message: { id } }: EvmCall,
  held: HeldFilter,
  missed: readonly Buffer[],
  body: Buffer,
): { body: Buffer; held: HeldFilter } {
  const { going } = held
  const result = resultOf(body)
  if (!going || !result || going.method === 'eth_newPendingTransactionFilter') return { body, held }
  const { method, gap, again } = going
  if (!gap && !again) {
    const last = lastBlock(going, result)
    return { body, held: last === undefined ? held : { ...held, going: { ...going, last } } }
  }
  const repeated = [...(again ?? []), ...(gap ? mayComeAgain(method, gap, missed) : [])]
  const isNew = (event: Buffer): boolean => !repeated.includes(blockOf(method, event)) || isRemoved(event)
  const events = [...missed, ...elementsOf(result).filter(isNew)]
  const told = Buffer.from(`[${events.map((event) => event.toString('latin1')).join(',')}]`, 'latin1')
  const last = lastBlock(going, told) ?? gap?.to ?? going.last
  return {
    body: Buffer.concat([resultEntry(id, told.toString('latin1')), Buffer.from('\n')]),
    held: { ...held, going: { ...going, last, gap: undefined, again: repeated.length > 0 ? repeated : undefined } },
  }
}
