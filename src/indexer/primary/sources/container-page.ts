import { CodecError, type OpenContainer, openContainer } from '../../../chains/avalanche/codec/index.ts'
import { BadAnswerError } from '../../../errors.ts'
import { idFromCb58 } from '../../../lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../lib/bytes/node-hex.ts'
import { StreamBlockedError } from '../../runner/stream-errors.ts'
import type { ChainFormat } from './formats.ts'
import type { OuterBlock, SourceBlock } from './source-block.ts'

/** A container in the format of the index API. */
export interface ContainerText {
  id: string
  bytes: string
  timestamp: string
  index: string
}

/**
 * Reads the containers of one answer: each id must be the hash of its bytes, each block the child of the previous one.
 * Stops at a gap: a node whose index was off for a while continues counting where it stopped.
 * @throws BadAnswerError when that is not so
 * @throws StreamBlockedError when a genuine block cannot be read
 */
export function readContainers<T>(
  format: ChainFormat<T>,
  texts: readonly unknown[],
  firstIndex: bigint,
): SourceBlock<T>[] {
  const blocks: SourceBlock<T>[] = []
  let before: SourceBlock<T> | undefined
  let gap = false
  for (const [i, text] of texts.entries()) {
    const block = readContainer(format, textOf(text), firstIndex + BigInt(i))
    // Blocks after a gap have to be in order, too: swapped containers are a bad answer, not a gap.
    if (before && block.height > before.height + 1n) {
      // Otherwise the reading would end here: with a block that nothing can be made of, at every attempt.
      if (!gap && format.needsNext?.(before.block)) blocks.pop()
      gap = true
    } else if (before) expectChild(format.letter, before, block)
    if (!gap) blocks.push(block)
    before = block
  }
  return blocks
}

function readContainer<T>(format: ChainFormat<T>, text: ContainerText, index: bigint): SourceBlock<T> {
  if (text.index !== String(index)) throw new BadAnswerError(`container ${text.index} where ${index} belongs`)
  const bytes = decodeNodeHex(text.bytes)
  const opened = openContainer(bytes)
  const id = idFromCb58(text.id)
  // The envelope's hash is checked before the inner block is decoded.
  if (opened.outerId !== undefined && opened.outerId !== id) throw notItsHash(format, index)
  const inner = decodeInner(format, opened.innerBlock, index)
  if (opened.outerId === undefined && inner.id !== id) throw notItsHash(format, index)
  const outer = outerOf(opened)
  const container = { index, id, height: inner.height, bytes, acceptedAt: text.timestamp }
  const { block, id: innerId, parentId, height, time, size } = inner
  return { block, id: innerId, parentId, height, time, size, outer, container }
}

const notItsHash = (format: ChainFormat<unknown>, index: bigint): BadAnswerError =>
  new BadAnswerError(`container ${index} of ${format.letter} is not what its id says`)

export function decodeInner<T>(
  format: ChainFormat<T>,
  bytes: Uint8Array,
  place: bigint,
): ReturnType<ChainFormat<T>['decode']> {
  try {
    return format.decode(bytes)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    throw new StreamBlockedError(`${format.letter} block after ${place} cannot be read: ${error.message}`, error)
  }
}

function outerOf({ envelope, outerId, proposer }: OpenContainer): OuterBlock | undefined {
  if (!envelope || outerId === undefined) return undefined
  const { parentId } = envelope
  if (envelope.type === 'option') return { id: outerId, parentId, proposer: undefined }
  const { pChainHeight, timestamp: time } = envelope
  return { id: outerId, parentId, proposer: { nodeId: proposer, pChainHeight, time } }
}

/** @throws BadAnswerError unless `block` is the child of `before`, both envelope and inner block */
export function expectChild(
  letter: string,
  before: Pick<SourceBlock<unknown>, 'id' | 'height' | 'outer'>,
  block: SourceBlock<unknown>,
): void {
  const inside = block.parentId === before.id && block.height === before.height + 1n
  // The first wrapped block refers to the raw block before it.
  const outside = block.outer === undefined || block.outer.parentId === (before.outer?.id ?? before.id)
  if (!inside || !outside)
    throw new BadAnswerError(`${letter} block ${block.height} does not continue ${before.height}`)
}

function textOf(value: unknown): ContainerText {
  const { id, bytes, timestamp, index } = (value ?? {}) as Record<string, unknown>
  if (typeof id !== 'string' || typeof bytes !== 'string' || typeof timestamp !== 'string') {
    throw new BadAnswerError('a container without id, bytes or timestamp')
  }
  return { id, bytes, timestamp, index: String(index) }
}
