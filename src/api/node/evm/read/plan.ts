import type { Endpoint } from '../../routes/endpoint.ts'
import type { EvmMessage } from '../message.ts'
import { type EvmRead, readOf } from '../methods.ts'
import { type CallFinality, finalityOf, logRange } from './finality.ts'

/** What is known about a call before it is sent. */
export interface ReadPlan {
  message: EvmMessage
  read: EvmRead
  /** Undefined: the answer may be shared while the call is in flight, but not cached. */
  finality: CallFinality | undefined
  /** Of logs: the first block of the range. */
  from?: bigint | undefined
  /** Of logs: the range ends at the newest block. */
  toNewest?: boolean
  /** Equal for calls with the same answer. Built when it is asked for: it is as long as the parameters, maybe megabytes. */
  key(): string
}

/** Undefined for calls that are sent each time: methods that the table does not name, calls without an id. */
export function planRead(endpoint: Endpoint, message: EvmMessage): ReadPlan | undefined {
  if (message.kind !== 'call') return undefined
  const read = readOf(message.method)
  if (!read) return undefined
  let built: string | undefined
  const key = (): string => {
    built ??= `${endpoint.path}\n${message.method}\n${message.params?.toString('latin1') ?? ''}`
    return built
  }
  const { depends } = read
  if (depends.on === 'range') return { message, read, key, ...logRange(message.params) }
  return { message, read, key, finality: finalityOf(depends, message.params) }
}
