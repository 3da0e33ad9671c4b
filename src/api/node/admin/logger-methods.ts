import type { LoggerLevels, NamedLoggers } from '../../../lib/logging/named-loggers.ts'
import { type NodeLogLevel, parseNodeLogLevel } from '../../../lib/logging/node-log-levels.ts'
import { ArgumentError, type Arguments } from '../gorilla/arguments.ts'
import { type LocalMethod, MethodError } from '../gorilla/local-service.ts'
import { goQuote } from '../json/go-quote.ts'

/** Undefined = left out; an empty text is not a level. */
function levelOf(args: Arguments, name: string): NodeLogLevel | undefined {
  if (args.raw(name) === undefined) return undefined
  const level = parseNodeLogLevel(args.string(name))
  if (level === undefined) throw new ArgumentError()
  return level
}

/** `getLoggerLevel` and `setLoggerLevel`; without a name they apply to all loggers. */
export function createLoggerMethods(loggers: NamedLoggers): Record<'getLoggerLevel' | 'setLoggerLevel', LocalMethod> {
  const levelsOf = (name: string): LoggerLevels => {
    const levels = loggers.levels(name)
    if (!levels) throw new MethodError(`logger with name ${goQuote(name)} not found`)
    return levels
  }
  const named = (name: string): string[] => (name === '' ? loggers.names() : [name])
  return {
    getLoggerLevel: (args) => {
      const all = named(args.string('loggerName')).map((name) => [name, { ...levelsOf(name) }] as const)
      return { loggerLevels: Object.fromEntries(all) }
    },
    setLoggerLevel: (args) => {
      const name = args.string('loggerName')
      const logLevel = levelOf(args, 'logLevel')
      const displayLevel = levelOf(args, 'displayLevel')
      if (logLevel === undefined && displayLevel === undefined)
        throw new MethodError('need to specify either displayLevel or logLevel')
      for (const one of named(name)) {
        levelsOf(one)
        loggers.setLevels(one, { ...(logLevel && { logLevel }), ...(displayLevel && { displayLevel }) })
      }
      // Newer nodes answer with the levels; the specification only knows the empty object.
      return {}
    },
  }
}
