import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Weight } from './compute-units.ts'

/** One operation of the indexed API. A new one is one of these in a file of `src/api/data`, and one line in index.ts. */
export interface DataRoute {
  method: 'GET' | 'POST'
  /** Fastify path below the prefix, from `/v1` on; a literal colon is written `::`. */
  url: string
  /** Further paths that mean the same: old names still called by SDKs. Not in the document. */
  aliases?: readonly string[]
  operationId: string
  tag: string
  summary: string
  description?: string
  weight: Weight
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** By status; errors are added by `answers`. */
  response: Record<string, unknown>
  /** Answers the body as an object (sent as JSON), or sends by itself. May throw FirnError. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}
