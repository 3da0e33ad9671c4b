import { expect, it } from 'vitest'
import { hostNames } from '../../../src/lib/http/host-names.ts'

it('servers are called by their hosts, and told apart where several are at one', () => {
  const urls = [
    'https://gw.example/KEY1',
    'http://127.0.0.1:9650',
    'https://gw.example/KEY2',
    'https://gw.example/?k=3',
  ]
  expect(hostNames(urls)).toEqual(['gw.example', '127.0.0.1:9650', 'gw.example#2', 'gw.example#3'])
})
