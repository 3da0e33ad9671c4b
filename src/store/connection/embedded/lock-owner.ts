import { readFile, readlink, stat } from 'node:fs/promises'
import { hostname } from 'node:os'

/** The owner of a folder, as named in its lock. */
export interface Owner {
  pid: number
  /** Scope in which the pid is valid: host, boot and pid namespace (containers share a host's boot). */
  space: string
  /**
   * Start of the process in clock ticks since boot; distinguishes a recycled pid from the old owner. Empty if unknown.
   */
  started: string
  token: string
}

/** An owner and the file that names it. */
export interface Holder {
  owner: Owner
  file: string
  /** Milliseconds by the owner's clock, which may be wrong. */
  touchedAt: number
}

/** A file that names no owner (the disk was full, say) counts as a dead owner's. */
export async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    const [text, { mtimeMs, ino }] = await Promise.all([readFile(file, 'utf8'), stat(file)])
    const owner = ownerIn(text) ?? { pid: 0, space: '', started: '', token: `unreadable-${ino}` }
    return { owner, file, touchedAt: mtimeMs }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function ownerIn(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isOwner(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false
  const { pid, space, started, token } = value as Record<string, unknown>
  return typeof pid === 'number' && [space, started, token].every((text) => typeof text === 'string')
}

/**
 * The state of an owner as seen from here. `unknown`: its processes are not visible, or the pid may belong to another
 * process now; then only continued touching of the lock proves that it lives.
 *
 * @param isOwn whether this process itself holds a lock with this token
 */
export async function lifeOf({ owner }: Holder, isOwn: boolean): Promise<'alive' | 'dead' | 'unknown'> {
  if (owner.pid === 0) return 'dead'
  const now = await describeProcess(owner.pid)
  if (owner.space !== now.space) return 'unknown'
  if (isOwn) return 'alive'
  if (owner.started !== '' && owner.started !== now.started) return 'dead'
  // The only process of a container has the same pid after each restart, and in some sandboxes the same start time.
  if (owner.started !== '') return owner.pid === process.pid ? 'unknown' : 'alive'
  return isThere(owner.pid) ? 'unknown' : 'dead'
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export async function describeProcess(pid: number): Promise<Omit<Owner, 'token'>> {
  const status = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '')
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '')
  // Fields are counted after the command's closing bracket, since the command may contain spaces.
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
  // One that has ended stays listed until its parent asks how, which the first process of a container may never do.
  const hasEnded = fields[0] === 'Z' && Number(fields[17]) <= 1
  const started = hasEnded ? '' : (fields[19] ?? '')
  return { pid, space: [hostname(), boot.trim(), namespace].join(' '), started }
}
