import { statfs } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

export interface ProcessFacts {
  version: string
  mode: string
  /** Folder whose disk is watched; it may not exist yet. */
  dataDir: string
}

/** The process itself: memory, CPU, event loop (prom-client's own set under `firn_`), disk, version. */
export function createProcessInstruments(registry: Registry, { version, mode, dataDir }: ProcessFacts): void {
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'firn_' })
  new Gauge({ name: 'firn_info', help: 'Always 1.', labelNames: ['version', 'mode'] as const, registers }).set(
    { version, mode },
    1,
  )
  let last = performance.eventLoopUtilization()
  new Gauge({
    name: 'firn_event_loop_utilization',
    help: 'Part of the time since the last scrape that the event loop was busy, 0 to 1.',
    registers,
    collect() {
      const now = performance.eventLoopUtilization()
      this.set(performance.eventLoopUtilization(now, last).utilization)
      last = now
    },
  })
  // Before the folder is made there is nothing to say.
  const disk = () => statfs(dataDir).catch(() => undefined)
  new Gauge({
    name: 'firn_disk_size_bytes',
    help: 'Disk of the data folder.',
    registers,
    async collect() {
      const found = await disk()
      if (found) this.set(found.blocks * found.bsize)
    },
  })
  new Gauge({
    name: 'firn_disk_available_bytes',
    help: 'Room left on the disk of the data folder.',
    registers,
    async collect() {
      const found = await disk()
      if (found) this.set(found.bavail * found.bsize)
    },
  })
}
