import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Weight } from './compute-units.ts'

/** One operation of the indexed API. CONTRIBUTING.md shows how to add one. */
export interface DataRoute {
  method: 'GET' | 'POST'
  /** Fastify path below the prefix, starting with `/v1`; a literal colon is written `::`. */
  url: string
  /** Further paths with the same meaning: old names that SDKs still call. Not in the document. */
  aliases?: readonly string[]
  operationId: string
  tag: string
  summary: string
  description?: string
  weight: Weight
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** By status; `answers` adds the errors. */
  response: Record<string, unknown>
  /** Returns the body as an object (sent as JSON), or sends it itself. May throw FirnError. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}
