import { listOf } from '../../chains/avalanche/node/answers.ts'
import { ask } from '../../chains/avalanche/node/ask.ts'
import { recordOf } from '../../lib/json/json-record.ts'
import type { IndexReader } from '../../store/index.ts'
import type { ChainLetter } from '../../store/rows/index.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import { readContainers } from '../primary/sources/container-page.ts'
import { cFormat, pFormat, xFormat } from '../primary/sources/formats.ts'
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

const FORMATS = { P: pFormat, X: xFormat, C: cFormat } as const

/**
 * Id of the container of a block. Indexes count from the block of height 1, but one that began later, or was off for a
 * while, has later blocks at the same places. Undefined if the node keeps none, or not this one.
 */
async function outerId(
  pool: UpstreamPool,
  letter: ChainLetter,
  height: bigint,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (height === 0n) return undefined
  const usual = height - 1n
  const there = await containerAt(pool, letter, usual, signal)
  if (there === undefined || there.height === height) return there?.id
  const counted = usual - (there.height - height)
  const found = counted < 0n ? undefined : await containerAt(pool, letter, counted, signal)
  return found?.height === height ? found.id : undefined
}

/** Undefined if the node has no index, or nothing at this place. */
async function containerAt(
  pool: UpstreamPool,
  letter: ChainLetter,
  startIndex: bigint,
  signal: AbortSignal,
): Promise<{ id: string; height: bigint } | undefined> {
  const method = 'index.getContainerRange'
  const params = { startIndex: String(startIndex), numToFetch: '1', encoding: 'hex' }
  try {
    const answer = recordOf(await ask(pool, `/ext/index/${letter}/block`, method, params, { signal }), method)
    return readContainers<unknown>(FORMATS[letter], listOf(answer['containers'] ?? null, method), startIndex)[0]
      ?.container
  } catch (error) {
    // A node without an index answers 404 or an error of its own.
    if (signal.aborted) throw error
    return undefined
  }
}
