import { join } from 'node:path'
import type { DestinationStream, Logger } from 'pino'
import { openStandardError } from './line-output.ts'
import { createLogFile, type LogFile } from './log-file.ts'
import { createLogger } from './logger.ts'
import { leastLevel, type NodeLogLevel, nodeLogLevel, pinoLevel } from './node-log-levels.ts'

export interface LoggerLevels {
  /** What goes into the logger's file. */
  logLevel: NodeLogLevel
  /** What goes to standard error. */
  displayLevel: NodeLogLevel
}

/** The loggers of the process, by name: `main`, one per chain, one per API. */
export interface NamedLoggers {
  /** Made at first use; afterwards the same one. */
  get(name: string): Logger
  names(): string[]
  /** Undefined = no logger of that name was made. */
  levels(name: string): LoggerLevels | undefined
  /** Takes effect at once, also for loggers derived from it as far as it makes them quieter. */
  setLevels(name: string, levels: Partial<LoggerLevels>): void
  /** Whether any of them writes debug lines at the moment. */
  anyDebugs(): boolean
  close(): void
}

export interface NamedLoggersOptions {
  /** Level that every logger starts with; pino's names. */
  level: string
  /** The same for what goes to standard error; left out = `level`. */
  displayLevel?: string | undefined
  /** Folder of the log files, one per logger; left out = no files. */
  dir?: string | undefined
}

interface Entry {
  logger: Logger
  levels: LoggerLevels
  file: LogFile | undefined
}

/** pino tells streams that carry this mark the level of each line. */
const METADATA = Symbol.for('pino.metadata')

const fileName = (name: string): string => `${name.replace(/[^A-Za-z0-9._-]/g, '-')}.log`

/** Hands each line to whom its level is loud enough. */
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
 * Loggers whose levels can be changed while the server runs, each for itself. Lines of all but `main` carry its name.
 *
 * @param stream for tests and for embedding; default is standard error
 */
export function createNamedLoggers(options: NamedLoggersOptions, stream?: DestinationStream): NamedLoggers {
  const { level, displayLevel = level, dir } = options
  const display = stream ?? openStandardError()
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
