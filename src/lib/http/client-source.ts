/** Some proxies include the port, which differs for each connection. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/
const MAPPED = /^::ffff:(?=\d+\.)/i

/**
 * The source that an address counts for in limits: the address, or the first 64 bits of an IPv6 address, since one
 * household has a whole /64. Empty if there is none.
 */
export function clientSource(told: string | undefined): string {
  const [, inBrackets, beforePort] = WITH_PORT.exec(told ?? '') ?? []
  const address = (inBrackets ?? beforePort ?? told ?? '').replace(MAPPED, '').toLowerCase()
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const known = tail === undefined ? groups : [...groups, ...Array<string>(8).fill('0')]
  return known.slice(0, 4).join(':')
}
