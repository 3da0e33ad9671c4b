import { CHAIN_LETTERS, type ChainLetter } from '../../../../facts/primary-network.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import type { ForwardCall } from '../call.ts'
import { memberAt } from '../nodes/group-members.ts'
import type { NodeGroup } from '../nodes/node-pools.ts'
import { sourceOf } from '../nodes/source-chains.ts'
import { resultIn } from '../result-in.ts'
import { heightCallOf, type ShownBlock } from './shown-block.ts'

/** How long a client waits for its outputs while their node is asked for its height, milliseconds. */
const WAIT_MS = 1_000

/** Chains whose exports an answer shows, which the client goes on to import; none without any output. */
export function shownExports(
  call: ForwardCall,
  { hosts }: Pick<NodeGroup, 'hosts'>,
  { status, body }: Pick<RawResponse, 'status' | 'body'>,
): ChainLetter[] {
  const [source, to] = [sourceOf(call), call.endpoint.source]
  // Nobody else can be older.
  if (source === undefined || hosts.length < 2 || status !== 200) return []
  if (!/"numFetched":"[1-9]/.test(resultIn(body).toString('latin1', 0, 64))) return []
  const others = CHAIN_LETTERS.filter((chain) => chain !== to)
  // Chains of other subnets are served elsewhere.
  if (others.length === CHAIN_LETTERS.length) return []
  const named = others.filter((chain) => chain === source)
  // Callers may name it by its blockchain ID.
  return named.length > 0 ? named : others
}

/**
 * The block of P or X by which a node had what it answered. Nodes do not say so: it is asked for its height now, not
 * at an earlier moment, as a look at it that is under way. Undefined when it does not answer. Never rejects.
 */
export async function blockBehind(
  chain: 'P' | 'X',
  host: string,
  { group, signal }: { group: NodeGroup; signal: AbortSignal },
): Promise<ShownBlock | undefined> {
  const member = memberAt(group, host)
  const asked = heightCallOf(chain)
  const options = { batch: false, fresh: true, signal, deadline: Date.now() + WAIT_MS }
  try {
    const said = await member?.pool.rpc<{ height?: unknown }>(member.path(asked.endpoint), asked.method, {}, options)
    return said && { height: BigInt(String(said.height)), asked }
  } catch {
    return undefined
  }
}
