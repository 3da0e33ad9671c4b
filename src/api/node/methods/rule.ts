/** How long an answer of a forwarded method stays true. */
export type Finality =
  /** For good, once it is no error and not empty: accepted blocks, transactions, containers. */
  | 'immutable'
  /** While the node keeps its version and configuration: chain id, network id, upgrade times. Kept for ten minutes. */
  | 'settled'
  /** Until a block is accepted. */
  | 'tip'

/** Which node is asked. */
export type Target =
  /** Any healthy one; another when it fails, is behind or slow. */
  | 'any'
  /** The one that gives this server its identity: its answer is about itself. Not served on a public deployment. */
  | 'identity'
  /** A transaction: sent once, or to all nodes, as configured. */
  | 'write'
  /** One at a time per node, with a deadline of its own. */
  | 'alone'

/** What is special about a forwarded method. */
export interface MethodRule {
  target: Target
  /** Left out: never cached. */
  finality?: Finality
  /** For immutable answers that may come too early: bytes that a final one holds, for example `"status":"Committed"`. */
  finalWhen?: readonly string[]
  /**
   * Bytes by which a node says, without an error, that it has no such thing: another may have it. Of several the first that
   * any node says counts where none has.
   */
  absentWhen?: readonly string[]
  /** A final answer tells that a transaction is accepted; who waited for it gets it once every healthy node has. */
  news?: true
  /** The height of the newest block: what it made of things is read next, of nodes that have it. */
  height?: true
  /** A list in pages, in an order that is the node's own: the next page comes from the node that gave the one before. */
  pages?: true
}
