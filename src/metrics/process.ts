import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { readGauge } from './read-gauge.ts'

export interface ProcessFacts {
  version: string
  mode: string
  /** Folders whose disks are monitored; they may not exist yet. */
  folders: readonly string[]
}

/** The process itself: memory, CPU, event loop (prom-client's own set under `firn_`), disk, version. */
export function createProcessInstruments(registry: Registry, { version, mode, folders }: ProcessFacts): void {
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'firn_' })
  new Gauge({ name: 'firn_info', help: 'Always 1.', labelNames: ['version', 'mode'] as const, registers }).set(
    { version, mode },
    1,
  )
  let last = performance.eventLoopUtilization()
  const busy = 'Part of the time since the last scrape that the event loop was busy, 0 to 1.'
  readGauge(registry, 'firn_event_loop_utilization', busy, () => {
    const before = last
    last = performance.eventLoopUtilization()
    return performance.eventLoopUtilization(last, before).utilization
  })
  const diskGauge = (name: string, help: string, read: (disk: StatsFs) => number): void => {
    new Gauge({
      name: `firn_disk_${name}_bytes`,
      help,
      registers,
      async collect() {
        const disk = await fullestDisk(folders)
        if (disk) this.set(read(disk))
      },
    })
  }
  diskGauge(
    'size',
    'Disk of the data folder, or of the embedded database where that one is fuller.',
    ({ blocks, bsize }) => blocks * bsize,
  )
  diskGauge('available', 'Room left on that disk.', ({ bavail, bsize }) => bavail * bsize)
}

/** @param share part of V8's limit that was live after the last collection of the whole heap */
export function createHeapInstrument(registry: Registry, share: () => number): void {
  const help = "Part of V8's heap limit that lived after the latest collection of the whole heap, 0 to 1."
  readGauge(registry, 'firn_heap_lived_ratio', help, share)
}

/** Undefined while none of the folders exists. */
async function fullestDisk(folders: readonly string[]): Promise<StatsFs | undefined> {
  const disks = await Promise.all(folders.map((folder) => statfs(folder).catch(() => undefined)))
  return disks.filter((disk) => disk !== undefined).sort((a, b) => shareLeft(a) - shareLeft(b))[0]
}

const shareLeft = ({ bavail, blocks }: StatsFs): number => bavail / Math.max(1, blocks)
