/** On whose behalf something is read. */
export interface Caller {
  /** Among whom turns are shared: the address of a client, or what stands for it. */
  client: string
  /** Aborts when the caller leaves: nobody waits for the answer any more. */
  signal: AbortSignal
}
