/** A group that may be evicted. */
interface Busy {
  isBusy(): boolean
}

/** Clients use `rpc` and `ws` of a chain; other extensions may be made up by callers. */
const OFTEN_ASKED = /^[^/]+\/(rpc|ws)$/

/**
 * The group to evict when there are too many: an idle one, made-up extensions first. If none is idle, the least
 * recently used one.
 * @param groups least recently used first
 * @param mayGo whether a group may be evicted at all
 */
export function spareGroup(groups: ReadonlyMap<string, Busy>, mayGo: (key: string) => boolean): string | undefined {
  const keys = [...groups.keys()].filter(mayGo)
  const inOrder = [...keys.filter((key) => !OFTEN_ASKED.test(key)), ...keys.filter((key) => OFTEN_ASKED.test(key))]
  return inOrder.find((key) => groups.get(key)?.isBusy() === false) ?? inOrder[0]
}
