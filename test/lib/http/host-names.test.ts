import { expect, it } from 'vitest'
import { hostNames, namesBeside } from '../../../src/lib/http/host-names.ts'

it('servers are called by their hosts, and told apart where several are at one', () => {
  const urls = [
    'https://gw.example/KEY1',
    'http://127.0.0.1:9650',
    'https://gw.example/KEY2',
    'https://gw.example/?k=3',
  ]
  expect(hostNames(urls)).toEqual(['gw.example', '127.0.0.1:9650', 'gw.example#2', 'gw.example#3'])
})

it('endpoints beside nodes are called as the node that they are of, else they count behind the nodes', () => {
  const nodes = [
    { url: 'https://gate/one/', name: 'gate' },
    { url: 'https://gate/two?key=2', name: 'gate#2' },
  ]
  const urls = [
    'https://gate/c',
    'https://gate/two/ext/bc/C/rpc?key=2',
    'https://gate/two/ext/bc/C/rpc?key=3',
    'https://gate/one/ext/bc/C/rpc',
    'https://other/c',
  ]
  expect(namesBeside(nodes, urls)).toEqual(['gate#3', 'gate#2', 'gate#4', 'gate', 'other'])
})
