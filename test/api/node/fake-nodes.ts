import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Partially } from '../../../src/config/index.ts'
import type { Config } from '../../../src/config/schema.ts'
import { encodeCb58 } from '../../../src/lib/bytes/cb58.ts'
import { createTestApp, testConfig } from './recorded-node.ts'

export interface Asked {
  /** Of HTTP: GET, POST. */
  verb: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  method: string | undefined
}

/** `cut` closes the connection without an answer, `hang` never answers. */
export type Reply =
  | { status?: number; headers?: Record<string, string>; body: string | Buffer }
  | 'cut'
  | 'hang'
  | undefined

export interface FakeNode {
  url: string
  host: string
  nodeId: string
  /** What was asked of it, without probes of the tip and of its identity. */
  asked: Asked[]
  /** Requests being answered now, and the most there were at once. */
  most: number
  aborted: number
  /** Replaces the answers. Undefined falls back to a healthy node's. */
  answer: (asked: Asked) => Reply | Promise<Reply>
}

export const id32 = (byte: number): string => encodeCb58(Buffer.alloc(32, byte))
/** A chain with a virtual machine of its own, as the nodes list it. */
export const OTHER_CHAIN = id32(7)

const BACKGROUND = new Set([
  'platform.getHeight',
  'avm.getHeight',
  'eth_blockNumber',
  'platform.getBlockchains',
  'info.getBlockchainID',
  'info.getNetworkID',
  'eth_chainId',
  'avm.getAssetDescription',
  'platform.validatedBy',
])

/** Asked for the first block, which tells networks apart that go by one id. */
const GENESIS = /"platform\.getBlockByHeight","params":\{"height":"0"|"eth_getBlockByNumber","params":\["0x0",false\]/

const healthy = (asked: Asked, nodeId: string): Reply => {
  const id = /"id":(\d+|"[^"]*")/.exec(asked.body.toString())?.[1] ?? '1'
  const gorilla = (result: string): Reply => ({ body: `{"jsonrpc":"2.0","result":${result},"id":${id}}\n` })
  switch (asked.method) {
    case 'platform.getHeight':
    case 'avm.getHeight':
      return gorilla('{"height":"100"}')
    case 'eth_blockNumber':
      return { body: `{"jsonrpc":"2.0","id":${id},"result":"0x64"}\n` }
    case 'platform.getBlockchains':
      return gorilla(
        `{"blockchains":[{"id":"${OTHER_CHAIN}","name":"Orders","subnetID":"${id32(8)}","vmID":"${id32(9)}"}]}`,
      )
    case 'info.getNodeID':
      return gorilla(`{"nodeID":"${nodeId}"}`)
    case 'avm.getAssetDescription':
      return gorilla(`{"assetID":"${id32(6)}","name":"Avalanche","symbol":"AVAX","denomination":"9"}`)
    case 'info.getNetworkID':
      return gorilla('{"networkID":"5"}')
    default:
      return asked.path.endsWith('/rpc')
        ? { body: `{"jsonrpc":"2.0","id":${id},"result":"0x1"}\n` }
        : gorilla(`{"from":"${nodeId}"}`)
  }
}

/** Nodes that this process has made. */
let made = 0

async function startNode(index: number): Promise<{ node: FakeNode; server: Server }> {
  const nodeId = `NodeID-${index}`
  made += 1
  // Ports pass from one server to the next, and whoever used the last one may still ask there: another test file's server,
  // say. Only who was given this path is answered and counted.
  const place = `/n${process.pid}-${made}`
  const node: FakeNode = { url: '', host: '', nodeId, asked: [], most: 0, aborted: 0, answer: () => undefined }
  let active = 0
  const server = createServer((request, response) => {
    if (request.url?.startsWith(`${place}/`) !== true) {
      request.socket.destroy()
      return
    }
    const path = request.url.slice(place.length)
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const body = Buffer.concat(parts)
      const method = /"method"\s*:\s*"([^"]*)"/.exec(body.toString('latin1'))?.[1]
      const asked: Asked = {
        verb: request.method ?? '',
        path,
        headers: request.headers,
        body,
        method,
      }
      const isBackground = method !== undefined && (BACKGROUND.has(method) || GENESIS.test(body.toString('latin1')))
      if (!isBackground) {
        node.asked.push(asked)
        active += 1
        node.most = Math.max(node.most, active)
      }
      response.on('close', () => {
        if (!isBackground) active -= 1
        if (!response.writableFinished) node.aborted += 1
      })
      const reply = (await node.answer(asked)) ?? healthy(asked, nodeId)
      if (reply === 'hang') return
      if (reply === 'cut' || reply === undefined) {
        request.socket.destroy()
        return
      }
      response.writeHead(reply.status ?? 200, {
        'content-type': asked.path.endsWith('/rpc') ? 'application/json' : 'application/json; charset=utf-8',
        'node-id': nodeId,
        ...reply.headers,
        'content-length': String(Buffer.byteLength(reply.body)),
      })
      response.end(reply.body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${place}`
  node.host = new URL(node.url).host
  return { node, server }
}

export interface Front {
  url: string
  port: number
  nodes: FakeNode[]
  post(path: string, body: string | Buffer, headers?: Record<string, string>): Promise<Posted>
  /** Another process with the same settings over the same nodes. */
  beside(): Promise<Pick<Front, 'url' | 'post'>>
}

export interface Posted {
  status: number
  headers: Headers
  body: Buffer
  text: string
}

/**
 * The whole server before `count` nodes whose answers a test decides; everything is closed after the test. Slow
 * reads are not asked twice, unless a test wants it: a machine that stands still must not change who was asked.
 * @param network what is known of the network besides its nodes
 * @param evm EVM chains by their ids
 */
export async function startFront(
  count: number,
  over: Partially<Config> = {},
  network: object = {},
  evm: NonNullable<Partially<Config>['chains']>['evm'] = {},
): Promise<Front> {
  const started = await Promise.all(Array.from({ length: count }, (_, index) => startNode(index)))
  const nodes = started.map(({ node }) => node)
  const upstreams = nodes.map(({ url }) => ({ url }))
  const settings: Partially<Config> = {
    ...over,
    upstream: { hedgeMinMs: 0, ...over.upstream },
    chains: { avalanche: { testnet: { name: 'Fakes', upstreams, ...network } }, evm, ...over.chains },
  }
  onTestFinished(() => {
    for (const { server } of started) {
      server.closeAllConnections()
      server.close()
    }
  })
  const beside: Front['beside'] = async () => {
    const app = await createTestApp(testConfig([], settings))
    const url = await app.listen()
    onTestFinished(() => app.close())
    await untilIdKnown(url)
    return { url, post: postTo(url) }
  }
  const first = await beside()
  // So that learning it is not counted below.
  for (const node of nodes) node.asked.length = 0
  return { ...first, port: Number(new URL(first.url).port), nodes, beside }
}

/** Posts to a server whose URL this is, and reads the whole answer. */
export const postTo =
  (url: string): Front['post'] =>
  async (path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, body: bytes, text: bytes.toString() }
  }

/** Until a server knows the id of its node. */
export async function untilIdKnown(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await fetch(`${url}/ext/nothing`)
    await answer.arrayBuffer()
    if (answer.headers.has('node-id')) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** The node at a position; fails the test when there is none. */
export function nodeAt(front: Front, index: number): FakeNode {
  const node = front.nodes[index]
  if (!node) throw new Error(`no node ${index}`)
  return node
}

export const gorillaCall = (method: string, params = '{}', id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`

export const evmCall = (method: string, params = '[]', id = '1'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`

const answered = ({ body }: Asked, member: string): Reply => ({
  body: `{"jsonrpc":"2.0",${member},"id":${/"id":(\d+)/.exec(body.toString())?.[1] ?? '1'}}\n`,
})

/** A node's answer to a call: its result. */
export const told = (asked: Asked, result: object): Reply => answered(asked, `"result":${JSON.stringify(result)}`)

/** A node's answer to a call: its error. */
export const refused = (asked: Asked, message: string): Reply =>
  answered(asked, `"error":{"code":-32000,"message":${JSON.stringify(message)},"data":null}`)

/** Every node has what clients were told. */
export const NONE_LATE = { lacks: () => false, isLate: () => false }

/** How a call comes in by POST, for what forwards it. */
export const posted = (body: string) => ({
  method: 'POST' as const,
  contentType: 'application/json',
  contentEncoding: undefined,
  query: '',
  body: Buffer.from(body),
})
