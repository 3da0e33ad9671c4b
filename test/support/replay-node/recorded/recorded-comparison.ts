import { Agent, request as httpRequest } from 'node:http'
import type { ReplayNode } from '../options.ts'
import { rawMembers } from '../wire/go-json.ts'
import { blockFile, type ChainName } from './chain-tips.ts'
import { bodyOf, type Conversation } from './conversations.ts'
import type { Recordings } from './recordings.ts'

export interface Reply {
  status: number
  headers: [string, string][]
  body: string
}

// Without it Node would ask for the connection to be closed, which the recorded client did not.
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Sends a recorded request as it was recorded, headers included. */
export function sendRecorded(node: ReplayNode, { request }: Conversation): Promise<Reply> {
  const body = bodyOf(request)
  const headers = request.headers.flatMap(([name, value]) => (/^content-length$/i.test(name) ? [] : [name, value]))
  if (body.length > 0 || request.method === 'POST') headers.push('Content-Length', String(body.length))
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      { host: '127.0.0.1', port: node.port, method: request.method, path: request.path, headers, agent },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const { rawHeaders } = response
          const pairs = rawHeaders.flatMap((name, index) =>
            index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as [string, string]] : [],
          )
          resolve({ status: response.statusCode ?? 0, headers: pairs, body: Buffer.concat(parts).toString('utf8') })
        })
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

type Step = string | number | '*'

/** `$.result.peers[*].ip` and `$body.result.validators.0.nodeID` to steps. */
function stepsOf(path: string): Step[] {
  return path
    .replace(/^\$(body)?\.?/, '')
    .replaceAll('[*]', '.*')
    .split('.')
    .filter((step) => step !== '')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

function blank(value: unknown, steps: readonly Step[]): unknown {
  const [step, ...rest] = steps
  if (step === undefined) return '(varies)'
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (step === '*' || step === index ? blank(item, rest) : item))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, name === String(step) ? blank(item, rest) : item]),
  )
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

function withoutVolatile(body: string, paths: readonly string[]): string {
  if (paths.includes('$body')) return ''
  const value = paths
    .filter((path) => !path.startsWith('header:') && !path.includes('response.headers'))
    .reduce((current, path) => blank(current, stepsOf(path)), parse(body))
  return JSON.stringify(value)
}

function comparable(headers: readonly [string, string][], paths: readonly string[]): string {
  // Some sets were recorded from another node of the same network.
  const skipped = new Set([
    'date',
    'node-id',
    ...paths.flatMap((path) => /^header:(.*)$/.exec(path)?.[1]?.toLowerCase() ?? []),
  ])
  // The length follows from a body that may vary, and with it the framing.
  if (paths.length > 0) for (const name of ['content-length', 'transfer-encoding']) skipped.add(name)
  return JSON.stringify(headers.filter(([name]) => !skipped.has(name.toLowerCase())))
}

export type Verdict = 'identical' | 'equal' | 'headers' | 'different'

/** `equal` = the same once the members are left out that varied between two runs against the real node. */
export function compareReplies(recorded: Conversation, reply: Reply): Verdict {
  const paths = recorded.volatile ?? []
  const body = bodyOf(recorded.response).toString('utf8')
  const sameBody = reply.body === body
  if (recorded.response.status !== reply.status) return 'different'
  if (!sameBody && withoutVolatile(reply.body, paths) !== withoutVolatile(body, paths)) return 'different'
  if (comparable(recorded.response.headers, paths) !== comparable(reply.headers, paths)) return 'headers'
  return sameBody ? 'identical' : 'equal'
}

interface Accepted {
  chain: ChainName
  height: number
  at: number
}

/** Finds where the chains stood when a conversation took place: blocks accepted before the answer's Date. */
export function createTimeMachine(
  recordings: Recordings,
): (milliseconds: number) => Partial<Record<ChainName, number>> {
  const accepted: Accepted[] = []
  for (const chain of ['P', 'X', 'C'] as const) {
    let height = 0
    for (const line of recordings.lines(blockFile(chain))) {
      const container = JSON.parse(new Map(rawMembers(line)).get('container') ?? 'null') as { timestamp: string } | null
      accepted.push({ chain, height: height++, at: container === null ? 0 : Date.parse(container.timestamp) })
    }
  }
  return (milliseconds) => {
    const heights: Partial<Record<ChainName, number>> = {}
    for (const { chain, height, at } of accepted) if (at <= milliseconds) heights[chain] = height
    return heights
  }
}

/** Unix milliseconds of a recorded answer. */
export function dateOf(recorded: Conversation): number {
  const date = recorded.response.headers.find(([name]) => name.toLowerCase() === 'date')?.[1]
  return date === undefined ? Number.NaN : Date.parse(date)
}
