/** Limits of WebSockets; a node has other, mostly wider ones. */
export interface SocketLimits {
  /** Open at once over all chains; further ones are refused with 503. */
  maxSockets: number
  /** Largest message of a client, bytes; larger ones end the connection with 1009. */
  maxMessageBytes: number
  /**
   * Bytes of all clients' messages that are held at a time, including what nodes push while missed notifications are
   * read again; above it, large messages end their connection with 1013.
   */
  maxHeldBytes: number
  /** Requests of one client in progress; it is not read further until there are fewer. */
  maxInFlight: number
  /** Subscriptions of one client. */
  maxSubscriptions: number
  /**
   * Subscriptions that one client may begin in a second, once it has begun `maxSubscriptions` at its own pace: each is a
   * call to a node that no other limit counts.
   */
  subscriptionsPerSecond: number
  /** A connection to a node without subscriptions is closed after this long, milliseconds. */
  idleLinkMs: number
  /** Parameters of one client's subscriptions together, bytes: they are kept for subscribing at another node. */
  maxSubscriptionBytes: number
  /** Unread bytes of a client above which its subscriptions are no longer read from the node. */
  highWaterBytes: number
  /** Unread bytes of all clients; above it, the clients that have been behind for longest are cut. */
  maxUnreadBytes: number
  /** A client that does not read or does not answer a ping for this long is cut. Milliseconds. */
  stallMs: number
  /**
   * Interval of pings in both directions, milliseconds (as a node's). A node that leaves a call open for two is lost.
   */
  pingMs: number
  /** Time to replace a lost node before clients are told that their subscriptions are gone, milliseconds. */
  restoreMs: number
  /** Blocks that are read again after a loss; a client that missed more has to start over. */
  maxMissedBlocks: number
}

export const SOCKET_LIMITS: SocketLimits = {
  maxSockets: 2_000,
  maxMessageBytes: 5_242_880,
  maxHeldBytes: 268_435_456,
  maxInFlight: 64,
  maxSubscriptions: 1_000,
  subscriptionsPerSecond: 50,
  idleLinkMs: 5_000,
  maxSubscriptionBytes: 1_048_576,
  highWaterBytes: 1_048_576,
  maxUnreadBytes: 268_435_456,
  stallMs: 30_000,
  pingMs: 30_000,
  restoreMs: 30_000,
  maxMissedBlocks: 1_024,
}
