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
  ...['https://firn.example.org', 'firn.example.org:8443', '*.example.org', 'firn.example.org/'].map(
    (given): [string, Given, string] => [
      `a name in ${given} that no Host header has`,
      { argv: ['--node-allowed-hosts', `localhost,${given}`] },
      `node.allowedHosts.1: given ${JSON.stringify(given)} (flag --node-allowed-hosts); allowed: a host name without scheme and port such as firn.example.org, or *`,
    ],
  ),
])('%s stops the start', (_, given, line) => {
  expect(problemsOf(given)).toEqual([line])
})

it.each<[string, Given]>([
  ['names and addresses without a port', { argv: ['--node-allowed-hosts=firn.lan,my_host,10.0.0.1,::1,[::1],*'] }],
  [
    'one server with the keys of two users',
    {
      file: {
        chains: {
          evm: {
            1: {
              upstreams: ['a', 'b'].map((key) => ({ url: 'https://rpc.example', headers: { 'x-api-key': key } })),
            },
          },
        },
      },
    },
  ],
])('%s: nothing is wrong with that', (_, given) => {
  expect(problemsOf(given)).toEqual([])
})
