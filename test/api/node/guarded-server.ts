import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createAccessGuard } from '../../../src/api/node/access-guard.ts'
import { createAuthService, tokenJson } from '../../../src/api/node/auth/index.ts'
import type { EvmApi } from '../../../src/api/node/evm/index.ts'
import { createFrontDoor } from '../../../src/api/node/front-door.ts'
import type { LocalService } from '../../../src/api/node/gorilla/local-service.ts'
import { createNodeApi } from '../../../src/api/node/node-api.ts'
import { createChainDirectory } from '../../../src/api/node/routes/chain-directory.ts'
import { createPageOrigins } from '../../../src/api/plugins/page-origins.ts'
import {
  type AccessTokens,
  type AccessTokensDeps,
  createAccessTokens,
} from '../../../src/services/access-tokens/index.ts'
import type { Store } from '../../../src/store/index.ts'

export const PASSWORD = 'Auth-Pw-1 correct horse battery'

export interface GuardedServer {
  port: number
  tokens: AccessTokens
  /** Paths that came through the guard, whoever serves them. */
  entered: string[]
  /** Result of a call of the auth API, or the text of its error. */
  call(method: string, params: object, headers?: Record<string, string>): Promise<unknown>
  close(): Promise<void>
}

interface Options extends Partial<Pick<AccessTokensDeps, 'now' | 'refreshMs' | 'limits' | 'configured'>> {
  confirms?: boolean
  services?: readonly LocalService[]
  proxyHops?: number
  /** Takes WebSockets; left out: they are answered with 101, and that is it. */
  sockets?: Required<EvmApi>['upgrade']
}

const logger = pino({ level: 'silent' })
const times = {
  keepAliveTimeoutMs: 5_000,
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 30_000,
  answerTimeoutMs: 120_000,
  answerRoomBytes: 268_435_456,
}
const ids = {
  X: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
  C: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
}

/** A server with the guard on; what comes through is answered at once, upgrades with 101. */
export async function startGuardedServer(store: Store, options: Options = {}): Promise<GuardedServer> {
  const {
    confirms = false,
    services = [],
    proxyHops = 0,
    configured = PASSWORD,
    refreshMs = 0,
    sockets,
    ...rest
  } = options
  const tokens = createAccessTokens({ records: store.auth, json: tokenJson, logger, configured, refreshMs, ...rest })
  await tokens.open()
  const entered: string[] = []
  const chains = createChainDirectory({ list: async () => [], configured: [], primaryIds: ids })
  const api = createNodeApi({
    forwarder: {
      forward: async ({ endpoint }) => ({
        status: 200,
        contentType: 'application/json',
        body: Buffer.from(endpoint.name),
      }),
      nodeId: () => 'NodeID-E19gYp3ahXSbCjhy8SzCkFCCCC9rkmhGY',
    },
    chains,
    services: [createAuthService({ tokens, confirms }), ...services],
    endpoints: [],
    evm: {
      answer: async () => Promise.reject(new Error('nothing is asked of EVM endpoints here')),
      ...(sockets && { upgrade: sockets }),
    },
    publicDeployment: false,
    allowedHosts: ['localhost'],
    corsOrigins: ['*'],
    proxyHops,
    tokens: true,
    bodyLimitBytes: 26_214_400,
    logger,
  })
  const node: typeof api = {
    ...api,
    handle: (request, response, target) => {
      entered.push(request.url ?? '')
      api.handle(request, response, target)
    },
    upgrade: (request, socket, head, target, over) => {
      entered.push(request.url ?? '')
      if (sockets) api.upgrade(request, socket, head, target, over)
      else socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    },
  }
  const server = createFrontDoor({
    node,
    pages: createPageOrigins(['*']),
    guard: createAccessGuard(tokens),
    ...times,
  }).serverFactory((request, response) => {
    entered.push(request.url ?? '')
    response.writeHead(404).end('404 page not found\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    tokens,
    entered,
    async call(method, params, headers) {
      const response = await fetch(`http://127.0.0.1:${port}/ext/auth`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: `auth.${method}`, params }),
      })
      const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
      return answer.error === undefined ? answer.result : answer.error.message
    },
    close: () => {
      tokens.close()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}
