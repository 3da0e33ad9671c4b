import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { oldSpaceLimit } from './old-space.ts'

/** Whether the heap has room for more work. Without this check, V8 ends the process and all its answers with it. */
export interface HeapRoom {
  /** The live heap is too large for another request. */
  isTight(): boolean
  /**
   * No further work may start, not even for requests already let in.
   * @param toCome further bytes that started work will take
   */
  isFull(toCome?: number): boolean
  /** Live part of V8's limit after the latest full collection, 0 to 1; 0 before the first. */
  lived(): number
  close(): void
}

export interface HeapRoomDeps {
  /** Bytes at which V8 ends the process. */
  limit: number
  /** Bytes in use, garbage included. */
  used(): number
  /** Calls back after each full collection, and each second; returns a function that ends that. */
  watch(onCollected: () => void, onSecond: () => void): () => void
}

/**
 * An observation is valid for this many seconds: if V8 has not collected since, nobody fills the heap. Counts only
 * seconds in which the event loop runs, because collections are not reported while it is blocked.
 */
const COUNTS_FOR = 5

/**
 * Garbage does not count: memory in use right after a collection is the live size. But a burst of requests can fill the
 * heap within one turn of the event loop, in which no collection is reported, so memory in use is checked as well.
 * Before it collects again, V8 lets the heap grow by at most half of the way from the live size to its limit: if more
 * than half of the way from the bound to the limit is in use, the live size exceeded the bound.
 *
 * @param maxPercent of V8's limit that may be live; 0 = there is always room
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
