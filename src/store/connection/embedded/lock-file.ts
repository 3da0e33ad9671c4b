import { randomUUID } from 'node:crypto'
import { link, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { steadyNow } from '../../../lib/steady-clock.ts'
import { StoreLockedError } from '../../errors.ts'
import { describeProcess, type Holder, lifeOf, type Owner, readHolder } from './lock-owner.ts'

const NAME = 'firn.lock'

/** Milliseconds, or multiples of `lookMs`. */
export interface LockFileTimes {
  /** How often an owner touches its lock. */
  beatMs: number
  /** How often a waiting process checks the lock. */
  lookMs: number
  /** Checks without a change after which an owner whose processes cannot be seen counts as gone. */
  silentLooks: number
  /** Checks after which waiting for such an owner ends. */
  mostLooks: number
  /** An owner that has not checked its lock for this long does so before it continues. */
  freshMs: number
}

const TIMES: LockFileTimes = { beatMs: 2_000, lookMs: 500, silentLooks: 30, mostLooks: 38, freshMs: 5_000 }

/** The right to an embedded database's folder. */
export interface FolderLock {
  /** False if the lock was not checked for some seconds, or belongs to another process: `confirm` before any write. */
  isFresh(): boolean
  /**
   * Checks whether this process still owns the folder.
   * @throws StoreLockedError when it does not, and on every later call
   */
  confirm(): Promise<void>
  release(): Promise<void>
}

export interface FolderLockOptions {
  /** Called once when another process owns the folder: this one was paused for so long that it counted as gone. */
  onLost?: (error: StoreLockedError) => void
  times?: LockFileTimes
}

/** Tokens of the locks held by this process. */
const held = new Set<string>()

/**
 * Keeps a second process out of an embedded database's folder: PGlite would open it twice without complaint and destroy
 * it. The file names its owner, so that the lock of a killed process is taken over automatically: at once on the same
 * machine; from another container or machine once it was not touched for 15 s. The file's time itself does not count,
 * since clocks differ between machines and are adjusted; only its changes do.
 *
 * @throws StoreLockedError while another living process (or this one) holds it
 */
export async function takeLock(
  folder: string,
  { onLost = () => {}, times = TIMES }: FolderLockOptions = {},
): Promise<FolderLock> {
  const path = join(folder, NAME)
  const mine: Owner = { ...(await describeProcess(process.pid)), token: randomUUID() }
  held.add(mine.token)
  try {
    await withDraft(path, mine, (draft) => waitFor(folder, path, draft, times))
  } catch (error) {
    held.delete(mine.token)
    throw error
  }
  return keep(folder, path, mine, onLost, times)
}

async function withDraft<T>(path: string, mine: Owner, work: (draft: string) => Promise<T>): Promise<T> {
  const draft = `${path}.${mine.token}`
  try {
    await writeFile(draft, JSON.stringify(mine))
    return await work(draft)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Replaces the lock with the draft as soon as its owner is gone. */
async function waitFor(folder: string, path: string, draft: string, times: LockFileTimes): Promise<void> {
  let seen = ''
  let same = 0
  let looks = 0
  // A hard link is created or refused atomically, with the content already in place.
  while (!(await linked(draft, path))) {
    const line = await readLine(path)
    const last = line.at(-1)
    if (last === undefined) continue
    const life = await lifeOf(last, held.has(last.owner.token))
    const now = `${last.owner.token} ${last.touchedAt}`
    same = now === seen ? same + 1 : 0
    seen = now
    looks += 1
    if (life === 'dead' || (life === 'unknown' && same >= times.silentLooks)) {
      if (await succeeded(path, draft, line)) return
    } else if (life === 'alive' || looks > times.mostLooks) throw new StoreLockedError(refusal(folder, last.owner))
    else await sleep(times.lookMs)
  }
}

/** Touches the lock periodically and checks that it is still the same. */
function keep(
  folder: string,
  path: string,
  mine: Owner,
  onLost: NonNullable<FolderLockOptions['onLost']>,
  times: LockFileTimes,
): FolderLock {
  let seenAt = steadyNow()
  let lost: StoreLockedError | undefined
  let looking: Promise<void> | undefined
  const isFresh = (): boolean => !lost && steadyNow() - seenAt < times.freshMs
  const look = async (): Promise<void> => {
    const at = steadyNow()
    // The lock file was removed a moment ago, so it is restored. After longer another process may have owned the folder
    // and left it.
    if (isFresh() && (await readHolder(path)) === undefined) await withDraft(path, mine, (draft) => linked(draft, path))
    const owner = (await readHolder(path))?.owner
    if (owner?.token === mine.token) {
      await utimes(path, new Date(), new Date())
      seenAt = at
      return
    }
    clearInterval(beat)
    lost = new StoreLockedError(takenAway(folder, owner))
    onLost(lost)
    throw lost
  }
  const confirm = (): Promise<void> => {
    if (lost) return Promise.reject(lost)
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }
  const beat = setInterval(() => void confirm().catch(() => undefined), times.beatMs)
  beat.unref()
  return {
    isFresh,
    confirm,
    async release() {
      clearInterval(beat)
      await looking?.catch(() => undefined)
      if ((await readHolder(path))?.owner.token === mine.token) await rm(path, { force: true })
      held.delete(mine.token)
    },
  }
}

/** The successor's file for an owner: it can be created once, so an owner has one successor. */
const successorFile = (path: string, { owner }: Holder): string => `${path}.after.${owner.token}`

/** The owner named by the lock, its successor if there is one, and so on. */
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
 * Takes over from the last of a line of dead owners. Two starting processes may see the same line, but only one of them
 * creates the successor's file. The lock itself is never removed, only replaced atomically, so no third process can
 * slip in. A process that created a successor's file after the line was cleared notices it because the lock then names
 * another owner.
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

/** Clients are shown the part before the colon. */
const refusal = (folder: string, owner: Owner): string =>
  `the embedded database is in use by another process: process ${owner.pid} has ${folder}; use DATABASE_URL to run several processes`

const takenAway = (folder: string, owner: Owner | undefined): string =>
  `the embedded database was taken over by another process: ${owner ? `process ${owner.pid} has` : 'an unknown process had'} ${folder} while this one was paused; restart this one to continue`

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
