/** The part of a pino logger that this folder uses. */
export interface MarketLog {
  debug(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export const silentLog: MarketLog = { debug: () => undefined, warn: () => undefined }
