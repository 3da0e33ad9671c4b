import { listOf, textOf } from '../../chains/avalanche/node/answers.ts'
import { ask } from '../../chains/avalanche/node/ask.ts'
import { idFromCb58 } from '../../lib/bytes/ids.ts'
import { recordOf } from '../../lib/json/json-record.ts'
import type { IndexReader } from '../../store/index.ts'
import type { ChainLetter } from '../../store/rows/index.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import { pFormat, xFormat } from '../primary/sources/formats.ts'
import { createCHeightApi, createHeightApi } from '../primary/sources/height-api.ts'

/** Compares a block of P, X or C in the index and at the node. @returns the differences, as text */
export async function compareBlock(
  { reader, pool, network }: { reader: IndexReader; pool: UpstreamPool; network: string },
  letter: ChainLetter,
  height: bigint,
  signal: AbortSignal,
): Promise<string[]> {
  const name = `${network}:${letter} block ${height}`
  const stored = await reader.blocks.atHeight({ network, letter }, height)
  if (!stored) return [`${name}: not in the index`]
  const source = {
    P: () => createHeightApi(pool, pFormat),
    X: () => createHeightApi(pool, xFormat),
    C: () => createCHeightApi(pool),
  }[letter]()
  const theirs = await source.block(height, signal)
  const differences: string[] = []
  if (theirs.id !== stored.id) differences.push(`${name}: id ${stored.id}, the node has ${theirs.id}`)
  if (theirs.parentId !== stored.parentId)
    differences.push(`${name}: parent ${stored.parentId}, the node has ${theirs.parentId}`)
  const outer = stored.outerId === undefined ? undefined : await outerId(pool, letter, height, signal)
  if (outer !== undefined && outer !== stored.outerId)
    differences.push(`${name}: container ${stored.outerId}, the node has ${outer}`)
  return differences
}

/** Container indexes count from the block of height 1. Undefined if the node keeps none. */
async function outerId(
  pool: UpstreamPool,
  letter: ChainLetter,
  height: bigint,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (height === 0n) return undefined
  const method = 'index.getContainerRange'
  const params = { startIndex: String(height - 1n), numToFetch: '1', encoding: 'hex' }
  try {
    const answer = recordOf(await ask(pool, `/ext/index/${letter}/block`, method, params, { signal }), method)
    const [container] = listOf(answer['containers'] ?? null, method)
    return container === undefined ? undefined : idFromCb58(textOf(recordOf(container, method)['id'], method))
  } catch (error) {
    // A node without an index answers 404 or an error of its own.
    if (signal.aborted) throw error
    return undefined
  }
}
