import { randomUUID } from 'node:crypto'
import { link, readFile, readlink, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreLockedError } from '../errors.ts'

const NAME = 'firn.lock'
const BEAT_MS = 2_000
/** An owner whose processes cannot be seen from here is gone when it has not touched its lock for this long. */
const SILENCE_MS = 15_000

interface Owner {
  pid: number
  /** Where the pid means something: host, boot and pid namespace (containers share a host's boot). */
  space: string
  /** Start of the process in clock ticks since boot; tells a recycled pid from the old owner. Empty where unknown. */
  started: string
  token: string
}

/**
 * Keeps a second process out of an embedded database's folder: PGlite itself opens it twice without any complaint and
 * destroys it. The file names its owner, so that the lock of a killed process is taken over without anybody's help:
 * at once on the same machine, after 15 s of silence from another container or machine.
 *
 * @returns a function that gives the lock back
 * @throws StoreLockedError while another living process (or this one) holds it
 */
export async function takeLock(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, NAME)
  const mine: Owner = { ...(await describeProcess(process.pid)), token: randomUUID() }
  const draft = `${path}.${mine.token}`
  await writeFile(draft, JSON.stringify(mine))
  try {
    const giveUpAt = Date.now() + SILENCE_MS + 2 * BEAT_MS
    // A hard link is made or refused in one step, with the content already in place.
    while (!(await linked(draft, path))) {
      const owner = await readOwner(path)
      if (owner === undefined || !(await isAlive(owner, path))) await removeStale(path, owner, mine.token)
      else if (owner.space === mine.space || Date.now() > giveUpAt) throw new StoreLockedError(refusal(folder, owner))
      else await sleep(BEAT_MS / 4)
    }
  } finally {
    await rm(draft, { force: true })
  }
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), BEAT_MS)
  beat.unref()
  return async () => {
    clearInterval(beat)
    if ((await readOwner(path))?.token === mine.token) await rm(path, { force: true })
  }
}

const refusal = (folder: string, owner: Owner): string =>
  `the embedded database in ${folder} is in use by process ${owner.pid}; use DATABASE_URL to run several processes`

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Two starters may see the same dead owner: what is moved away is looked at again, and put back when it is not that. */
async function removeStale(path: string, stale: Owner | undefined, token: string): Promise<void> {
  const aside = `${path}.stale.${token}`
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const moved = await readOwner(aside)
  if (moved !== undefined && moved.token !== stale?.token) await linked(aside, path)
  await rm(aside, { force: true })
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
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

async function isAlive(owner: Owner, path: string): Promise<boolean> {
  const now = await describeProcess(owner.pid)
  if (owner.space !== now.space) {
    const touched = await stat(path).then(
      (file) => file.mtimeMs,
      () => 0,
    )
    return Date.now() - touched < SILENCE_MS
  }
  if (owner.started !== '') return owner.started === now.started
  try {
    process.kill(owner.pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function describeProcess(pid: number): Promise<Omit<Owner, 'token'>> {
  const status = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '')
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '')
  // Fields are counted behind the command's closing bracket, which may itself hold spaces.
  const started = status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  return { pid, space: [hostname(), boot.trim(), namespace].join(' '), started }
}
