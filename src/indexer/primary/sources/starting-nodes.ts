import { CancelledError } from '../../../errors.ts'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import type { AnswerVerdict, RawResponse, UpstreamPool } from '../../../upstream/types.ts'

/**
 * Nodes that may have an index and answer 404: a node that starts serves other paths before it has made its chains and
 * their indexes.
 */
export interface StartingNodes {
  /** This host has given containers: it has an index. */
  served(host: string): void
  /** Whether a 404 of this host's index tells nothing (yet). */
  isDoubtful(host: string): boolean
  /**
   * Asks hosts whose 404 is doubtful whether they have finished starting the chain.
   * @returns true if one had by now: its next 404 tells, since chain and index are made together
   */
  settle(hosts: readonly string[], signal: AbortSignal): Promise<boolean>
}

const CALL_MS = 5_000
const SERVER_ERRORS = 500

export function createStartingNodes(pool: UpstreamPool, chain: ChainLetter): StartingNodes {
  const withIndex = new Set<string>()
  /** Hosts that had started when they were asked, or cannot tell. */
  const started = new Set<string>()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'info.isBootstrapped', params: { chain } })
  const request = { method: 'POST', path: '/ext/info', headers: { 'content-type': 'application/json' }, body } as const

  const hasStarted = async (host: string, signal: AbortSignal): Promise<boolean> => {
    const avoid = (other: string): boolean => other !== host
    try {
      const response = await pool.exchange(request, { signal, deadline: Date.now() + CALL_MS, avoid, judge })
      return response.host === host && response.status < SERVER_ERRORS && !saysNo(response)
    } catch (error) {
      if (error instanceof CancelledError) throw error
      return false
    }
  }

  return {
    served(host) {
      withIndex.add(host)
    },
    isDoubtful: (host) => withIndex.has(host) || !started.has(host),
    async settle(hosts, signal) {
      const open = hosts.filter((host) => !withIndex.has(host) && !started.has(host))
      const answers = await Promise.all(open.map((host) => hasStarted(host, signal)))
      const done = open.filter((_, i) => answers[i])
      for (const host of done) started.add(host)
      return done.length > 0
    },
  }
}

const judge = ({ status }: RawResponse): AnswerVerdict =>
  status === 429 ? { kind: 'retry', reason: 'rate limited', rateLimited: true } : { kind: 'answer' }

/** Only a node that answers the question says no; a gateway that does not allow it is no node that starts. */
function saysNo({ status, body }: RawResponse): boolean {
  if (status !== 200) return false
  try {
    const answer = JSON.parse(body.toString()) as { result?: { isBootstrapped?: unknown } } | null
    return answer?.result?.isBootstrapped === false
  } catch {
    return false
  }
}
