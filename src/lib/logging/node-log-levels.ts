/** Log levels as nodes name them, from silence to everything, and the least pino level that each lets through. */
const LEAST = {
  OFF: Number.POSITIVE_INFINITY,
  FATAL: 60,
  ERROR: 50,
  WARN: 40,
  INFO: 30,
  // Between info and debug; nothing here logs there, so that it shows what INFO shows.
  TRACE: 25,
  DEBUG: 20,
  VERBO: 10,
} as const

export type NodeLogLevel = keyof typeof LEAST

export const leastLevel = (level: NodeLogLevel): number => LEAST[level]

/** Any case; undefined = there is no such level. */
export function parseNodeLogLevel(text: string): NodeLogLevel | undefined {
  const name = text.toUpperCase()
  return Object.hasOwn(LEAST, name) ? (name as NodeLogLevel) : undefined
}

/** pino's names for the same thresholds. */
const PINO: readonly (readonly [name: string, least: number, level: NodeLogLevel])[] = [
  ['silent', LEAST.OFF, 'OFF'],
  ['fatal', LEAST.FATAL, 'FATAL'],
  ['error', LEAST.ERROR, 'ERROR'],
  ['warn', LEAST.WARN, 'WARN'],
  ['info', LEAST.INFO, 'INFO'],
  ['debug', LEAST.DEBUG, 'DEBUG'],
  ['trace', LEAST.VERBO, 'VERBO'],
]

/** The quietest pino level that lets everything from `least` on through. */
export const pinoLevel = (least: number): string => PINO.findLast(([, own]) => own >= least)?.[0] ?? 'silent'

/** What a configured pino level is called on a node. */
export const nodeLogLevel = (pino: string): NodeLogLevel => PINO.find(([name]) => name === pino)?.[2] ?? 'INFO'
