import type { FastifySchema } from 'fastify'
import { BALANCES_EXAMPLE } from './examples.ts'
import type { RequestSchemas } from './request-schema.ts'
import {
  InvalidPayloadSchema,
  messageSchema,
  reasonSchema,
  StreamItemSchema,
  SupportedChainsSchema,
} from './response-schema.ts'

export const jsonBody = (description: string, schema: unknown) => ({
  description,
  content: { 'application/json': { schema } },
})

/** Statuses that every operation of this API can answer with. */
export const commonResponses = {
  401: jsonBody('Credential missing or invalid.', messageSchema('UNAUTHORIZED')),
  405: jsonBody('Wrong method; `allow` lists the right ones.', messageSchema('METHOD_NOT_ALLOWED')),
  500: jsonBody('Unexpected server failure.', messageSchema('INTERNAL_ERROR')),
  503: jsonBody(
    'Shutting down or over capacity; `retry-after` says when to retry.',
    messageSchema('SERVICE_UNAVAILABLE'),
  ),
}

/** Statuses of operations that take a body. */
export const bodyResponses = {
  400: jsonBody('Invalid body.', InvalidPayloadSchema),
  413: jsonBody('Body larger than the limit.', messageSchema('PAYLOAD_TOO_LARGE')),
  415: jsonBody('Body is compressed, or not application/json.', messageSchema('UNSUPPORTED_MEDIA_TYPE')),
}

export const balancesRouteSchema = (schemas: RequestSchemas): FastifySchema => ({
  operationId: 'postV1BalanceGetBalances',
  tags: ['Balances'],
  summary: 'Stream balances',
  description:
    'Answers every (reference, id) pair of the body exactly once, as soon as its chain has answered. The stream ends by closing.',
  body: { ...schemas.BodySchema, examples: [BALANCES_EXAMPLE] },
  response: {
    200: {
      description: 'One JSON item per event.',
      content: { 'text/event-stream': { schema: StreamItemSchema } },
    },
    ...bodyResponses,
    ...commonResponses,
    503: jsonBody(
      'Shutting down, over capacity, or the address prefix of a network is not known yet; `retry-after` says when to retry.',
      reasonSchema('SERVICE_UNAVAILABLE'),
    ),
  },
})

export const supportedChainsRouteSchema: FastifySchema = {
  operationId: 'getV1BalanceGetSupportedChains',
  tags: ['Balances'],
  summary: 'List served chains',
  description: 'CAIP-2 identifiers that get-balances serves.',
  response: { 200: jsonBody('Served chains.', SupportedChainsSchema), ...commonResponses },
}
