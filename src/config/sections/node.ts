import { Type } from '@sinclair/typebox'
import { choice, count, list, ms, secret, section, toggle, wait } from './field.ts'

/** Settings of the node APIs under /ext. The second flag names are a node's. */
export const NodeSection = section({
  network: Type.Optional(
    choice(['mainnet', 'testnet'], {
      description:
        'Network served under /ext. Left out = the one whose upstreams you name (mainnet if you name both or none), else the one that is configured.',
    }),
  ),
  publicDeployment: toggle(false, 'Serve the public: node-private and admin methods are switched off.', {
    flag: 'public',
  }),
  identity: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Host of the node that answers questions about a single node (info.getNodeID …), with the port if its URL has one, and `#2` after it for the second node at one host.',
    }),
  ),
  writePolicy: choice(['one', 'all'], {
    default: 'one',
    description: 'Transactions are sent to one node, or to all; the first success is the answer.',
  }),
  requestsPerSecond: Type.Number({
    exclusiveMinimum: 0,
    default: 10_000,
    description: 'Requests forwarded per second to a node without a limit of its own.',
  }),
  maxConcurrent: count(1_024, 'Forwarded requests in flight at a node without a limit of its own.'),
  attemptMs: wait(20_000, 'Time for one node to answer a forwarded request before another is asked.', { minimum: 100 }),
  bodyLimitBytes: count(26_214_400, 'Largest request body under /ext, bytes; EVM endpoints have a limit of 5 MiB.'),
  cacheBytes: count(
    67_108_864,
    'Memory for answers that do not change (accepted blocks, transactions), bytes; 0 = off.',
    0,
  ),
  tipCacheMs: ms(0, 'Answers about the tip are reused for this long while the tip does not change; 0 = never.'),
  allowedHosts: list(
    // A URL, a port or a pattern would match no Host header, and all of /ext would be refused.
    Type.String({
      pattern: '^(\\*|[A-Za-z0-9._-]+|\\[?[0-9A-Fa-f:.]+\\]?)$',
      allowed: 'a host name without scheme and port such as firn.example.org, or *',
    }),
    'Host header names accepted under /ext besides IP addresses; * = all.',
    ['localhost'],
    { flag: 'http-allowed-hosts' },
  ),
  healthCheckFrequencyMs: wait(30_000, 'Time between runs of the health checks.', {
    minimum: 100,
    flag: 'health-check-frequency',
  }),
  profileDir: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Folder of cpu.profile, mem.profile, lock.profile; left out = profiles in dataDir.',
      flag: 'profile-dir',
    }),
  ),
  api: section({
    auth: section({
      required: toggle(false, 'Every path but /ext/auth needs an access token.', { flag: 'api-auth-required' }),
      // The access tokens refuse empty texts, with a node's message.
      password: Type.Optional(
        secret('Password that creates access tokens.', { flag: 'api-auth-password', minLength: 0 }),
      ),
      passwordFile: Type.Optional(
        Type.String({
          description: 'File with that password; the literal password wins when both are given.',
          flag: 'api-auth-password-file',
        }),
      ),
    }),
    admin: section({
      enabled: toggle(false, 'Serve /ext/admin.', { flag: 'api-admin-enabled' }),
      remote: toggle(false, 'Serve /ext/admin to other machines even when no access token is required.'),
    }),
    keystore: section({
      enabled: toggle(false, 'Serve /ext/keystore.', { flag: 'api-keystore-enabled' }),
      platformImport: toggle(true, 'Also platform.createAddress and platform.importKey, which nodes dropped in 1.11.'),
    }),
  }),
})
