/** First path segments under /ext that Firn or a node answers. */
const ENDPOINTS = new Set([
  'info',
  'health',
  'metrics',
  'admin',
  'auth',
  'keystore',
  'index',
  'ipcs',
  'vm',
  'openrpc.json',
])
const PRIMARY: Readonly<Record<string, string>> = {
  P: 'P',
  platform: 'P',
  X: 'X',
  avm: 'X',
  C: 'C',
  evm: 'C',
}
const EXTENSIONS = new Set(['rpc', 'ws', 'avax', 'wallet', 'proposervm', 'validators'])

/** Path of a target without its query; a target may also be a whole URL. */
export const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/]*/i, '').split('?', 1)[0] ?? ''

/**
 * Label of any path under /ext: one of a few dozen, whatever clients send. Undefined = not under /ext. Chains other
 * than P, X and C are one label; the upstream metrics distinguish them.
 */
export function nodeRoute(path: string): string | undefined {
  if (path !== '/ext' && !path.startsWith('/ext/')) return undefined
  const [first = '', second, third] = path.slice('/ext/'.length).split('/', 4)
  if (first === 'bc') return chainRoute(second ?? '', third)
  if (Object.hasOwn(PRIMARY, first)) return chainRoute(first, second)
  return ENDPOINTS.has(first) ? `/ext/${first}` : '/ext/:other'
}

function chainRoute(chain: string, extension: string | undefined): string {
  const name = Object.hasOwn(PRIMARY, chain) ? PRIMARY[chain] : ':chain'
  if (extension === undefined || extension === '') return `/ext/bc/${name}`
  return `/ext/bc/${name}/${EXTENSIONS.has(extension) ? extension : ':other'}`
}
