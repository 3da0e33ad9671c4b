import { AUTH, KEYSTORE } from './access-methods.ts'
import { INFO } from './info-methods.ts'
import { L1_EVM, L1_VALIDATORS } from './l1-methods.ts'
import type { Method, Schema } from './parts.ts'
import { PLATFORM } from './platform-methods.ts'
import { SCHEMAS } from './schemas.ts'
import { ADMIN, HEALTH, INDEX } from './server-methods.ts'

/** APIs that a deployment may disable have the name of their endpoint. */
export type ApiName = 'auth' | 'admin' | 'info' | 'P' | 'health' | 'keystore' | 'index' | 'L1/rpc' | 'L1/validators'

interface Api {
  name: ApiName
  title: string
  path: string
  methods: readonly Method[]
  /** Arguments in an array, as Ethereum's methods take them; otherwise in an object. */
  byPosition?: boolean
}

const APIS: readonly Api[] = [
  { name: 'auth', title: 'Auth', path: '/ext/auth', methods: AUTH },
  { name: 'admin', title: 'Admin', path: '/ext/admin', methods: ADMIN },
  { name: 'info', title: 'Info', path: '/ext/info', methods: INFO },
  { name: 'P', title: 'P-chain', path: '/ext/bc/P', methods: PLATFORM },
  { name: 'health', title: 'Health', path: '/ext/health', methods: HEALTH },
  { name: 'keystore', title: 'Keystore', path: '/ext/keystore', methods: KEYSTORE },
  { name: 'index', title: 'Index', path: '/ext/index/P/block', methods: INDEX },
  { name: 'L1/rpc', title: 'L1 EVM', path: '/ext/bc/{blockchainID}/rpc', methods: L1_EVM, byPosition: true },
  { name: 'L1/validators', title: 'L1 EVM', path: '/ext/bc/{blockchainID}/validators', methods: L1_VALIDATORS },
]

const server = (path: string): Schema => ({
  name: path,
  url: path,
  ...(path.includes('{blockchainID}')
    ? { variables: { blockchainID: { default: 'C', description: 'ID or alias of a chain.' } } }
    : {}),
})

const SERVER_ERROR = -32_000

function describe({ title, path, byPosition = false }: Api, method: Method): Schema {
  const { name, summary, params, result, errors = [], deprecated, paths = [] } = method
  return {
    name,
    summary,
    ...(deprecated ? { deprecated } : {}),
    tags: [{ name: title }],
    paramStructure: byPosition ? 'by-position' : 'by-name',
    params,
    result: { name: 'result', schema: result },
    ...(errors.length === 0
      ? {}
      : {
          errors: errors.map((error) => (typeof error === 'string' ? { code: SERVER_ERROR, message: error } : error)),
        }),
    servers: [path, ...paths].map(server),
  }
}

/**
 * The OpenRPC 1.3 document, as JSON text with a trailing newline.
 * @param isServed whether an API is served here; left out: all of them
 */
export function openRpcDocument(isServed: (api: ApiName) => boolean = () => true): string {
  const isThere = ({ needsKeystore = false }: Method): boolean => !needsKeystore || isServed('keystore')
  const methods = APIS.filter(({ name }) => isServed(name)).flatMap((api) =>
    api.methods.filter(isThere).map((method) => describe(api, method)),
  )
  const document = {
    openrpc: '1.3.2',
    info: {
      title: 'Node APIs of Firn',
      version: '1',
      description:
        'The APIs of an Avalanche node that this server answers or forwards under /ext. Methods of P, X, C and of EVM chains that are not listed are forwarded to nodes.',
    },
    methods,
    components: { schemas: SCHEMAS },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
