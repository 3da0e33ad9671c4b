/** What is asked of a group before it is given up. */
interface Busy {
  isBusy(): boolean
}

/** `rpc` and `ws` of a chain are what clients ask for; all other extensions strangers may have made up. */
const OFTEN_ASKED = /^[^/]+\/(rpc|ws)$/

/**
 * The group that is given up where there are too many: one that nobody waits for, of a made-up extension before others. Where
 * somebody waits for each, the one that was not asked for longest.
 * @param groups in the order in which they were asked last
 * @param mayGo whether a group may be given up at all
 */
export function spareGroup(groups: ReadonlyMap<string, Busy>, mayGo: (key: string) => boolean): string | undefined {
  const keys = [...groups.keys()].filter(mayGo)
  const inOrder = [...keys.filter((key) => !OFTEN_ASKED.test(key)), ...keys.filter((key) => OFTEN_ASKED.test(key))]
  return inOrder.find((key) => groups.get(key)?.isBusy() === false) ?? inOrder[0]
}
