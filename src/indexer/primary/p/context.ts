import type { NetworkIds } from '../network-ids.ts'
import type { Sink } from '../sink.ts'
import type { Moment } from '../utxo-rows.ts'
import type { PRules } from './rules.ts'
import type { PState } from './state.ts'

/** Input of P's rules: the state they change, the rows they write, and the moment. */
export interface PContext {
  readonly ids: NetworkIds
  readonly rules: PRules
  readonly state: PState
  readonly sink: Sink
  readonly at: Moment
}
