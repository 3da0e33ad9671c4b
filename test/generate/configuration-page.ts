import { configTables, keyTables } from './config-tables.ts'

/** docs/configuration.md: how settings are named and found, and every one of them. */
export function configurationPage(): string {
  const { shortForms, builtIn, chain, upstream, plan, apiKey } = configTables
  return `# Configuration

For whoever sets Firn up. Nothing needs to be configured. Written by \`npm run generate\`; a test compares it with the code.

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

\`--print-config\` prints what came out, with secrets masked, and says where each value came from. The text is a configuration file: \`null\` stands for what is
built in and was taken away. A mask that is given back as a value stops the start, but user and password of a URL leave none: look at those yourself.

## How they are written

**One rule names everything.** The flag of a key is its path with words joined by dashes, its variable the same words in
capitals after \`FIRN_\`: \`balance.chainDeadlineMs\` is \`--balance-chain-deadline-ms\` and
\`FIRN_BALANCE_CHAIN_DEADLINE_MS\`. Where a node has its own name for a flag, that name works too.

| Value | Written |
| --- | --- |
| flag | \`--flag value\`, \`--flag=value\`, and \`--flag\` alone for switches |
| list | comma separated or JSON; its flag may be repeated |
| duration | milliseconds, or with a unit: \`250ms\`, \`30s\`, \`5m\`, \`1h\` (in a file milliseconds only) |
| object | JSON, merged over what is there; \`null\` takes a key away |
| path | begins in the working directory wherever it is named; \`~\` is no home |
| secret in a file | \`<VARIABLE>_FILE\` in the environment or \`.env\` names a file that is not empty: \`DATABASE_URL_FILE=/run/secrets/database-url\` |
| empty variable | counts as not set |

**Mistakes stop the start**, one line each: the key, what was given and where, what is allowed. Unknown keys, variables
and flags are mistakes too, and so are a key that stands twice in an object of the file and a line of \`.env\` that begins with a variable and
sets nothing.

## Chains

A chain is a key of \`chains.evm\` (chain id), \`chains.bitcoin\`, \`chains.solana\` (CAIP-2 references), or
\`chains.avalanche.mainnet\` / \`.testnet\`. What is given is merged over the built-in entry, so one changed value is
enough; a new key adds a chain; \`null\` removes one, and in place of a section (\`"bitcoin": null\`) the whole family.
A coin with another \`symbol\` than the built-in one has nothing of its price, its logo and its \`internalId\`.
\`chains.catalogue: false\` starts without the built-in chains; what is named then needs all its members, and the network of
\`--avalanche-testnet-node\` a \`name\`.

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

- As soon as upstreams are configured, IDs and address prefix are asked of the node, unless they are configured too, and the public network's genesis counts
  only where the node's IDs are that network's. Until the node has answered once, requests with addresses of any other prefix are 503 with \`retry-after\`.
- Balances of its C-chain are asked for by EVM chain id: \`--chains-avalanche-testnet '{"evmChainId":43112}'\` beside \`--avalanche-testnet-node\` makes the
  entry of \`chains.evm\`. Where several nodes are named, as \`upstreams\` of \`chains.avalanche.testnet\`, write that entry, too, with
  \`<node>/ext/bc/C/rpc\` as its upstreams.

Another L1, step by step: [deployment.md](deployment.md#an-l1-of-your-own).

### In short

${shortForms}

### Members of a chain

What is not needed may be left out. A built-in chain has all that it needs.

${chain}

### Members of an upstream

Limits that are left out are those of the section \`upstream\`. A server stands in the list of a chain once: with the same URL and the same headers again it
would confirm its own word. \`kind\`, \`tls://\` and \`tcp://\` are for Bitcoin only.

**Electrum servers** (\`tcp://\`, port 50001 when left out, and \`tls://\`, 50002) take \`url\`, \`kind\`, \`priority\`,
\`requestsPerSecond\` and \`maxConcurrent\`, where up to 100 calls that go out together on their one connection are a request, and
nothing else of the section \`upstream\`. A certificate that no authority has signed is accepted by
its SHA-256 fingerprint behind the URL, \`tls://electrum.example.org:50002#<64 hex digits>\`.

${upstream}

### Built in

${builtIn}

## Plans and keys of the indexed API

A plan is a key of \`data.plans\`; \`default\` is for callers without a key. Members of a plan:

${plan}

| A call of | Units |
| --- | --- |
| \`live-check\` | 1, of a budget of its own |
| \`reindexNft\` | 10 |
| lists of tokens and of blocks, one token, chains of an address, \`data-health-check\` | 20 |
| UTXOs, balances, last activity, one block | 100 |

Periods are whole minutes and days of UTC. A plan with less than 100 a minute never allows what takes 100: the answer is 429 then, however
long a client waits.

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
