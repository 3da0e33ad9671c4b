/**
 * EVM endpoints (`C/rpc`, an L1's `rpc`, `ws`): JSON-RPC as geth speaks it. What is final is answered from memory, other
 * calls go to a node, batches by what is in them; filters stay with their node, subscriptions survive the loss of one.
 */
export type { EvmApi, EvmRequest } from './endpoint.ts'
export { createEvmGateway } from './gateway.ts'
export { createEvmSockets } from './ws/sockets.ts'
export { createSocketTargets } from './ws/targets.ts'
