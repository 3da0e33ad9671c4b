import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Config } from '../../config/index.ts'

/** Open files besides those of clients: connections to upstreams and the database, logs, libraries. */
const OWN_FILES = 256

/**
 * Warns of a limit of open files that the allowed connections of clients exceed: where none is left, the system refuses
 * connections before this process hears of them, so no later line would tell.
 * @param limits text of Linux' list of a process's limits; there is none on other systems, and no warning
 */
export async function warnOfFewFiles(
  { http: { maxConnections } }: Pick<Config, 'http'>,
  logger: Pick<Logger, 'warn'>,
  limits: () => Promise<string> = () => readFile('/proc/self/limits', 'utf8'),
): Promise<void> {
  const [, soft] = /^Max open files +(\d+)/m.exec(await limits().catch(() => '')) ?? []
  if (soft === undefined || Number(soft) >= maxConnections + OWN_FILES) return
  logger.warn(
    { openFiles: Number(soft), maxConnections },
    'fewer open files are allowed (ulimit -Hn) than connections of clients (http.maxConnections): those beyond are closed without an answer',
  )
}
