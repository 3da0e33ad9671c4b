/** Log levels by their names on nodes, from none to all, with the lowest pino level that each includes. */
const LEAST = {
  OFF: Number.POSITIVE_INFINITY,
  FATAL: 60,
  ERROR: 50,
  WARN: 40,
  INFO: 30,
  // Between info and debug; nothing here logs at this level, so it shows the same as INFO.
  TRACE: 25,
  DEBUG: 20,
  VERBO: 10,
} as const

export type NodeLogLevel = keyof typeof LEAST

export const leastLevel = (level: NodeLogLevel): number => LEAST[level]

/** Any case; undefined = no such level. */
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

/** The quietest pino level that includes everything from `least` on. */
export const pinoLevel = (least: number): string => PINO.findLast(([, own]) => own >= least)?.[0] ?? 'silent'

/** The node's name of a configured pino level. */
export const nodeLogLevel = (pino: string): NodeLogLevel => PINO.find(([name]) => name === pino)?.[2] ?? 'INFO'
