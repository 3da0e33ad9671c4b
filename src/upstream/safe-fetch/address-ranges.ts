import { BlockList, isIP } from 'node:net'

/** IANA special-purpose registries: every address that is not a public unicast address. */
const DENIED_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Ranges inside 2000::/3, the only block with public unicast addresses: protocol assignments with Teredo and ORCHID,
 * 6to4, documentation, AS112. All others (loopback, mapped, compatible, NAT64, ULA, link- and site-local, multicast)
 * lie outside of it.
 */
const DENIED_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

const build = (): { denied: BlockList; unicast: BlockList } => {
  const denied = new BlockList()
  const unicast = new BlockList()
  for (const [net, prefix] of DENIED_IPV4) denied.addSubnet(net, prefix, 'ipv4')
  for (const [net, prefix] of DENIED_IPV6) denied.addSubnet(net, prefix, 'ipv6')
  unicast.addSubnet('2000::', 3, 'ipv6')
  return { denied, unicast }
}

const { denied, unicast } = build()

/** True for a public unicast IP address in canonical text form; false for everything else, including names. */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !denied.check(address, 'ipv4')
    case 6:
      // A zone id (fe80::1%eth0) only occurs with local addresses.
      return !address.includes('%') && unicast.check(address, 'ipv6') && !denied.check(address, 'ipv6')
    default:
      return false
  }
}
