import type { Endpoint } from '../../routes/endpoint.ts'
import type { EvmMessage } from '../message.ts'
import { type EvmRead, readOf } from '../methods.ts'
import { type CallFinality, finalityOf, rangeStart } from './finality.ts'

/** What is known about one call before it is asked. */
export interface ReadPlan {
  message: EvmMessage
  read: EvmRead
  /** Undefined: the answer may be shared while it is under way, but not kept. */
  finality: CallFinality | undefined
  /** Of logs: the block that their range begins with. */
  from?: bigint | undefined
  /** The same for calls that have the same answer. */
  key: string
}

/** Undefined for what is asked anew each time: methods that the table does not name, calls without an id. */
export function planRead(endpoint: Endpoint, message: EvmMessage): ReadPlan | undefined {
  if (message.kind !== 'call') return undefined
  const read = readOf(message.method)
  if (!read) return undefined
  const key = `${endpoint.path}\n${message.method}\n${message.params?.toString('latin1') ?? ''}`
  const from = read.depends.on === 'range' ? rangeStart(message.params) : undefined
  return { message, read, finality: finalityOf(read, message.params), from, key }
}
