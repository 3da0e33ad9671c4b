/**
 * What servers are called, in the order of their URLs: by host, with the port if the URL has one, as paths and queries
 * may be keys. Several at one host (behind a gateway, by path) are different servers: `host`, `host#2`, `host#3`.
 */
export function hostNames(urls: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return urls.map((url) => {
    const host = URL.canParse(url) ? new URL(url).host : 'no URL'
    const count = (counts.get(host) ?? 0) + 1
    counts.set(host, count)
    return count === 1 ? host : `${host}#${count}`
  })
}

/**
 * What endpoints of a chain are called that stand beside nodes: as the node whose endpoint of the chain they are
 * (`…/ext/bc/…`), else as `hostNames` behind all nodes, as another server at a node's host is not that node.
 */
export function namesBeside(nodes: readonly { url: string; name: string }[], urls: readonly string[]): string[] {
  const nodeAt = (url: string): string | undefined => {
    const base = withoutSlash(url.replace(/\/ext\/bc\/[^?#]*/, ''))
    return nodes.find((node) => withoutSlash(node.url) === base)?.name
  }
  const others = urls.filter((url) => nodeAt(url) === undefined)
  const names = hostNames([...nodes.map(({ url }) => url), ...others]).slice(nodes.length)
  return urls.map((url) => nodeAt(url) ?? (names.shift() as string))
}

const withoutSlash = (url: string): string => url.replace(/\/(?=$|[?#])/, '')
