import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface MetadataGateway {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string
  stop(): Promise<void>
}

/** Stands in for the gateways of ipfs and arweave: every path is a document that names itself, so that nothing calls out. */
export async function startMetadataGateway(): Promise<MetadataGateway> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ name: `Sandbox ${request.url}`, description: 'Made by the sandbox.' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
