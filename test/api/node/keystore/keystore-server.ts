import { createServer } from 'node:http'
import { pino } from 'pino'
import { parseTarget } from '../../../../src/api/node/http/target.ts'
import { createKeystoreServices, type KeystoreServicesOptions } from '../../../../src/api/node/keystore/index.ts'
import { createNodeApi } from '../../../../src/api/node/node-api.ts'
import { createChainDirectory } from '../../../../src/api/node/routes/chain-directory.ts'
import { createKeystore } from '../../../../src/services/keystore/index.ts'
import type { KeystoreRecords } from '../../../../src/store/index.ts'

/** The private network on which the keystore was recorded. */
export const RECORDED_NETWORK = {
  hrp: 'local',
  blockchainIds: {
    P: '11111111111111111111111111111111LpoYY',
    X: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
    C: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
  },
}

export interface KeystoreServer {
  url: string
  /** Bodies that reached a node. */
  forwarded: string[]
  /** Result of a call, or the text of its error. */
  call(path: string, method: string, params: object): Promise<unknown>
  close(): Promise<void>
}

type Options = Pick<KeystoreServicesOptions, 'platformImport'> & { enabled: boolean; publicDeployment?: boolean }

/** `/ext` with nothing but the keystore and its key methods, over HTTP; what is forwarded gets `nodeAnswer`. */
export async function startKeystoreServer(
  records: KeystoreRecords,
  { publicDeployment = false, ...options }: Options,
  nodeAnswer = '{"jsonrpc":"2.0","error":{"code":-32000,"message":"from a node","data":null},"id":1}\n',
): Promise<KeystoreServer> {
  const forwarded: string[] = []
  const { X, C } = RECORDED_NETWORK.blockchainIds
  const chains = createChainDirectory({ list: async () => [], configured: [], primaryIds: { X, C } })
  const node = createNodeApi({
    forwarder: {
      async forward({ http }) {
        forwarded.push(http.body?.toString() ?? '')
        const contentType = 'application/json; charset=utf-8'
        return { status: 200, contentType, nosniff: true, body: Buffer.from(nodeAnswer) }
      },
      nodeId: () => undefined,
    },
    chains,
    services: createKeystoreServices({
      keystore: createKeystore({ records }),
      network: { facts: async () => RECORDED_NETWORK, lookup: chains.lookup },
      publicDeployment,
      ...options,
    }),
    endpoints: [],
    evm: { answer: async () => Promise.reject(new Error('nothing is asked of EVM endpoints here')) },
    publicDeployment,
    allowedHosts: ['localhost'],
    corsOrigins: ['*'],
    proxyHops: 0,
    tokens: false,
    bodyLimitBytes: 26_214_400,
    logger: pino({ level: 'silent' }),
  })
  const server = createServer((request, response) => {
    const target = parseTarget(request.url ?? '/')
    if (target) node.handle(request, response, target)
    else response.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${portOf(server)}`
  return {
    url,
    forwarded,
    async call(path, method, params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
      return answer.error === undefined ? answer.result : answer.error.message
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return address.port
}
