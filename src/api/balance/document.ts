import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { nameSchemas } from '../../lib/json/named-schemas.ts'
import { APP_CHECK_HEADER } from './app-check.ts'

/**
 * Head of the OpenAPI 3.1 document at `/schema.json`; the paths come from the routes themselves. Wallets generate
 * clients from it and use its names of operations and schemas in their code, so they are those of the hosted service.
 */
export const documentInfo: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Firn balances and stake rewards',
      version: '1.0.0',
      description:
        'Balances of EVM, Bitcoin, Solana and Avalanche X, P and C accounts as a server-sent event stream, and stake rewards.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    components: {
      securitySchemes: {
        appCheck: {
          type: 'apiKey',
          in: 'header',
          name: APP_CHECK_HEADER,
          description: 'Application-check token. Not needed if the check is switched off.',
        },
      },
    },
    security: [{ appCheck: [] }],
    tags: [
      { name: 'Balances', description: 'Native and fungible-token balances, priced.' },
      { name: 'Stake', description: 'Stake rewards.' },
    ],
  },
  transformObject: (document) =>
    nameSchemas('openapiObject' in document ? document.openapiObject : document.swaggerObject),
}
