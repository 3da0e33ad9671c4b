import { expect, it } from 'vitest'
import { type Given, problemsOf } from './sources.ts'

const SECRET = 'correct-horse-battery-staple'
const NUMBER = 31_337_007

/** Each row: a secret where none belongs, and the one line that stops the start without it. */
const rows: [string, Given, string][] = [
  [
    'second token of a list behind a blank, where a comma belongs',
    { argv: ['--balance-app-check-mode=static', '--balance-app-check-tokens', 'one', SECRET, '--http-port=0'] },
    'argument 4, behind --balance-app-check-tokens: unexpected; settings are given as --flag value',
  ],
  [
    'flag with a single dash',
    { argv: [`-redis-url=redis://:${SECRET}@h`] },
    'argument 1: unexpected; settings are given as --flag value',
  ],
  [
    'URL with a query where a chain belongs: a blank behind a comma makes it one',
    { argv: ['--chains-catalogue=false'], env: { FIRN_CHAIN_UPSTREAMS: `https://b.example/${SECRET}?v=1` } },
    'FIRN_CHAIN_UPSTREAMS: no chain "https://b.example/***"; known: none',
  ],
  [
    'the same of a URL without a scheme',
    { argv: ['--chains-catalogue=false', '--chain-upstreams', `b.example/${SECRET}?v=1`] },
    'flag --chain-upstreams: no chain "***"; known: none',
  ],
  [
    'URL of a node in place of its host',
    { argv: [`--node-identity=https://node.example/${SECRET}`, '--avalanche-mainnet-node=http://n:9650'] },
    'node.identity: given "https://node.example/***"; allowed: one of n:9650',
  ],
  [
    'header that is a number',
    { file: { chains: { evm: { '1': { upstreams: [{ url: 'https://a', headers: { 'x-api-key': NUMBER } }] } } } } },
    'chains.evm.1.upstreams.0.headers.x-api-key: given *** (firn.config.json); allowed: text',
  ],
  [
    'token that is a number',
    { argv: [`--balance-app-check-tokens=[${NUMBER}]`] },
    'balance.appCheck.tokens.0: given *** (flag --balance-app-check-tokens); allowed: text, not empty',
  ],
]

it.each(rows)('a mistake shows no secret: %s', (_, given, line) => {
  expect(problemsOf(given)).toEqual([line])
})
