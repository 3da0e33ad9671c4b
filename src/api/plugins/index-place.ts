import type { FastifyReply } from 'fastify'
import type { IndexAge } from '../../store/index.ts'

/**
 * Puts on an answer how far the index is that it comes from.
 * @param heights that of the chain; of several chains `<chain id>=<height>` each
 * @param age of the oldest of them, told in whole seconds; data of another chain than that of the nodes has none
 */
export function tellIndexPlace(
  reply: FastifyReply,
  heights: string,
  { ageMs, disowned }: Pick<IndexAge, 'ageMs' | 'disowned'>,
): FastifyReply {
  reply.header('x-indexed-height', heights)
  return disowned ? reply : reply.header('x-index-age', String(Math.ceil(ageMs / 1000)))
}
