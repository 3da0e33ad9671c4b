import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createEvmGateway } from '../../../../src/api/node/evm/gateway.ts'
import { createChainTips } from '../../../../src/api/node/evm/read/chain-tips.ts'
import type { SocketLimits } from '../../../../src/api/node/evm/ws/limits.ts'
import { createSocketTargets } from '../../../../src/api/node/evm/ws/link/targets.ts'
import { createEvmSockets, type EvmSockets } from '../../../../src/api/node/evm/ws/sockets.ts'
import type { PeerProcesses } from '../../../../src/api/node/forward/consistency/peer-processes.ts'
import {
  createChainDirectory,
  createForwarder,
  createFrontDoor,
  createNodeApi,
  createNodePools,
  type NodePools,
} from '../../../../src/api/node/index.ts'
import { createPageOrigins } from '../../../../src/api/plugins/page-origins.ts'
import { blockHeight } from '../../../../src/chains/avalanche/codec/index.ts'
import type { PoolLimits, UpstreamSpec } from '../../../../src/upstream/index.ts'
import {
  type FaultServer,
  type FaultServerOptions,
  type SeenCall,
  startFaultServer,
} from '../../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../../support/upstream/upstream-pool.ts'

export interface EvmStageOptions {
  nodes: readonly string[]
  /** EVM endpoints by blockchain id. */
  evm?: Record<string, readonly UpstreamSpec[]>
  ids?: { X?: string; C?: string }
  writePolicy?: 'one' | 'all'
  tipCacheMs?: number
  limits?: Partial<PoolLimits>
  sockets?: Partial<SocketLimits>
  /** What other processes were told. */
  peers?: PeerProcesses
}

/** The node API over these nodes, without the rest of the server. */
export interface EvmStage {
  url: string
  port: number
  wsUrl: string
  pools: NodePools
  sockets: EvmSockets
  server: Server
  /** POSTs a body to the C-chain's (or another) `rpc`. */
  post(body: string | object, path?: string): Promise<{ status: number; text: string; headers: Headers }>
  /** One call's result; throws with the error's message. */
  call<T = string>(method: string, params?: unknown[], path?: string): Promise<T>
  close(): Promise<void>
}

export async function startEvmStage(options: EvmStageOptions): Promise<EvmStage> {
  const nodes = options.nodes.map((url) => ({ url }))
  const evm = options.evm ?? {}
  const pools = createNodePools({ nodes, evm, limits: { ...TEST_LIMITS, ...options.limits }, deps: {} })
  const shared = { cache: { bytes: 10_000_000, entries: 10_000 }, tipCacheMs: options.tipCacheMs ?? 0 }
  const { writePolicy = 'one', peers } = options
  const tips = createChainTips({ pools, maxLagBlocks: 3, peers })
  const forwarder = createForwarder({ pools, tips, blockHeight, writePolicy, peers, ...shared })
  const { answer } = createEvmGateway({ pools, forwarder, tips, peers, ...shared })
  const sockets = createEvmSockets({
    answer,
    targets: createSocketTargets({ pools, nodes, evm, isBehind: (endpoint, host) => tips.of(endpoint).isBehind(host) }),
    onHead: (endpoint, host, height) => tips.of(endpoint).saw(host, height),
    peers,
    ...(options.sockets ? { limits: options.sockets } : {}),
  })
  const node = createNodeApi({
    forwarder,
    chains: createChainDirectory({ list: async () => [], configured: Object.keys(evm), primaryIds: options.ids ?? {} }),
    services: [],
    endpoints: [],
    evm: { answer, upgrade: sockets.upgrade },
    publicDeployment: false,
    allowedHosts: ['localhost'],
    corsOrigins: ['*'],
    proxyHops: 0,
    tokens: false,
    bodyLimitBytes: 10_000_000,
    logger: pino({ level: 'silent' }),
  })
  const times = {
    keepAliveTimeoutMs: 5_000,
    headersTimeoutMs: 5_000,
    requestTimeoutMs: 30_000,
    answerTimeoutMs: 120_000,
  }
  const door = createFrontDoor({ node, pages: createPageOrigins(['*']), ...times, answerRoomBytes: 268_435_456 })
  const server = door.serverFactory((_, response) => void response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`

  const post: EvmStage['post'] = async (body, path = '/ext/bc/C/rpc') => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  return {
    url,
    port,
    wsUrl: `ws://127.0.0.1:${port}/ext/bc/C/ws`,
    pools,
    sockets,
    server,
    post,
    call: async <T>(method: string, params: unknown[] = [], path?: string) => {
      const { text } = await post({ jsonrpc: '2.0', id: 1, method, params }, path)
      const answered = JSON.parse(text) as { result?: T; error?: { message: string } }
      if (answered.error) throw new Error(answered.error.message)
      return answered.result as T
    },
    close: async () => {
      sockets.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await pools.close()
    },
  }
}

/** A stage over one node; both end with the test. */
export async function startOneNode(options: FaultServerOptions): Promise<{ stage: EvmStage; server: FaultServer }> {
  const server = await startFaultServer(options)
  const stage = await startEvmStage({ nodes: [server.url] })
  onTestFinished(async () => {
    await stage.close()
    await server.close()
  })
  return { stage, server }
}

/** A node that is at a height, which a test may raise. */
export interface HighNode {
  height: number
  server: FaultServer
}

/** Nodes at these heights behind a stage; everything ends with the test. @param answer what one says, by its height */
export async function startNodesAt(
  heights: readonly number[],
  answer: (node: HighNode, call: SeenCall) => unknown,
  options: Partial<EvmStageOptions> = {},
): Promise<{ stage: EvmStage; nodes: HighNode[] }> {
  const nodes = await Promise.all(
    heights.map(async (height) => {
      const node = { height } as HighNode
      node.server = await startFaultServer({ answer: (call) => answer(node, call) })
      return node
    }),
  )
  return { stage: await startStageOver(nodes, options), nodes }
}

/** A stage over these nodes; it ends with the test, and they do. */
export async function startStageOver(
  nodes: readonly { server: FaultServer }[],
  options: Partial<EvmStageOptions> = {},
): Promise<EvmStage> {
  const stage = await startEvmStage({ ...options, nodes: nodes.map(({ server }) => server.url) })
  onTestFinished(async () => {
    await stage.close()
    await Promise.all(nodes.map(({ server }) => server.close()))
  })
  return stage
}
