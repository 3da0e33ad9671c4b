import { isRecord } from '../../../../lib/json/json-record.ts'
import type { PeerMessage, PeerProcesses } from '../../forward/consistency/peer-processes.ts'
import { createFilterTable, type FilterTable, type HeldFilter } from './filter-table.ts'

const areTexts = (of: unknown, ...names: string[]): boolean =>
  isRecord(of) && names.every((name) => typeof of[name] === 'string')

/** Another version of this server may tell something else. */
const isFilter = (told: unknown): told is HeldFilter =>
  isRecord(told) && areTexts(told, 'host', 'id') && areTexts(told['going'], 'method', 'params', 'last')

/** Filters of which processes that start are told; each takes some hundred bytes. */
const RECALLED = 2_000

/**
 * Every process knows where a filter is, and what its client was told: a client may ask another one when the filter's
 * node is gone.
 * @param peers left out = this is the only process
 */
export function createSharedFilterTable(peers: PeerProcesses | undefined): FilterTable {
  const toldOf = (path: string, id: string, filter: HeldFilter | undefined): PeerMessage => ({
    kind: 'filter',
    path,
    id,
    ...(filter && { filter: JSON.stringify(filter) }),
  })
  const table = createFilterTable({ onChange: (...change) => peers?.tell(toldOf(...change)) })
  peers?.recall(function* () {
    for (const [path, id, filter] of table.newest(RECALLED)) if (filter.going) yield toldOf(path, id, filter)
  })
  peers?.hear((told) => {
    if (told.kind !== 'filter') return
    const filter: unknown = told.filter === undefined ? undefined : JSON.parse(told.filter)
    if (filter === undefined || isFilter(filter)) table.heard(told.path, told.id, filter)
  })
  return table
}
