/**
 * The OpenRPC description of every method under /ext that the specification names: one file per API, assembled in
 * `document.ts`. Served as /ext/openrpc.json and by `rpc.discover`.
 */
export { createDiscoverService, createOpenRpcPage } from './discover.ts'
export { openRpcDocument } from './document.ts'
