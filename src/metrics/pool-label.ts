/** Most pools with labels of their own; all further chains share one, so that clients cannot create more. */
const MAX_POOLS = 500
const KNOWN = new Set(['', 'rpc', 'ws', 'avax', 'wallet', 'validators', 'proposervm'])

/**
 * Label of a pool. Most names come from the configuration. Names of the pools behind /ext (`node <chain>/<extension>`)
 * contain an extension that any client may invent, and such pools come and go.
 */
export function createPoolLabel(): (pool: string) => string {
  const labels = new Map<string, string>()
  const seen = new Set<string>()
  return (pool) => {
    const known = labels.get(pool)
    if (known !== undefined) return known
    const tame = withoutOwnExtension(pool)
    if (!seen.has(tame) && seen.size >= MAX_POOLS) return 'others'
    seen.add(tame)
    if (labels.size < MAX_POOLS * 4) labels.set(pool, tame)
    return tame
  }
}

/** `node 2q9e…/anything` → `node 2q9e…/:other`; a following ` at host` stays. */
function withoutOwnExtension(pool: string): string {
  const parts = /^(node [^/ ]+)\/(.*?)( at [^ ]+)?$/s.exec(pool)
  if (!parts) return pool
  const [, chain, extension = '', host = ''] = parts
  return `${chain}/${KNOWN.has(extension) ? extension : ':other'}${host}`
}
