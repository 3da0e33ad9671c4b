/**
 * EVM endpoints (`C/rpc`, an L1's `rpc`, `ws`): JSON-RPC as geth speaks it. Final answers come from memory, other calls
 * go to a node, batches are split by their content; filters stay with their node, subscriptions survive the loss of a
 * node.
 */
export type { EvmApi, EvmRequest } from './endpoint.ts'
export { createEvmGateway } from './gateway.ts'
export { type ChainTips, createChainTips } from './read/chain-tips.ts'
export { createSocketTargets } from './ws/link/targets.ts'
export { createEvmSockets } from './ws/sockets.ts'
