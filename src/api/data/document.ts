import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { nameSchemas } from '../../lib/json/named-schemas.ts'

/**
 * Head of the OpenAPI 3.1 document at `/api-json`; the paths come from the routes themselves. Operations and schemas
 * have the names of the hosted service: clients are generated from them, and their users write these names.
 */
export const documentInfo = (pathPrefix: string): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Firn indexed chain data',
      version: '1.0.0',
      description: "P-, X- and C-chain and EVM data from the server's own index. Every answer says how old it is.",
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: pathPrefix === '' ? '/' : pathPrefix, description: 'This server' }],
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-glacier-api-key',
          description: 'Optional, unless the server requires it; each key has its own budget.',
        },
      },
    },
    security: [{ apiKey: [] }, {}],
    tags: [
      { name: 'Health Check', description: 'Whether this server can answer.' },
      { name: 'EVM Chains', description: 'Chains an address was active on.' },
      { name: 'EVM Blocks', description: 'Latest blocks over all EVM chains.' },
      { name: 'EVM Transactions', description: 'Latest transactions over all EVM chains.' },
      { name: 'NFTs', description: 'Tokens of a collection and their metadata.' },
      { name: 'Primary Network UTXOs', description: 'UTXOs of P, X and C.' },
      { name: 'Primary Network Balances', description: 'Balances now and at any past time.' },
      { name: 'Primary Network Blocks', description: 'Blocks and who proposed them.' },
    ],
  },
  transformObject: (document) =>
    nameSchemas(optionalDefaults('openapiObject' in document ? document.openapiObject : document.swaggerObject)),
})

/**
 * A parameter with a default need not be sent. The routes' schemas mark it as required, because it is present once the
 * default is filled in, and the document would do the same.
 */
function optionalDefaults<T extends { paths?: object }>(document: T): T {
  for (const operations of Object.values(document.paths ?? {})) {
    for (const { parameters = [] } of Object.values(operations as Record<string, { parameters?: Parameter[] }>)) {
      for (const parameter of parameters) if (parameter.schema?.default !== undefined) parameter.required = false
    }
  }
  return document
}

interface Parameter {
  required?: boolean
  schema?: { default?: unknown }
}
