import type { LoggerLevels, NamedLoggers } from '../../../lib/logging/named-loggers.ts'
import { type NodeLogLevel, parseNodeLogLevel } from '../../../lib/logging/node-log-levels.ts'
import { ArgumentError } from '../gorilla/arguments.ts'
import { type LocalMethod, MethodError } from '../gorilla/local-service.ts'
import { goQuote } from '../json/go-quote.ts'

/** An empty text is not a level. */
function parseLevel(json: string): NodeLogLevel {
  const level = json.startsWith('"') ? parseNodeLogLevel(String(JSON.parse(json))) : undefined
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
      const logLevel = args.decoded('logLevel', parseLevel)
      const displayLevel = args.decoded('displayLevel', parseLevel)
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
