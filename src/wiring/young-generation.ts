import { setFlagsFromString } from 'node:v8'

/** Without V8's own threads: neither for objects nor for what buffers held. */
const FLAGS = ['--no-parallel-scavenge', '--no-concurrent-array-buffer-sweeping']

/**
 * Has the thread that makes garbage collect its young generation by itself. What lives of it is mostly some 40 KB, half a
 * millisecond's work; V8 shares it with threads of its own, waits until they have had a processor, and where other
 * processes want one (Postgres on the same machine), that took 2 to 8 ms. Where megabytes live, it is one to two ms longer
 * than with two idle processors. V8 reads these flags at each collection, so they may be set while it runs.
 */
export function collectYoungAlone(set: (flag: string) => void = setFlagsFromString): void {
  for (const flag of FLAGS) set(flag)
}
