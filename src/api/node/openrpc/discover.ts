import { type LocalService, RawJson } from '../gorilla/local-service.ts'
import { httpError } from '../http/answer.ts'
import type { LocalEndpoint } from '../plain/local-endpoint.ts'
import { type ApiName, openRpcDocument } from './document.ts'

const OPTIONAL: readonly ApiName[] = ['auth', 'admin', 'health', 'keystore', 'index']
const INDEXES = ['index/P/block', 'index/X/block', 'index/C/block', 'index/X/tx', 'index/X/vtx']

/** The parts of the document that apply to this deployment. `services` = those answered here and open to the public. */
const documentOf = (services: readonly LocalService[]): string => {
  const names = new Set(services.flatMap(({ endpoints }) => endpoints.map((name) => name.split('/')[0])))
  return openRpcDocument((api) => !OPTIONAL.includes(api) || names.has(api))
}

/** `/ext/openrpc.json`, for GET. */
export function createOpenRpcPage(services: readonly LocalService[]): LocalEndpoint {
  const body = Buffer.from(documentOf(services))
  return {
    endpoint: 'openrpc.json',
    answer: ({ method }) =>
      method === 'GET' || method === 'HEAD'
        ? { status: 200, contentType: 'application/json', body }
        : httpError(405, 'method not allowed'),
  }
}

/** `rpc.discover` of the server's own services, of info, P and the indexes. */
export function createDiscoverService(services: readonly LocalService[]): LocalService {
  const document = new RawJson(JSON.stringify(JSON.parse(documentOf(services))))
  const own = services
    .flatMap(({ endpoints }) => endpoints)
    .filter((name) => ['auth', 'admin', 'keystore', 'health'].includes(name))
  return {
    endpoints: [...new Set(['info', 'P', ...INDEXES, ...own])],
    service: 'rpc',
    methods: { discover: () => document },
  }
}
