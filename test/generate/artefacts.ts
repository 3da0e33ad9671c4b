import { openRpcDocument } from '../../src/api/node/openrpc/index.ts'
import { differencesPage } from '../api/node/differences-page.ts'
import { servedDocument } from './api-documents.ts'
import { configFileSchema } from './config-schema.ts'
import { configurationPage } from './configuration-page.ts'
import { envExample } from './env-example.ts'

/** A committed file that is made from the code; `content` may be slow or asynchronous. */
export interface Artefact {
  /** Relative to the repository's root. */
  path: string
  content(): string | Promise<string>
}

/** Every generated file. `npm run generate` writes them, a test compares them with what is committed. */
export const artefacts: readonly Artefact[] = [
  { path: '.env.example', content: envExample },
  { path: 'docs/configuration.md', content: configurationPage },
  { path: 'docs/node-differences.md', content: differencesPage },
  { path: 'openapi/firn.config.schema.json', content: configFileSchema },
  { path: 'openapi/node.openrpc.json', content: () => openRpcDocument() },
  { path: 'openapi/balance.json', content: () => servedDocument('/schema.json') },
  { path: 'openapi/data.json', content: () => servedDocument('/api-json') },
]
