/**
 * Whom an address stands for when somebody is counted: the address, or its first 64 bits, since one household has a
 * whole /64 of IPv6 addresses. Empty for none.
 */
export function clientSource(address: string | undefined): string {
  if (address === undefined || !address.includes(':')) return address ?? ''
  if (address.startsWith('::ffff:')) return address.slice('::ffff:'.length)
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const known = tail === undefined ? groups : [...groups, ...Array<string>(8).fill('0')]
  return known.slice(0, 4).join(':')
}
