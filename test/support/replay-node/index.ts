/**
 * A node that replays a recorded Avalanche network over HTTP, so that tests and the sandbox see real data and the real
 * node's dialect without running a node. What is asked is computed from the folder of recordings, or replayed byte for
 * byte from recorded conversations.
 */

export type { Faults, ReplayCounters, ReplayNode, ReplayNodeOptions } from './options.ts'
export type { ChainName, Heights } from './recorded/chain-tips.ts'
export type { ConversationSet } from './recorded/conversations.ts'
export { startReplayNode } from './start-replay-node.ts'
