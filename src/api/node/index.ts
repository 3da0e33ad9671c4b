/**
 * `/ext/*`: the APIs of a node. Calls that any node can answer are forwarded byte for byte to one of several; calls
 * that concern one server and not the network (auth, admin, keystore, health) are answered here in the same dialect.
 *
 * The path of a request: `front-door.ts` (before Fastify: guard, path) → `node-api.ts` (CORS, hosts, route) → the
 * serving of its dialect (`gorilla/serve.ts`, `evm/serve.ts`, `plain/serve.ts`: HTTP checks, body) → the method table →
 * here or `forward/forwarder.ts` → `http/answer.ts`.
 *
 * To answer a JSON-RPC method here, write a `LocalService` and pass it to `createNodeApi` (`services`, see
 * `wiring/node/node.ts`): `methods` answer, `fallbacks` answer what a node says it lacks, PASS_ON forwards the call
 * after all, MethodError is the method's error text; `whole` keeps an endpoint from ever being forwarded, `private`
 * hides it on public deployments. Read arguments with the typed readers, which throw the node's error text for invalid
 * ones. An endpoint that no node has exists as soon as a service names it. To configure a forwarded method (which node,
 * how long its answer is valid), add a line to `methods/forwarded.ts`. To answer plain HTTP, write a `LocalEndpoint`.
 * EVM endpoints pass whole bodies to `EvmApi` (`evm/endpoint.ts`): `answer` for POSTs that have passed the HTTP checks,
 * `upgrade` for WebSockets with a checked host and route.
 */
export type { AccessGuard } from './access.ts'
export type { EvmApi } from './evm/index.ts'
export { blockchainIdOf } from './forward/blockchain-id-of.ts'
export { createPeerProcesses, type PeerProcesses } from './forward/consistency/peer-processes.ts'
export { createForwarder, type Forwarder } from './forward/forwarder.ts'
export { createNodePools, type NodePools, type NodePoolsDeps } from './forward/nodes/node-pools.ts'
export { createFrontDoor } from './front-door.ts'
export { type JsonValue, type LocalService, MethodError } from './gorilla/local-service.ts'
export type { NodeAnswer } from './http/answer.ts'
export { createNodeApi, type NodeApi } from './node-api.ts'
export type { LocalEndpoint } from './plain/local-endpoint.ts'
export { type ChainDirectory, createChainDirectory, isChainId, type ListedChain } from './routes/chain-directory.ts'
export { chainEndpoint } from './routes/endpoint.ts'
export { createNodeAliases } from './routes/node-aliases.ts'
