import { setFlagsFromString } from 'node:v8'

const FLAGS = [
  // No threads of V8's own, neither for objects nor for the memory of buffers.
  '--no-parallel-scavenge',
  '--no-concurrent-array-buffer-sweeping',
  '--no-allocation-site-pretenuring',
]

/**
 * Makes collections of the young generation short. The thread that creates garbage collects it itself: the live part is
 * mostly some 40 KB, half a millisecond's work. By default V8 shares the work with its own threads and waits until they
 * have had a processor, which took 2 to 8 ms when other processes needed one (Postgres on the same machine). With
 * megabytes of live objects it takes one to two ms longer than with two idle processors. V8 reads these flags at each
 * collection, so they may be set at run time.
 *
 * Also, no object is created as old: if most objects of a line of code survive two collections, V8 allocates them among
 * the old objects from then on. Because of the listeners of long streams, it did so with those of all requests (the
 * arrays in which Node's emitters keep them), and whatever an old object refers to lives until the whole heap is
 * collected: each request with everything attached to it. With answers from memory, a young collection took 8 to 12 ms
 * instead of two, a sixth of the processor time, and kept a quarter of all garbage.
 */
export function shortenYoungCollections(set: (flag: string) => void = setFlagsFromString): void {
  for (const flag of FLAGS) set(flag)
}
