import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { request as ask } from 'undici'
import { type Gate, gate } from '../../support/waiting/gate.ts'

/** An upstream that answers everything after the same time. */
export interface Recorder {
  url: string
  /** From the whole request to the whole answer, milliseconds; may be changed. */
  latencyMs: number
  /** From now on answers wait until `release`. */
  hold(): void
  release(): void
  stop(): Promise<void>
}

interface Entry {
  id: unknown
  method: string
  params: unknown
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Stands in front of a real chain, learns its answers (JSON-RPC by method and params, the rest by path) and gives them
 * again after a set time: real contents with the latency of a network far away and no other cost.
 *
 * @param keepAliveMs how long an idle connection is kept
 */
export async function startRecorder(target: string, latencyMs: number, keepAliveMs = 60_000): Promise<Recorder> {
  const known = new Map<string, Promise<string>>()
  const learn = (key: string, asked: () => Promise<string>): Promise<string> => {
    const answer = known.get(key) ?? asked()
    known.set(key, answer)
    return answer
  }
  const forward = async (path: string, body?: string): Promise<string> => {
    const options =
      body === undefined ? {} : { method: 'POST' as const, body, headers: { 'content-type': 'application/json' } }
    return (await ask(target + path, options)).body.text()
  }
  /** `"result":…` or `"error":…` of one entry, as the chain wrote it. */
  const outcome = async (path: string, { method, params }: Entry): Promise<string> => {
    const text = await forward(path, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: unknown }
    return error === undefined ? `"result":${JSON.stringify(result)}` : `"error":${JSON.stringify(error)}`
  }
  const entryAnswer = async (path: string, entry: Entry): Promise<string> => {
    const key = `${path} ${entry.method} ${JSON.stringify(entry.params)}`
    return `{"jsonrpc":"2.0","id":${JSON.stringify(entry.id)},${await learn(key, () => outcome(path, entry))}}`
  }
  const answer = async (path: string, body: string): Promise<string> => {
    if (body === '') return learn(path, () => forward(path))
    const parsed = JSON.parse(body) as Entry | Entry[]
    if (!Array.isArray(parsed)) return entryAnswer(path, parsed)
    return `[${(await Promise.all(parsed.map((entry) => entryAnswer(path, entry)))).join(',')}]`
  }
  let held: Gate | undefined
  const server = createServer(async (request, response) => {
    const body = await readBody(request)
    // On a URL of its own below the target's, so that `/` alone is the target itself.
    const path = request.url === '/' ? '' : (request.url ?? '')
    const [text] = await Promise.all([
      answer(path, body),
      ...(recorder.latencyMs > 0 ? [sleep(recorder.latencyMs)] : []),
    ])
    await held?.opened
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
  })
  server.keepAliveTimeout = keepAliveMs
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const recorder: Recorder = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    latencyMs,
    hold() {
      held ??= gate()
    },
    release() {
      held?.open()
      held = undefined
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return recorder
}
