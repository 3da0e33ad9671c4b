import { readFileSync } from 'node:fs'

/** Microseconds per tick of /proc: 100 ticks a second, as on every Linux that runs Node. */
const TICK_US = 10_000

/** Processor time that processes have taken since their starts, user and system, microseconds. Linux only. */
export function processorTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_US
  }, 0)
}
