/** Time spent waiting for one thing, since recording started. */
export interface Wait {
  /** What was waited for, from general to specific: `['upstream', 'eip155:1', 'node.example.org']`. */
  path: readonly string[]
  count: number
  /** Milliseconds. */
  total: number
  longest: number
}

/** Takes the place of lock contention in a process with one thread: what was waited for, and how long. */
export interface WaitRecorder {
  record(path: readonly string[], ms: number): void
  /** The longest total first. */
  waits(): Wait[]
}

/** Most distinct things; further ones are counted together. */
const MAX_PATHS = 1_000
const OTHERS = ['others']

export function createWaitRecorder(): WaitRecorder {
  const waits = new Map<string, Wait>()
  const waitFor = (path: readonly string[]): Wait => {
    const key = path.join('\n')
    const known = waits.get(key)
    if (known) return known
    if (waits.size >= MAX_PATHS && path !== OTHERS) return waitFor(OTHERS)
    const made = { path: [...path], count: 0, total: 0, longest: 0 }
    waits.set(key, made)
    return made
  }
  return {
    record(path, ms) {
      const wait = waitFor(path)
      wait.count += 1
      wait.total += ms
      wait.longest = Math.max(wait.longest, ms)
    },
    waits: () => [...waits.values()].map((wait) => ({ ...wait })).sort((a, b) => b.total - a.total),
  }
}
