import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startReplayNode } from '../../support/replay-node/index.ts'
import { type GeneratedContainers, generateContainers } from './containers.ts'

/** The node that is indexed, in a process of its own, so that what is measured does not share its processor and memory. */
const JSON_HEADERS = { 'content-type': 'application/json' }

/** The replayed node, with the generated chain as its X. */
async function startNode(chain: GeneratedContainers): Promise<string> {
  const node = await startReplayNode({ upTo: { P: 1, X: 0, C: 0 } })
  const last = String(chain.containers.length)
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const answer = (result: string): void => {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0","result":${result},"id":1}`)
    }
    if (incoming.url === '/ext/index/X/block') {
      const { params } = JSON.parse(body) as { params: { startIndex: string; numToFetch: string } }
      const from = Number(params.startIndex)
      const page = chain.containers.slice(from, from + Number(params.numToFetch))
      if (page.length > 0) return answer(`{"containers":[${page.join()}]}`)
    }
    if (body.includes('avm.getHeight')) return answer(`{"height":"${last}"}`)
    const forwarded = await fetch(node.url + incoming.url, { method: 'POST', headers: JSON_HEADERS, body })
    outgoing.writeHead(forwarded.status, JSON_HEADERS).end(await forwarded.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const size = JSON.parse(process.argv[2] ?? '{}') as { blocks: number; transactions: number }
process.once('disconnect', () => process.exit(0))
process.send?.({ url: await startNode(await generateContainers(size)) })
