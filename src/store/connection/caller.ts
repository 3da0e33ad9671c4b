/** On whose behalf something is read. */
export interface Caller {
  /**
   * Keys by which connections are shared fairly: the address of a client, or its substitute; several if a read is for
   * all of them.
   * Clients may be added while the read waits.
   */
  clients: ReadonlySet<string>
  /** Aborts when the caller disconnects and nobody waits for the answer any more. */
  signal: AbortSignal
}
