import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Turns an answer into what the client gets; undefined = the connection is cut. */
export type Lie = (body: Buffer, request: { path: string; body: string }) => Buffer | undefined

export interface LyingProxy {
  url: string
  /** Answers that were changed or cut so far. */
  readonly lies: number
  stop(): Promise<void>
}

/** A server in front of a node whose answers a test may change. */
export async function startLyingProxy(target: string, lie: Lie): Promise<LyingProxy> {
  let lies = 0
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const path = incoming.url ?? '/'
    const answer = await fetch(target + path, {
      method: incoming.method ?? 'GET',
      headers: { 'content-type': incoming.headers['content-type'] ?? 'application/json' },
      ...(body.length > 0 ? { body } : {}),
    }).catch(() => undefined)
    if (!answer) return outgoing.destroy()
    const truth = Buffer.from(await answer.arrayBuffer())
    const told = lie(truth, { path, body: body.toString() })
    if (told === undefined || !told.equals(truth)) lies++
    if (told === undefined) return outgoing.destroy()
    outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    return outgoing.end(told)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get lies() {
      return lies
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface RangeAnswer {
  result?: { containers?: { id: string; bytes: string; timestamp: string; index: string }[] }
}

/** Lies about ranges of containers only, if there are any in the answer. */
export const aboutContainers =
  (change: (containers: NonNullable<NonNullable<RangeAnswer['result']>['containers']>) => void): Lie =>
  (body, request) => {
    if (!request.body.includes('getContainerRange')) return body
    const answer = JSON.parse(body.toString()) as RangeAnswer
    const containers = answer.result?.containers
    if (!containers || containers.length < 3) return body
    change(containers)
    return Buffer.from(JSON.stringify(answer))
  }

/** Data of logs, topics and ids in receipts. */
const RECEIPT_WORDS = /(?:"(?:data|transactionHash)":|"topics":\[)"0x[0-9a-f]{64}/g

/** Turns one digit in the receipts of a block, if there are any in the answer. @param below a number below another */
export const aboutReceipts =
  (below: (limit: number) => number): Lie =>
  (body, request) => {
    if (!request.body.includes('eth_getBlockReceipts')) return body
    const text = body.toString()
    const words = [...text.matchAll(RECEIPT_WORDS)]
    const word = words[below(Math.max(1, words.length))]
    if (!word) return body
    const at = word.index + word[0].length - 1 - below(64)
    return Buffer.from(`${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`)
  }
