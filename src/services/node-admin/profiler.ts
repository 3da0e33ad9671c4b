import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { WaitRecorder } from '../../lib/waiting/wait-recorder.ts'
import { AdminError } from './admin-error.ts'
import { lockProfile } from './lock-profile.ts'
import { writeProfileFile } from './profile-file.ts'

/** Profiles of this process, written into one folder. */
export interface Profiler {
  /** Starts recording memory allocations and waits. */
  start(): Promise<void>
  /** @throws AdminError when one is already running */
  startCpu(): Promise<void>
  /** Writes `cpu.profile`, unless it ran too long and was written already. @throws AdminError when none is running */
  stopCpu(): Promise<void>
  /** Writes `mem.profile`: memory in use now that was allocated since `start`. */
  memory(): Promise<void>
  /** Writes `lock.profile`: waits since `start`. */
  locks(): Promise<void>
  /** Writes `stacktrace.txt`: the resources that the process has open. */
  stacktrace(): Promise<void>
  close(): Promise<void>
}

export interface ProfilerDeps {
  /** Created with the first profile. */
  dir: string
  waits: WaitRecorder
}

/** A profile has a sample per millisecond: a forgotten one would use up the memory. Milliseconds. */
const LONGEST_CPU_MS = 600_000

/** Mean bytes between sampled allocations, as in Go: cheap enough to run all the time. */
const MEMORY_SAMPLE_BYTES = 524_288
const EVENT_LOOP_MS = 20
const NANOSECONDS_PER_MS = 1e6

/** Total delay of the event loop: every late turn is one wait. */
function eventLoopWait({ count, mean, max }: IntervalHistogram) {
  const late = Math.max(0, mean / NANOSECONDS_PER_MS - EVENT_LOOP_MS)
  return { path: ['event loop'], count, total: count === 0 ? 0 : late * count, longest: max / NANOSECONDS_PER_MS }
}

function openThings(): string {
  const counts = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1)
  const memory = Object.entries(process.memoryUsage()).map(([name, bytes]) => `${name} ${bytes}`)
  const lines = [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count}`)
  const { stack = '' } = new Error('main thread')
  return [new Date().toISOString(), '', 'Open:', ...lines, '', 'Memory, bytes:', ...memory, '', stack, ''].join('\n')
}

export function createProfiler({ dir, waits }: ProfilerDeps): Profiler {
  const session = new Session()
  const lag = monitorEventLoopDelay({ resolution: EVENT_LOOP_MS })
  let connected = false
  let cpu: 'off' | 'on' | 'stopping' = 'off'
  let limit: NodeJS.Timeout | undefined
  /** Result of a profile that ran too long; its starter still has to stop it. */
  let ended: Promise<void> | undefined
  const file = (name: string): string => join(dir, name)
  const connect = (): void => {
    if (!connected) session.connect()
    connected = true
  }
  const writeCpu = async (): Promise<void> => {
    clearTimeout(limit)
    cpu = 'stopping'
    try {
      const { profile } = await session.post('Profiler.stop')
      await writeProfileFile(file('cpu.profile'), JSON.stringify(profile))
    } finally {
      cpu = 'off'
    }
  }
  return {
    async start() {
      connect()
      lag.enable()
      await session.post('HeapProfiler.startSampling', { samplingInterval: MEMORY_SAMPLE_BYTES })
    },
    async startCpu() {
      if (cpu !== 'off') throw new AdminError('cpu profiler already running')
      cpu = 'on'
      ended = undefined
      try {
        connect()
        await session.post('Profiler.enable')
        await session.post('Profiler.start')
      } catch (error) {
        // None runs: the next call may start one.
        cpu = 'off'
        throw error
      }
      limit = setTimeout(() => {
        ended = writeCpu()
        // Reported by the call that stops it.
        ended.catch(() => undefined)
      }, LONGEST_CPU_MS).unref()
    },
    async stopCpu() {
      const written = ended
      ended = undefined
      if (!written && cpu !== 'on') throw new AdminError("cpu profiler doesn't exist")
      await (written ?? writeCpu())
    },
    async memory() {
      const { profile } = await session.post('HeapProfiler.getSamplingProfile')
      await writeProfileFile(file('mem.profile'), JSON.stringify(profile))
    },
    locks: () => writeProfileFile(file('lock.profile'), lockProfile([eventLoopWait(lag), ...waits.waits()])),
    stacktrace: () => writeProfileFile(file('stacktrace.txt'), openThings()),
    async close() {
      clearTimeout(limit)
      lag.disable()
      if (connected) session.disconnect()
      connected = false
      cpu = 'off'
    },
  }
}
