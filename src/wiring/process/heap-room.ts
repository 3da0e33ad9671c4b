import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { oldSpaceLimit } from './old-space.ts'

/** Whether there is room in the heap for more work. Without it V8 ends the process, and all its answers with it. */
export interface HeapRoom {
  /** Too much lives there for another request. */
  isTight(): boolean
  /**
   * Nothing may begin any more, not even for requests that are in.
   * @param toCome bytes that what has begun will take besides
   */
  isFull(toCome?: number): boolean
  /** Part of V8's limit that lived after the newest collection of the whole heap, 0 to 1; 0 before the first. */
  lived(): number
  close(): void
}

export interface HeapRoomDeps {
  /** Bytes at which V8 ends the process. */
  limit: number
  /** Bytes in use, garbage included. */
  used(): number
  /** Calls back after each collection of the whole heap, and each second; returns the way to end that. */
  watch(onCollected: () => void, onSecond: () => void): () => void
}

/**
 * What was seen counts for so many seconds: where V8 has not collected since, nobody fills the heap. Seconds in which the
 * event loop turns, since nobody is told of collections while it stands.
 */
const COUNTS_FOR = 5

/**
 * Garbage does not count: what is in use right after a collection is what lives. But a burst of requests can fill the heap
 * within one turn of the event loop, in which nobody is told of collections; so use is looked at besides. V8 lets the heap
 * grow by at most half of the way from what lives to its limit before it collects again: where more than half of the way
 * from the bound to the limit is in use, more than the bound lived.
 *
 * @param maxPercent of V8's limit that may live; 0 = there is always room
 */
export function createHeapRoom(maxPercent: number, deps: HeapRoomDeps = realHeap()): HeapRoom {
  const most = maxPercent / 100
  const full = (1 + most) / 2
  let second = 0
  let lived = 0
  let collectedAt = Number.NEGATIVE_INFINITY
  let fullSince: number | undefined
  const isFull = (toCome = 0): boolean => {
    if (most === 0) return false
    if (deps.used() + toCome <= full * deps.limit) {
      fullSince = undefined
      return false
    }
    fullSince ??= second
    return second - Math.max(fullSince, collectedAt) < COUNTS_FOR
  }
  const stop = deps.watch(
    () => {
      lived = deps.used() / deps.limit
      collectedAt = second
    },
    () => {
      second += 1
      isFull()
    },
  )
  return {
    isTight: () => isFull() || (most > 0 && lived > most && second - collectedAt < COUNTS_FOR),
    isFull,
    lived: () => lived,
    close: stop,
  }
}

function realHeap(): HeapRoomDeps {
  return {
    limit: oldSpaceLimit(),
    used: () => getHeapStatistics().used_heap_size,
    watch: (onCollected, onSecond) => {
      const observer = new PerformanceObserver((list) => {
        const kinds = list.getEntries().map((entry) => (entry as { detail?: { kind?: number } }).detail?.kind)
        if (kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR)) onCollected()
      })
      observer.observe({ entryTypes: ['gc'] })
      const timer = setInterval(onSecond, 1_000).unref()
      return () => {
        observer.disconnect()
        clearInterval(timer)
      }
    },
  }
}
