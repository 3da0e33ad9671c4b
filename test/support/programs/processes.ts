import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

interface Row {
  pid: number
  parent: number
  command: string
}

/** Everything that runs: from /proc where there is one (a bare machine has no `ps`), else from `ps`. */
function processes(): Row[] {
  if (!existsSync('/proc/self/stat')) {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n')
    return lines.map((line) => {
      const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
      return { pid: Number(pid), parent: Number(parent), command }
    })
  }
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readRow(name) : []))
}

function readRow(pid: string): Row[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before the last `)` may hold anything; state and parent follow.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return [{ pid: Number(pid), parent: Number(parent), command }]
  } catch {
    // It has ended meanwhile.
    return []
  }
}

/** Processes below a process, at any depth. */
export function descendants(root: number): Row[] {
  const rows = processes()
  const below = new Set([root])
  // Parents do not always have the smaller number, so one pass may not reach everybody.
  for (let before = 0; before !== below.size; ) {
    before = below.size
    for (const { pid, parent } of rows) if (below.has(parent)) below.add(pid)
  }
  return rows.filter(({ pid }) => pid !== root && below.has(pid))
}

/** Whether a process is there; one that has ended and was not yet collected by its parent is not. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (!existsSync('/proc/self/stat')) return true
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2] !== 'Z'
  } catch {
    return false
  }
}
