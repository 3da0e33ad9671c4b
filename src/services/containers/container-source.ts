/** The indexes of accepted containers that a node keeps, named by the part of their path after /ext/index/. */
export const CONTAINER_INDEXES = ['P/block', 'X/block', 'C/block', 'X/tx', 'X/vtx'] as const
export type ContainerIndex = (typeof CONTAINER_INDEXES)[number]

/** A block, vertex or transaction as it was accepted. */
export interface Container {
  /** 32 bytes: id of the outer (proposer) block where there is one. */
  id: Uint8Array
  /** The outer bytes. */
  bytes: Uint8Array
  /** RFC 3339 with up to nine digits of fraction: when it was accepted. */
  timestamp: string
  /** Number of containers accepted before it; 0 = the first after genesis. */
  index: bigint
}

export interface ContainerRead {
  signal?: AbortSignal
  /** Who asks: large reads are in its turns. Left out: nobody in particular. */
  client?: string
}

/**
 * Own containers. `complete` says whether an index holds everything from the first container on, so that its content
 * equals a node's; until then, nothing else is asked of it. Ids are hex (see lib/bytes/ids.ts).
 */
export interface ContainerSource {
  complete(index: ContainerIndex, read?: ContainerRead): Promise<boolean>
  /**
   * Whether a missing container does not exist: the index has reached the tip that the nodes show now. Waits briefly
   * for blocks on their way. Only asked for answers that the next block may change.
   */
  current(index: ContainerIndex, read?: ContainerRead): Promise<boolean>
  /** Undefined when fewer were accepted. */
  byIndex(index: ContainerIndex, position: bigint, read?: ContainerRead): Promise<Container | undefined>
  byId(index: ContainerIndex, id: string, read?: ContainerRead): Promise<Container | undefined>
  /** In order; fewer than `count` (1 to 1,024) at the end of the index. */
  range(index: ContainerIndex, from: bigint, count: number, read?: ContainerRead): Promise<Container[]>
  /** Bytes that `range` would read, or somewhat more. */
  size(index: ContainerIndex, from: bigint, count: number, read?: ContainerRead): Promise<bigint>
  /** Undefined while nothing was accepted. */
  lastAccepted(index: ContainerIndex, read?: ContainerRead): Promise<Container | undefined>
  /** Position of an id; undefined when it is unknown. */
  indexOf(index: ContainerIndex, id: string, read?: ContainerRead): Promise<bigint | undefined>
}
