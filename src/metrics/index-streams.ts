import { Gauge, type Registry } from 'prom-client'
import { readGauge } from './read-gauge.ts'

/** State of one indexed chain; see the indexer's status. */
export interface IndexedStreamView {
  name: string
  phase: string
  height: bigint | undefined
  tip: bigint | undefined
  /** Unix milliseconds: time of the last stored block, or at which the stored tip was found to be the newest. */
  freshAtMs: number | undefined
  stalled: boolean
  blocksPerSecond: number
  etaSeconds: number | undefined
  failures: number
}

const PHASES = ['standby', 'starting', 'catching-up', 'following', 'failing', 'blocked'] as const

type Reading = (stream: IndexedStreamView) => number | undefined

/** Progress, speed and state of each indexed chain. Read when Prometheus scrapes. */
export function createIndexInstruments(
  registry: Registry,
  status: () => { role: string; streams: readonly IndexedStreamView[] },
  now: () => number = Date.now,
): void {
  const gauge = (name: string, help: string, read: Reading): void => {
    new Gauge({
      name: `firn_index_${name}`,
      help,
      labelNames: ['stream'] as const,
      registers: [registry],
      collect() {
        this.reset()
        for (const stream of status().streams) {
          const value = read(stream)
          if (value !== undefined) this.set({ stream: stream.name }, value)
        }
      },
    })
  }
  gauge('height', 'Last stored block.', ({ height }) => toNumber(height))
  gauge('tip', "The chain's height as last heard.", ({ tip }) => toNumber(tip))
  gauge('lag_blocks', 'Blocks that are known and not stored yet.', ({ height, tip }) =>
    height === undefined || tip === undefined ? undefined : Number(tip - height),
  )
  gauge(
    'lag_seconds',
    'Age of what is stored: seconds since its last block, or since that was found to be the newest.',
    (stream) => (stream.freshAtMs === undefined ? undefined : Math.max(0, now() - stream.freshAtMs) / 1000),
  )
  gauge('blocks_per_second', 'Rate over the last minute.', ({ blocksPerSecond }) => blocksPerSecond)
  gauge('eta_seconds', 'Time to the tip at that rate; absent at the tip.', ({ etaSeconds }) => etaSeconds)
  gauge('failures', 'Failures since the last success.', ({ failures }) => failures)
  gauge('stalled', '1 = nothing moved for longer than the watchdog allows.', ({ stalled }) => (stalled ? 1 : 0))
  new Gauge({
    name: 'firn_index_state',
    help: '1 for the state a stream is in.',
    labelNames: ['stream', 'state'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const { name, phase } of status().streams)
        for (const state of PHASES) this.set({ stream: name, state }, state === phase ? 1 : 0)
    },
  })
  const leading = '1 = this process writes the index, 0 = it waits for another one to go, or only serves.'
  readGauge(registry, 'firn_index_leading', leading, () => (status().role === 'leading' ? 1 : 0))
}

const toNumber = (height: bigint | undefined): number | undefined => (height === undefined ? undefined : Number(height))
