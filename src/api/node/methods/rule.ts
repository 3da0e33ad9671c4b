/** How long an answer of a forwarded method stays valid. */
export type Finality =
  /** Forever, once it is neither an error nor empty: accepted blocks, transactions, containers. */
  | 'immutable'
  /** While the node keeps version and configuration: chain id, network id, upgrade times. Cached for ten minutes. */
  | 'settled'
  /** Until a block is accepted. */
  | 'tip'

/** Which node is asked. */
export type Target =
  /** Any healthy one; another when it fails, lags or is slow. */
  | 'any'
  /** The node whose identity this server shows: its answer is about itself. Not served on a public deployment. */
  | 'identity'
  /** A transaction: sent once, or to all nodes, as configured. */
  | 'write'
  /** One at a time per node, with its own deadline. */
  | 'alone'

/** What an answer shows of a block of P or X: its height alone, the block, or containers in ascending order. */
export type Shows = 'height' | 'block' | 'containers'

/** Special rules of a forwarded method. */
export interface MethodRule {
  target: Target
  /** Left out: never cached. */
  finality?: Finality
  /** For immutable answers that may come too early: bytes of a final answer, for example `"status":"Committed"`. */
  finalWhen?: readonly string[]
  /**
   * Bytes with which a node says, without an error, that it lacks the item: another may have it. If no node has it, the
   * first of these that any node answered counts.
   */
  absentWhen?: readonly string[]
  /** A final answer says that a transaction is accepted; waiting clients get it once every healthy node has it. */
  news?: true
  /** How the answer shows a block of P or X: clients read that block's state next, from nodes that have it. */
  shows?: Shows
  /** A list in pages whose order is the node's own: the next page comes from the node that served the previous one. */
  pages?: true
}
