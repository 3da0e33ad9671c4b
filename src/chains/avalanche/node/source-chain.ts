import { ChainNotRunError, JsonRpcError } from '../../../errors.ts'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import { isRecord } from '../../../lib/json/json-record.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { ask } from './ask.ts'
import { withLateDeadline } from './late-deadline.ts'

const PATH = '/ext/info'
const METHOD = 'info.isBootstrapped'
/** A node that runs a chain runs it until a restart; a node that does not may start to at any time. Milliseconds. */
const LONG_MS = 600_000
const SHORT_MS = 5_000

interface Known {
  runs: boolean
  until: number
}

/** By upstream, then by chain. */
const known = new WeakMap<object, Map<ChainLetter, Known>>()

const saysNo = (said: unknown): boolean => isRecord(said) && said['isBootstrapped'] === false

/**
 * Reads what a chain exported from a node that runs that chain. Nodes with `partial-sync-primary-network` run P alone,
 * and report the shared memory as empty, without any error.
 * @throws ChainNotRunError when no node runs the chain
 */
export async function fromOneThatRuns<T>(
  pool: UpstreamPool,
  source: ChainLetter,
  call: CallOptions,
  read: (call: CallOptions) => Promise<T>,
): Promise<T> {
  const responders: Parameters<NonNullable<CallOptions['answeredBy']>>[0][] = []
  const value = await read(withLateDeadline(call, { answeredBy: (responder) => void responders.push(responder) }))
  const runs = await Promise.all(responders.map(({ server }) => runsChain(pool, server, source, call)))
  if (runs.every(Boolean)) {
    for (const responder of responders) call.answeredBy?.(responder)
    return value
  }
  const sameServer = call.sameServer === undefined ? await serverThatRuns(pool, source, call) : undefined
  if (!sameServer) throw new ChainNotRunError(`${pool.name}: no node runs ${source}, so its exports are unknown`)
  return read(
    withLateDeadline(call, {
      sameServer,
      answeredBy: (responder) => call.answeredBy?.({ ...responder, stoodIn: true }),
    }),
  )
}

/** A node that cannot tell, or does not allow the question, is believed. */
async function runsChain(pool: UpstreamPool, server: object, chain: ChainLetter, call: CallOptions): Promise<boolean> {
  const chains = known.get(server) ?? new Map<ChainLetter, Known>()
  known.set(server, chains)
  const kept = chains.get(chain)
  if (kept && steadyNow() < kept.until) return kept.runs
  const asked = ask(pool, PATH, METHOD, { chain }, { ...timesOf(call), sameServer: server })
  const said = await asked.catch((error: unknown) => error)
  const runs = !saysNo(said)
  const isTold = runs && (said instanceof JsonRpcError || !(said instanceof Error))
  chains.set(chain, { runs, until: steadyNow() + (isTold ? LONG_MS : SHORT_MS) })
  return runs
}

/** The `sameServer` object of calls to one node that runs the chain; undefined when none does. */
async function serverThatRuns(pool: UpstreamPool, chain: ChainLetter, call: CallOptions): Promise<object | undefined> {
  const sameServer = {}
  try {
    const said = await ask(pool, PATH, METHOD, { chain }, { ...timesOf(call), sameServer, doubts: saysNo })
    return saysNo(said) ? undefined : sameServer
  } catch (error) {
    if (error instanceof JsonRpcError) return sameServer
    throw error
  }
}

const timesOf = ({ signal, deadline }: CallOptions): CallOptions => ({
  ...(signal && { signal }),
  ...(deadline !== undefined && { deadline }),
})
