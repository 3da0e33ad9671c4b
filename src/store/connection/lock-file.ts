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
  try {
    await writeFile(draft, JSON.stringify(mine))
    const giveUpAt = Date.now() + SILENCE_MS + 2 * BEAT_MS
    // A hard link is made or refused in one step, with the content already in place.
    while (!(await linked(draft, path))) {
      const line = await readLine(path)
      const last = line.at(-1)
      if (last === undefined) continue
      if (!(await isAlive(last))) {
        if (await succeeded(path, draft, line)) break
      } else if (last.owner.space === mine.space || Date.now() > giveUpAt)
        throw new StoreLockedError(refusal(folder, last.owner))
      else await sleep(BEAT_MS / 4)
    }
  } finally {
    await rm(draft, { force: true })
  }
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), BEAT_MS)
  beat.unref()
  return async () => {
    clearInterval(beat)
    if ((await readHolder(path))?.owner.token === mine.token) await rm(path, { force: true })
  }
}

/** An owner and the file that names it. */
interface Holder {
  owner: Owner
  file: string
  touchedAt: number
}

/** The file of whoever takes over from an owner: its name is free once, so an owner has one successor. */
const successorFile = (path: string, { owner }: Holder): string => `${path}.after.${owner.token}`

/** The owner that the lock names, its successor if there is one already, and so on. */
async function readLine(path: string): Promise<Holder[]> {
  const line: Holder[] = []
  for (let file = path; ; ) {
    const holder = await readHolder(file)
    if (holder === undefined) return line
    line.push(holder)
    file = successorFile(path, holder)
  }
}

/**
 * Takes over from the last of a line of dead owners. Two starters may see the same line: one of them makes the file of
 * its successor. The lock itself is never removed on the way, only replaced in one step, so that nobody slips in; and who
 * made a successor's file after the line had been cleared away sees it by the lock, which names somebody else then.
 */
async function succeeded(path: string, draft: string, line: readonly Holder[]): Promise<boolean> {
  const [first, last] = [line[0], line.at(-1)]
  if (!first || !last) return false
  const claim = successorFile(path, last)
  if (!(await linked(draft, claim))) return false
  const inForce = (await readHolder(path))?.owner.token === first.owner.token
  if (inForce) await rename(draft, path)
  for (const holder of inForce ? line : [last]) await rm(successorFile(path, holder), { force: true })
  return inForce
}

/** Strangers are shown what stands before the colon. */
const refusal = (folder: string, owner: Owner): string =>
  `the embedded database is in use by another process: process ${owner.pid} has ${folder}; use DATABASE_URL to run several processes`

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** A file that names nobody (the disk was full, say) is a dead owner's. */
async function readHolder(file: string): Promise<Holder | undefined> {
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

async function isAlive({ owner, touchedAt }: Holder): Promise<boolean> {
  if (owner.pid === 0) return false
  const now = await describeProcess(owner.pid)
  if (owner.space !== now.space) return Date.now() - touchedAt < SILENCE_MS
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
