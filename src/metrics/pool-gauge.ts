import type { Gauge } from 'prom-client'

/** Names a series. */
type Labels = Record<'pool' | 'host', string>

/** A gauge whose values last as long as the pool that told them. */
export interface PoolGauge {
  /** @param from the pool, see `ObserveUpstream` */
  set(from: object, labels: Labels, value: number): void
  /** The pool has ended. Another one with the same labels keeps what it told last; without one the series ends. */
  drop(from: object): void
}

interface Series {
  labels: Labels
  /** By pool, the one that told its value last at the end. */
  told: Map<object, number>
}

export function createPoolGauge(gauge: Gauge<'pool' | 'host'>): PoolGauge {
  const all = new Map<string, Series>()
  /** A closed pool's last requests may still end. */
  const ended = new WeakSet<object>()
  return {
    set(from, labels, value) {
      if (ended.has(from)) return
      const key = `${labels.pool}\n${labels.host}`
      const series = all.get(key) ?? { labels, told: new Map() }
      all.set(key, series)
      series.told.delete(from)
      series.told.set(from, value)
      gauge.set(labels, value)
    },
    drop(from) {
      ended.add(from)
      for (const [key, { labels, told }] of all) {
        if (!told.delete(from)) continue
        const left = [...told.values()].at(-1)
        if (left !== undefined) gauge.set(labels, left)
        else {
          gauge.remove(labels)
          all.delete(key)
        }
      }
    },
  }
}
