import { configTables, keyTables } from './config-tables.ts'

/** docs/configuration.md: how settings are named and found, and every one of them. */
export function configurationPage(): string {
  const { shortForms, builtIn, chain, upstream, plan, apiKey } = configTables
  return `# Configuration

For operators. Firn starts without any configuration. This page is generated (\`npm run generate\`); a test compares it with the code.

- [Where settings come from](#where-settings-come-from), [how they are written](#how-they-are-written)
- [Chains](#chains): nodes of your own, chains added and left out, Electrum, [what is built in](#built-in)
- [Plans and keys of the indexed API](#plans-and-keys-of-the-indexed-api)
- Every key: ${keyTables.map(([title]) => `[${title}](#${anchorOf(title)})`).join(', ')}

## Where settings come from

Later places win:

1. defaults and the built-in chains,
2. \`firn.config.json\` in the working directory, or the file of \`--config FILE\` / \`FIRN_CONFIG\`
   (\`"$schema": "./openapi/firn.config.schema.json"\` makes editors complete it),
3. \`.env\` in the working directory,
4. the environment,
5. flags.

\`--print-config\` prints the result, with secrets masked, and where each value came from. Its output is a configuration file, in which \`null\` stands for built-in
entries that were removed. If you use it as one, each mask left in it stops the start. User and password of a URL are dropped without a mask: check URLs yourself.

## How they are written

**One rule names everything.** A key's flag is its path with the words joined by dashes. Its variable is \`FIRN_\` and the same words in
capitals: \`balance.chainDeadlineMs\` is \`--balance-chain-deadline-ms\` and \`FIRN_BALANCE_CHAIN_DEADLINE_MS\`. If a node has its own
name for a flag, that name works, too.

| Value | Written |
| --- | --- |
| flag | \`--flag value\`, \`--flag=value\`, and \`--flag\` alone for switches |
| list | comma separated or JSON; its flag may be repeated |
| duration | milliseconds, or with a unit: \`250ms\`, \`30s\`, \`5m\`, \`1h\` (in a file milliseconds only) |
| object | JSON, merged over the value from earlier places; \`null\` removes a key |
| path | relative to the working directory, wherever it is written; \`~\` is not expanded |
| secret in a file | \`<VARIABLE>_FILE\` in the environment or \`.env\` names a file that is not empty: \`DATABASE_URL_FILE=/run/secrets/database-url\` |
| empty variable | counts as not set |

**Mistakes stop the start**, with a line each: the key, the given value and where it came from, what is allowed. Unknown keys, variables
and flags are mistakes, too, and so are a key that occurs twice in an object of the file and a line of \`.env\` that begins with a variable
and sets nothing.

## Chains

A chain is a key of \`chains.evm\` (chain id), \`chains.bitcoin\`, \`chains.solana\` (CAIP-2 references), or
\`chains.avalanche.mainnet\` / \`.testnet\`.

- An entry is merged over the built-in one, so write only what you change. A new key adds a chain. \`null\` removes a chain, or, in place
  of a section (\`"bitcoin": null\`), the whole family.
- A coin with another \`symbol\` than the built-in one does not get the price, logo and \`internalId\` of that one.
- \`chains.catalogue: false\` starts without the built-in chains. The chains that you name then need all their members. The network of
  \`--avalanche-mainnet-node\` or \`--avalanche-testnet-node\` needs no more than that, and its C-chain has no public token lists then.

\`\`\`json
{
  "chains": {
    "evm": {
      "43114": { "upstreams": [{ "url": "http://127.0.0.1:9650/ext/bc/C/rpc" }] },
      "56": null,
      "99373": {
        "name": "My L1",
        "upstreams": [{ "url": "https://rpc.example.org" }],
        "native": { "name": "My coin", "symbol": "MINE" },
        "blockTimeMs": 2000
      }
    }
  }
}
\`\`\`

**A network of your own** takes the place of \`chains.avalanche.mainnet\` or \`.testnet\`:

- If you configure upstreams, IDs and address prefix are read from the node, unless you configure them as well. The public network's genesis is used only if
  the node's IDs are those of that network. Until the node has answered once, requests with addresses of any other prefix are 503 with \`retry-after\`.
- Balances of its C-chain are requested by EVM chain id. \`--chains-avalanche-testnet '{"evmChainId":43112}'\` beside \`--avalanche-testnet-node\` makes the
  entry of \`chains.evm\`. If you name several nodes, as \`upstreams\` of \`chains.avalanche.testnet\`, write that entry yourself, with
  \`<node>/ext/bc/C/rpc\` as its upstreams.

Another L1, step by step: [deployment.md](deployment.md#an-l1-of-your-own).

### In short

${shortForms}

### Members of a chain

Members with a default or without "needed" may be left out. A built-in chain has all that it needs.

${chain}

### Members of an upstream

Limits that are left out are those of the section \`upstream\`. A server (a URL with its headers) may be in the list of a chain only once, since otherwise it
would confirm its own answers. \`kind\`, \`tls://\` and \`tcp://\` are for Bitcoin only.

**Electrum servers** (\`tcp://\`, default port 50001, and \`tls://\`, 50002) take only \`url\`, \`kind\`, \`priority\`, \`requestsPerSecond\` and
\`maxConcurrent\`. Up to 100 calls that go out together on the one connection count as a request. To accept a certificate that no authority
has signed, append its SHA-256 fingerprint to the URL: \`tls://electrum.example.org:50002#<64 hex digits>\`.

${upstream}

### Built in

${builtIn}

## Plans and keys of the indexed API

A plan is a key of \`data.plans\`; \`default\` is for callers without a key. Members of a plan:

${plan}

| Operation | Units |
| --- | --- |
| \`live-check\` | 1, from a separate budget |
| \`reindexNft\` | 10 |
| lists of tokens and of blocks, one token, chains of an address, \`data-health-check\` | 20 |
| UTXOs, balances, last activity, one block | 100 |

Periods are whole minutes and days of UTC. A plan with less than 100 units a minute never allows an operation that takes 100: it is always 429.

Members of an entry of \`data.apiKeys\`:

${apiKey}

## Keys

${keyTables.map(([title, table]) => `### Keys: ${title}\n\n${table}`).join('\n\n')}
`
}

const anchorOf = (title: string): string =>
  `Keys: ${title}`
    .toLowerCase()
    .replace(/[^a-z _-]/g, '')
    .replaceAll(' ', '-')
