import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const KIB = 1024
const MIB = 1024 * 1024
/** Numbers of `/proc/net/tcp`. */
const ESTABLISHED = '01'

/** Resident memory of a process, MiB. Linux only: it is read from /proc. */
export function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kib) * KIB) / MIB
}

/** Everything that a process holds open: files, pipes, timers' descriptors and sockets. */
export function openDescriptors(pid: number): { all: number; sockets: number } {
  const folder = `/proc/${pid}/fd`
  let sockets = 0
  const names = readdirSync(folder)
  for (const name of names) {
    try {
      if (readlinkSync(`${folder}/${name}`).startsWith('socket:')) sockets++
    } catch {
      // Closed since it was listed.
    }
  }
  return { all: names.length, sockets }
}

/** Clients' connections that are still open at a port of this machine. */
export function connectionsTo(port: number): number {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)
  return rows.filter((row) => {
    const [, local = '', , state] = row.trim().split(/\s+/)
    return local.endsWith(`:${hex}`) && state === ESTABLISHED
  }).length
}
