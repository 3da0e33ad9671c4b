import { expect, it } from 'vitest'
import { clientSource } from '../../../src/lib/http/client-source.ts'

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', ':0:0:0'],
  // As Azure's gateways write them, and others that are told to keep ports.
  ['192.0.2.7:50123', '192.0.2.7'],
  ['[2001:db8:1:2::9]:50123', '2001:db8:1:2'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2'],
  ['[::ffff:192.0.2.7]:50123', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:DB8:1:2::9', '2001:db8:1:2'],
  [undefined, ''],
])('%s is counted as %s', (address, source) => {
  expect(clientSource(address)).toBe(source)
})
