/**
 * `/ext/*`: the APIs of a node. What a node would answer is forwarded byte for byte to one of several; what makes no
 * sense through a pool (auth, admin, keystore, health) is answered here in the same dialect.
 */
export type { AccessGuard, AccessRequest } from './access.ts'
export type { EvmApi, EvmRequest } from './evm/index.ts'
export { createForwarder, type Forwarder } from './forward/forwarder.ts'
export { createNodePools, type NodePools } from './forward/node-pools.ts'
export { createFrontDoor, type FrontDoor } from './front-door.ts'
export { ArgumentError, type Arguments, type Encoding } from './gorilla/arguments.ts'
export {
  type JsonValue,
  type LocalCall,
  type LocalMethod,
  type LocalResult,
  type LocalService,
  MethodError,
  PASS_ON,
  RawJson,
} from './gorilla/local-service.ts'
export type { NodeAnswer } from './http/answer.ts'
export { createNodeApi, type NodeApi } from './node-api.ts'
export type { HttpCall, LocalEndpoint } from './plain/local-endpoint.ts'
export { type ChainDirectory, createChainDirectory, type ListedChain } from './routes/chain-directory.ts'
export type { RouteAliases } from './routes/route-aliases.ts'
