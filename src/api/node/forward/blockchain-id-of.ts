import { BadAnswerError } from '../../../errors.ts'
import { isRecord } from '../../../lib/json/json-record.ts'
import { JSON_HEADERS } from './call.ts'
import { errorOf, judgeRpc } from './judge.ts'
import type { NodePools } from './nodes/node-pools.ts'

/** Longest lookup of a name in a path, milliseconds. */
const ALIAS_MS = 5_000

/**
 * The blockchain id of an alias, as one node says: aliases are local to a node, but an operator gives all nodes the
 * same. Callers choose the names and nodes repeat them, so those words are not treated as the node's own.
 * @returns undefined when the node says that there is none
 * @throws FirnError when no node could be asked; BadAnswerError
 */
export async function blockchainIdOf(pools: Pick<NodePools, 'group'>, alias: string): Promise<string | undefined> {
  const call = { jsonrpc: '2.0', id: 1, method: 'info.getBlockchainID', params: { alias } }
  const asked = Buffer.from(JSON.stringify(call))
  const { body } = await pools
    .group('P')
    .pool.exchange(
      { method: 'POST', path: '/ext/info', headers: JSON_HEADERS, body: asked },
      { deadline: Date.now() + ALIAS_MS, judge: judgeRpc(asked) },
    )
  if (errorOf(body) !== undefined) return undefined
  const answer: unknown = JSON.parse(body.toString())
  const result = isRecord(answer) && isRecord(answer['result']) ? answer['result'] : {}
  if (typeof result['blockchainID'] === 'string') return result['blockchainID']
  throw new BadAnswerError('info.getBlockchainID: neither an id nor an error')
}
