import { expect, it } from 'vitest'
import { type Given, problemsOf } from './sources.ts'

it.each<[string, Given, string]>([
  [
    'a node that stands twice in the list, once with a slash',
    {
      file: {
        chains: {
          avalanche: { testnet: { upstreams: [{ url: 'http://n.lan:9650/' }, { url: 'http://n.lan:9650' }] } },
        },
      },
    },
    'chains.avalanche.testnet.upstreams.1.url: given that of chains.avalanche.testnet.upstreams.0; allowed: each server once',
  ],
  [
    'a server that stands twice in a flag',
    { argv: ['--chain-upstreams', 'eip155:1=https://A.example/k,https://b.example,https://a.example/k'] },
    'chains.evm.1.upstreams.2.url: given that of chains.evm.1.upstreams.0; allowed: each server once',
  ],
])('%s', (_, given, line) => {
  expect(problemsOf(given)).toEqual([line])
})

it('one server with the keys of two users is two', () => {
  const upstreams = ['a', 'b'].map((key) => ({ url: 'https://rpc.example', headers: { 'x-api-key': key } }))
  expect(problemsOf({ file: { chains: { evm: { 1: { upstreams } } } } })).toEqual([])
})
