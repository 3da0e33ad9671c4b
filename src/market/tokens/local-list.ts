import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { steadyNow } from '../../lib/steady-clock.ts'
import { watchFile } from '../file-watch.ts'
import type { MarketLog } from '../market-log.ts'
import { type ListReading, type ListSource, troubleOf } from './list-source.ts'
import { type ParsedList, parseTokenList } from './token-list.ts'

/** Files are cheap to check: at least this often. */
const LOOK_MS = 60_000
const MAX_FILES = 500

interface LocalListDeps extends ListReading {
  log: MarketLog
}

/** A list in a file; read again when the file changes. If it breaks or disappears, the last valid content stays. */
export const createFileList = (path: string, deps: LocalListDeps): ListSource => {
  const watched = watchFile(
    path,
    (text) => parseTokenList(text, deps),
    deps.maxBytes,
    (reason) => deps.log.warn({ file: path, reason }, 'token list could not be read'),
  )
  let list: ParsedList | undefined
  let due = 0
  const refresh = async (): Promise<boolean> => {
    due = steadyNow() + Math.min(LOOK_MS, deps.refreshMs)
    const before = list
    list = await watched.read()
    return list !== before
  }
  return {
    lists: () => (list === undefined ? [] : [list]),
    restore: refresh,
    refresh,
    dueAt: () => due,
    status: () => {
      const trouble = watched.trouble()
      return [
        {
          source: path,
          tokens: list?.taken ?? 0,
          skipped: list?.skipped ?? 0,
          ...(trouble === undefined ? {} : { trouble }),
        },
      ]
    },
  }
}

/** Every `*.json` of a folder, ordered by name; files may be added, changed and removed while the server runs. */
export const createFolderLists = (dir: string, deps: LocalListDeps): ListSource => {
  let files = new Map<string, ListSource>()
  let due = 0
  let trouble: string | undefined

  const scan = async (): Promise<Map<string, ListSource>> => {
    const names = (await readdir(dir)).filter((name) => name.endsWith('.json')).sort()
    return new Map(
      names.slice(0, MAX_FILES).map((name) => [name, files.get(name) ?? createFileList(join(dir, name), deps)]),
    )
  }

  const refresh = async (): Promise<boolean> => {
    due = steadyNow() + Math.min(LOOK_MS, deps.refreshMs)
    try {
      const before = [...files.keys()]
      files = await scan()
      trouble = undefined
      let changed = before.join('\n') !== [...files.keys()].join('\n')
      for (const file of files.values()) changed = (await file.restore()) || changed
      return changed
    } catch (error) {
      const message = troubleOf(error)
      if (message !== trouble) deps.log.warn({ dir, reason: message }, 'folder of token lists could not be read')
      trouble = message
      return false
    }
  }

  return {
    lists: () => [...files.values()].flatMap((file) => file.lists()),
    restore: refresh,
    refresh,
    dueAt: () => due,
    status: () =>
      trouble === undefined
        ? [...files.values()].flatMap((file) => file.status())
        : [{ source: dir, tokens: 0, skipped: 0, trouble }],
  }
}
