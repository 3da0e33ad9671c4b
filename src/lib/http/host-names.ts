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
