/** What WebSockets may take; a node has other, mostly wider, limits. */
export interface SocketLimits {
  /** Open at once over all chains; more are refused with 503. */
  maxSockets: number
  /** Largest message of a client, bytes; larger ones end the connection with 1009. */
  maxMessageBytes: number
  /**
   * Messages of all clients that are held at a time, together, bytes, and what nodes push to them while what was missed is
   * read again; beyond it large ones end their connection with 1013.
   */
  maxHeldBytes: number
  /** Requests of one client that are being answered; it is not read further until there are fewer. */
  maxInFlight: number
  /** Subscriptions of one client. */
  maxSubscriptions: number
  /** Parameters of one client's subscriptions together, bytes: they are kept to subscribe at another node. */
  maxSubscriptionBytes: number
  /** Bytes waiting to be read by a client before its subscriptions are no longer read from the node. */
  highWaterBytes: number
  /** Bytes waiting to be read by all clients; beyond it those who are behind for longest are cut. */
  maxUnreadBytes: number
  /** A client that does not read for this long is cut, and one that does not answer a ping. Milliseconds. */
  stallMs: number
  /** Time between pings in both directions, milliseconds (as a node's). A node that leaves a call for two of them is lost. */
  pingMs: number
  /** How long a lost node is replaced before clients are told that their subscriptions are gone, milliseconds. */
  restoreMs: number
  /** Blocks that are read again after a loss; who missed more is told to begin anew. */
  maxMissedBlocks: number
}

export const SOCKET_LIMITS: SocketLimits = {
  maxSockets: 2_000,
  maxMessageBytes: 5_242_880,
  maxHeldBytes: 268_435_456,
  maxInFlight: 64,
  maxSubscriptions: 1_000,
  maxSubscriptionBytes: 1_048_576,
  highWaterBytes: 1_048_576,
  maxUnreadBytes: 268_435_456,
  stallMs: 30_000,
  pingMs: 30_000,
  restoreMs: 30_000,
  maxMissedBlocks: 1_024,
}
