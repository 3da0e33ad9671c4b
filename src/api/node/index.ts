/**
 * `/ext/*`: the APIs of a node. What any node can answer is forwarded byte for byte to one of several; what concerns one
 * server and not the network (auth, admin, keystore, health) is answered here in the same dialect.
 *
 * The path of a request: `front-door.ts` (before Fastify: guard, path) → `node-api.ts` (CORS, hosts, route) → the serving of
 * its dialect (`gorilla/serve.ts`, `evm/serve.ts`, `plain/serve.ts`: HTTP checks, body) → the method table → here or
 * `forward/forwarder.ts` → `http/answer.ts`.
 *
 * To answer a JSON-RPC method here, make a `LocalService` and hand it to `createNodeApi` (`services`, see `wiring/node/node.ts`):
 * `methods` answer, `fallbacks` answer what a node says it does not have, PASS_ON forwards after all, MethodError is the
 * method's error text; `whole` keeps an endpoint from being forwarded at all, `private` hides it on public deployments.
 * Read arguments with the typed readers, which throw the node's one text for invalid ones. An endpoint that no node has
 * exists as soon as a service names it. To say something about a forwarded method (which node, how long its answer holds),
 * add a line to `methods/forwarded.ts`. To answer plain HTTP, make a `LocalEndpoint`. EVM endpoints are whole bodies handed to `EvmApi`
 * (`evm/endpoint.ts`): `answer` for POSTs whose HTTP side is in order, `upgrade` for WebSockets whose host and route are.
 */
export type { AccessGuard } from './access.ts'
export type { EvmApi } from './evm/index.ts'
export { chainNamed } from './forward/chain-named.ts'
export { createForwarder, type Forwarder } from './forward/forwarder.ts'
export { createNodePools, type NodePools, type NodePoolsDeps } from './forward/node-pools.ts'
export { createToldElsewhere, type ToldElsewhere } from './forward/told-elsewhere.ts'
export { createFrontDoor } from './front-door.ts'
export { type JsonValue, type LocalService, MethodError } from './gorilla/local-service.ts'
export type { NodeAnswer } from './http/answer.ts'
export { createNodeApi, type NodeApi } from './node-api.ts'
export type { LocalEndpoint } from './plain/local-endpoint.ts'
export { type ChainDirectory, createChainDirectory, isChainId, type ListedChain } from './routes/chain-directory.ts'
export { createNodeAliases } from './routes/node-aliases.ts'
