/** The client on whose behalf something is read. */
export interface Caller {
  /** Key by which turns are shared: a client's address, or its substitute. */
  client: string
  /** Aborts when the caller disconnects and nobody waits for the answer any more. */
  signal: AbortSignal
}
