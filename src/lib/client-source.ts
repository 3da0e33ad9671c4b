/** Some proxies tell the port, too, which is another one for each connection. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/
const MAPPED = /^::ffff:(?=\d+\.)/i

/**
 * Whom an address stands for when somebody is counted: the address, or its first 64 bits, since one household has a
 * whole /64 of IPv6 addresses. Empty for none.
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
