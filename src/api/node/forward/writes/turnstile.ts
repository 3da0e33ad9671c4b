import { UpstreamUnavailableError } from '../../../../errors.ts'
import { TransientMap } from '../../../../lib/transient-map.ts'

/** A mutex for each node: one call at a time. */
export interface Turnstile {
  /** Number of calls that wait or run for this node. */
  load(node: string): number
  /** @throws UpstreamUnavailableError when too many are waiting already. */
  pass<T>(node: string, work: () => Promise<T>): Promise<T>
}

const MAX_WAITING = 32

export function createTurnstile(): Turnstile {
  const queues = new TransientMap<string, { tail: Promise<unknown>; load: number }>()
  return {
    load: (node) => queues.get(node)?.load ?? 0,
    pass: async (node, work) => {
      const queue = queues.get(node) ?? { tail: Promise.resolve(), load: 0 }
      queues.set(node, queue)
      if (queue.load >= MAX_WAITING) throw new UpstreamUnavailableError(`${node}: too many calls wait`)
      queue.load += 1
      const turn = queue.tail.then(work)
      queue.tail = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        queue.load -= 1
        if (queue.load === 0) queues.delete(node)
      }
    },
  }
}
