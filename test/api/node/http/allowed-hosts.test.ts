import { describe, expect, it } from 'vitest'
import { createHostCheck } from '../../../../src/api/node/http/allowed-hosts.ts'

describe('hosts that may be asked for', () => {
  const allowed = createHostCheck(['localhost', 'Firn.example'])

  it.each([
    undefined,
    '',
    'localhost',
    'LOCALHOST:9650',
    'localhost:',
    'localhost:x',
    'firn.example',
    '10.1.2.3',
    '10.1.2.3:80',
    '[::1]:80',
    '::1',
    '::ffff:1.2.3.4',
    '[fe80::1]:1',
  ])('%s is welcome', (host) => {
    expect(allowed(host)).toBe(true)
  })

  // As a node: without a port the brackets are part of the name, and addresses have no zones.
  it.each([
    'localhost.',
    'evil.example',
    '[::1]',
    '[fe80::1%25lo]:80',
    '127.1',
    '10.1.2.3.4',
    'a:b:c',
    '[localhost',
    ':80',
  ])('%s is not', (host) => {
    expect(allowed(host)).toBe(false)
  })

  it('are all when the star stands for them', () => {
    expect(createHostCheck(['*'])('evil.example')).toBe(true)
  })
})
