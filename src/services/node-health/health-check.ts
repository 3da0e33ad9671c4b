/** Any JSON value in an answer. */
export type HealthMessage =
  | string
  | number
  | boolean
  | null
  | readonly HealthMessage[]
  | { readonly [name: string]: HealthMessage | undefined }

/** A failed check with details to report. `message` of the error is the text that clients see. */
export class UnhealthyError extends Error {
  readonly details: HealthMessage | undefined
  constructor(message: string, details?: HealthMessage, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.details = details
  }
}

/** Something is still to come, as after every start: not worth a warning in the log before it should be there. */
export class NotYetError extends UnhealthyError {}

/** A node's reports: `health` of everything, `readiness` of the start, `liveness` of the process. */
export type HealthReportKind = 'health' | 'readiness' | 'liveness'

/** Included in every filtered report, whatever tags are requested. */
export const APPLICATION_TAG = 'application'

/** Something that is checked periodically. */
export interface HealthCheck {
  /** Key in the reports. Of several checks with one name, the last one counts. */
  name: string
  /** Left out: only `health`. */
  reports?: readonly HealthReportKind[]
  /** Subnet IDs it belongs to, or APPLICATION_TAG. Called each time, because they may become known late. */
  tags(): readonly string[]
  /**
   * Resolves to what the report shows (undefined: nothing), rejects when unhealthy: with UnhealthyError if there is
   * something to show. The signal fires at the timeout.
   */
  run(signal: AbortSignal): HealthMessage | undefined | Promise<HealthMessage | undefined>
  /** True = judges the results of the other checks: runs after them. */
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
