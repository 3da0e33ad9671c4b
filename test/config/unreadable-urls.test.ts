import { expect, it } from 'vitest'
import { type Given, problemsOf } from './sources.ts'

const SECRET = 'correct-horse-battery-staple'
const UNREADABLE =
  ', of which host and port, or user and password, cannot be read (in a password / ? # @ % are %2F %3F %23 %40 %25)'

it.each<[string, Given, string]>([
  ...(['redis', 'rediss'] as const).map((scheme): [string, Given, string] => [
    `password with a sign that begins no escape, ${scheme}`,
    { env: { FIRN_REDIS_URL: `${scheme}://:50%${SECRET}@cache` } },
    `redis.url: given "${scheme}://cache" (FIRN_REDIS_URL)${UNREADABLE}; allowed: a URL beginning with redis://, rediss://`,
  ]),
  [
    'such a password of a node',
    { argv: [`--chain-upstreams=eip155:1=https://u:50%${SECRET}@rpc.example`] },
    `chains.evm.1.upstreams.0.url: given "https://rpc.example" (flag --chain-upstreams)${UNREADABLE}; allowed: a URL beginning with https://, http://`,
  ],
  // Here the URL can be read, but its host is a part of the password, which the log would show.
  ...['p@SECRET/w@db.example/firn', 'p@SECRET#w@db.example/firn', '12/SECRET@db.example/firn'].flatMap(
    (rest): [string, Given, string][] => [
      [
        `database password with signs that end it, ${rest}`,
        { env: { DATABASE_URL: `postgres://firn:${rest.replace('SECRET', SECRET)}` } },
        `store.databaseUrl: given "***" (DATABASE_URL)${UNREADABLE}; allowed: a URL beginning with postgres://, postgresql://`,
      ],
      [
        `password of Redis with signs that end it, ${rest}`,
        { env: { FIRN_REDIS_URL: `redis://:${rest.replace('SECRET', SECRET)}` } },
        `redis.url: given "***" (FIRN_REDIS_URL)${UNREADABLE}; allowed: a URL beginning with redis://, rediss://`,
      ],
    ],
  ),
  [
    'database without a place',
    { env: { DATABASE_URL: 'postgres:///firn?application_name=x' } },
    'store.databaseUrl: given "***" (DATABASE_URL); allowed: a URL beginning with postgres://, postgresql://',
  ],
])('%s stops the start', (_, given, line) => {
  expect(problemsOf(given)).toEqual([line])
  expect(line).not.toContain(SECRET)
})
