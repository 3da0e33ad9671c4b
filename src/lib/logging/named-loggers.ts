import { join } from 'node:path'
import type { DestinationStream, Logger } from 'pino'
import { openStandardError } from './line-output.ts'
import { createLogFile, type LogFile } from './log-file.ts'
import { createLogger } from './logger.ts'
import { leastLevel, type NodeLogLevel, nodeLogLevel, pinoLevel } from './node-log-levels.ts'

export interface LoggerLevels {
  /** Level of the logger's file. */
  logLevel: NodeLogLevel
  /** Level of standard error. */
  displayLevel: NodeLogLevel
}

/** The loggers of the process, by name: `main`, one per chain, one per API. */
export interface NamedLoggers {
  /** Created on first use; later calls return the same logger. */
  get(name: string): Logger
  names(): string[]
  /** Undefined = no logger of that name was created. */
  levels(name: string): LoggerLevels | undefined
  /** Takes effect at once; loggers derived from it follow only if it becomes quieter. */
  setLevels(name: string, levels: Partial<LoggerLevels>): void
  /** Whether any logger currently writes debug lines. */
  anyDebugs(): boolean
  close(): void
}

export interface NamedLoggersOptions {
  /** Initial level of every logger; pino's names. */
  level: string
  /** Initial level of standard error; left out = `level`. */
  displayLevel?: string | undefined
  /** Folder of the log files, one per logger; left out = no files. */
  dir?: string | undefined
}

interface Entry {
  logger: Logger
  levels: LoggerLevels
  file: LogFile | undefined
}

/** pino tells streams with this mark the level of each line. */
const METADATA = Symbol.for('pino.metadata')

const fileName = (name: string): string => `${name.replace(/[^A-Za-z0-9._-]/g, '-')}.log`

/** Writes each line to the outputs whose level includes it. */
function createSplitter(levels: LoggerLevels, display: DestinationStream, file: LogFile | undefined) {
  return {
    [METADATA]: true,
    lastLevel: 0,
    write(line: string): void {
      if (this.lastLevel >= leastLevel(levels.displayLevel)) display.write(line)
      if (file !== undefined && this.lastLevel >= leastLevel(levels.logLevel)) file.write(line)
    },
  }
}

/**
 * Loggers whose levels can be changed individually while the server runs. Lines of all loggers but `main` carry the
 * logger's name.
 */
export function createNamedLoggers({ level, displayLevel = level, dir }: NamedLoggersOptions): NamedLoggers {
  const display = openStandardError()
  const entries = new Map<string, Entry>()

  let debugs = false
  const follow = ({ logger, levels, file }: Entry): void => {
    const shown = leastLevel(levels.displayLevel)
    logger.level = pinoLevel(file === undefined ? shown : Math.min(shown, leastLevel(levels.logLevel)))
  }
  const make = (name: string): Entry => {
    const levels: LoggerLevels = { logLevel: nodeLogLevel(level), displayLevel: nodeLogLevel(displayLevel) }
    const file = dir === undefined ? undefined : createLogFile(join(dir, fileName(name)))
    const logger = createLogger({ level }, createSplitter(levels, display, file))
    if (name !== 'main') logger.setBindings({ logger: name })
    const entry = { logger, levels, file }
    follow(entry)
    debugs ||= logger.isLevelEnabled('debug')
    return entry
  }
  return {
    get(name) {
      let entry = entries.get(name)
      if (!entry) {
        entry = make(name)
        entries.set(name, entry)
      }
      return entry.logger
    },
    names: () => [...entries.keys()].sort(),
    levels: (name) => {
      const entry = entries.get(name)
      return entry && { ...entry.levels }
    },
    setLevels(name, levels) {
      const entry = entries.get(name)
      if (!entry) return
      Object.assign(entry.levels, levels)
      follow(entry)
      debugs = [...entries.values()].some(({ logger }) => logger.isLevelEnabled('debug'))
    },
    anyDebugs: () => debugs,
    close() {
      for (const { file } of entries.values()) file?.close()
    },
  }
}
