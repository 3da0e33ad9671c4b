import { Agent, request } from 'undici'
import { BadAnswerError, CancelledError, JsonRpcError, UpstreamUnavailableError } from '../../../src/errors.ts'
import type { CallOptions, UpstreamPool } from '../../../src/upstream/types.ts'

interface RpcCall {
  method: string
  params: unknown[]
}

/** Stands between pool and server: a thrown error is the upstream's answer; a returned URL is asked instead. */
export type Interceptor = (call: RpcCall, number: number) => string | undefined | Promise<string | undefined>

export interface RpcPool extends UpstreamPool {
  readonly calls: RpcCall[]
}

/** One JSON-RPC server, one exchange for each call, no retries: what an adapter sends can be seen and broken. */
export function createRpcPool(url: string, intercept: Interceptor = () => undefined): RpcPool {
  const agent = new Agent()
  const calls: RpcCall[] = []
  const unused = () => Promise.reject(new Error('not part of this pool'))
  const rpc = async <T>(path: string, method: string, params: unknown, options?: CallOptions): Promise<T> => {
    const call = { method, params: params as unknown[] }
    calls.push(call)
    const target = (await intercept(call, calls.length)) ?? url
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await request(target + path, {
      method: 'POST',
      headers,
      body,
      dispatcher: agent,
      signal: options?.signal,
    }).catch((cause: unknown) => {
      throw options?.signal?.aborted ? new CancelledError() : new UpstreamUnavailableError('no answer', cause)
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new UpstreamUnavailableError(`status ${answer.statusCode}`)
    const parsed = JSON.parse(text) as { result?: T; error?: { code: number; message: string; data?: unknown } }
    if (parsed.error) throw new JsonRpcError(parsed.error.message, parsed.error.code, parsed.error.data)
    if (parsed.result === undefined) throw new BadAnswerError('no result')
    return parsed.result
  }
  return {
    name: 'test',
    calls,
    rpc,
    getJson: unused,
    exchange: unused,
    head: () => undefined,
    isAsked: () => false,
    status: () => [],
    close: () => agent.close(),
  }
}
