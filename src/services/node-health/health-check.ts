/** Anything that goes into an answer as JSON. */
export type HealthMessage =
  | string
  | number
  | boolean
  | null
  | readonly HealthMessage[]
  | { readonly [name: string]: HealthMessage | undefined }

/** A check that failed and still has something to tell. `message` of the error is the text that clients see. */
export class UnhealthyError extends Error {
  readonly details: HealthMessage | undefined
  constructor(message: string, details?: HealthMessage, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.details = details
  }
}

/** The reports a node has: `health` of everything, `readiness` of the start, `liveness` of being there at all. */
export type HealthReportKind = 'health' | 'readiness' | 'liveness'

/** In every filtered report, whatever tags are asked for. */
export const APPLICATION_TAG = 'application'

/** Something that is looked after periodically. */
export interface HealthCheck {
  /** Key in the reports. The last one of a name counts. */
  name: string
  /** Left out: only `health`. */
  reports?: readonly HealthReportKind[]
  /** Subnet IDs it belongs to, or APPLICATION_TAG. Asked each time, as they may become known late. */
  tags(): readonly string[]
  /**
   * Resolves to what the report shows (undefined: nothing), rejects when unhealthy: UnhealthyError to show something all
   * the same. The signal fires when its time is over.
   */
  run(signal: AbortSignal): HealthMessage | undefined | Promise<HealthMessage | undefined>
  /** True = judges what the other checks found: run after them. */
  afterOthers?: boolean
}

/** Outcome of the last run of a check. */
export interface HealthResult {
  message?: HealthMessage
  error?: string
  /** RFC 3339: end of the run. */
  timestamp: string
  /** Nanoseconds. */
  duration: number
  contiguousFailures: number
  /** RFC 3339; null while healthy. */
  timeOfFirstFailure: string | null
}

export interface HealthReport {
  /** By name, sorted bytewise. */
  checks: ReadonlyMap<string, HealthResult>
  /** True when all of them passed. */
  healthy: boolean
}
