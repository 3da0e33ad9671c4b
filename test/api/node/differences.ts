import type { ConversationSet } from '../../support/replay-node/index.ts'
import { adminDifferences } from './admin-differences.ts'
import { authDifferences } from './auth/differences.ts'
import { keystoreDifferences } from './keystore/differences.ts'

/** Recorded conversations to which Firn on purpose answers otherwise than the node did. */
export interface Difference {
  sets: readonly ConversationSet[]
  /** Names of the conversations. */
  names: RegExp
  what: string
  reason: string
}

const NETWORK: readonly ConversationSet[] = ['network-moment']

export const differences: readonly Difference[] = [
  {
    sets: NETWORK,
    names: /^http\/unknown-method$/,
    what: 'An HTTP method that does not exist (`BREW`): 400 instead of 415.',
    reason: 'The HTTP parser of this server refuses methods it does not know before anything else sees them.',
  },
  {
    sets: NETWORK,
    names: /^http\/content-length-and-chunked$/,
    what: '`Content-Length` together with `Transfer-Encoding`: 400; the node answers the call.',
    reason: 'Two readings of one request are how requests are smuggled through gateways (RFC 9112, 6.1).',
  },
  {
    sets: [...NETWORK, 'legacy'],
    names: /^(http\/path-get\/root|paths\/GET \/)$/,
    what: '`GET /`: a page for people instead of `404 page not found`; with `--page-enabled false` 404 in JSON.',
    reason: 'No client of a node asks there; people do.',
  },
  {
    sets: NETWORK,
    names: /^http\/path\/(root|v1|dotfile|favicon)$/,
    what: 'Unknown paths outside of /ext: 404 with a JSON body instead of `404 page not found`.',
    reason: 'Those paths belong to the other APIs of this server, which have their own 404.',
  },
  {
    sets: NETWORK,
    names: /^http\/ws\/upgrade-foreign-host$/,
    what: 'A WebSocket with a foreign Host: the same 403, with `Connection: close`.',
    reason: 'A connection that asked for an upgrade is not used for HTTP again.',
  },
  {
    sets: [...NETWORK, 'legacy'],
    names:
      /getContainerRange\/(zero|missing-num|start-beyond-and-zero|no-params|numToFetch-"?0"?|numToFetch-null|start-beyond-num-0|empty)$/,
    what: 'index.getContainerRange with `numToFetch` 0 or absent: `{"containers":[]}` instead of an error.',
    reason: 'Explicit rule of the specification: nothing was asked for.',
  },
  {
    sets: [...NETWORK, 'legacy'],
    names: /^(health\/|http\/get-health-with-origin$)/,
    what: 'Health checks: those of Firn (upstreams, own index, disk) instead of those of one node, in the same shape.',
    reason:
      'A node behind Firn may be down while Firn serves. `contiguousFailures` and `timeOfFirstFailure` always there.',
  },
  {
    sets: ['legacy'],
    names: /.*/,
    what: '`Vary: Accept-Encoding` of nodes up to v1.13.1 is left out.',
    reason: 'Those nodes could compress their answers; newer ones and Firn do not.',
  },
]

/** Conversations that are proved by other tests: their answers come from services with tests of their own. */
export const elsewhere: readonly { names: RegExp; where: string }[] = [
  { names: /^admin(-disabled)?\//, where: 'admin API' },
  { names: /^http\/ws\/upgrade(-full-id|-with-origin|-subprotocol)?$/, where: 'WebSockets' },
]

/** docs/node-differences.md */
export function differencesPage(): string {
  const all = [...differences, ...authDifferences, ...adminDifferences, ...keystoreDifferences]
  const rows = all.map(({ what, reason }) => `| ${what} | ${reason} |`)
  return `# Where Firn answers otherwise than a node

Every recorded conversation with a real node (test/fixtures) is replayed through Firn by \`npm run test:node\` and compared
byte for byte: status, headers in their order, body. \`Date\`, and members that varied between two runs against the node
itself, are left out. What differs is listed here, and only that may differ. This page is generated (\`npm run generate\`).

| What | Why |
|---|---|
${rows.join('\n')}

The own index answers /ext/index where it is complete (\`--index-enabled\`), byte for byte as a node does, with the times
at which the node that was read accepted each container. \`X/tx\` is filled with the transactions of the X blocks, while it
stays empty on nodes since Cortina; what an old node has there of the time before is not shown then.

With the keystore, \`platform.createAddress\` and \`platform.importKey\` are there as before v1.11.2, so that
\`platform.exportKey\` has something to export. The recorded v1.12.1 had dropped the two; its conversations are replayed
with \`--node-api-keystore-platform-import=false\`, which answers like it.

## When no node answers

A node always answers for itself; a gateway cannot always. Firn then answers 502 (none could be reached, or what came was
no answer), 503 (all are asked too often, with \`Retry-After\`; where signatures are aggregated also where one is, and no
other had a result) or 504 (none in time), never 200: wallets take a JSON-RPC
error with status 200 for the truth about the chain (a refused transaction, a reverted call), while viem, ethers and
avalanchejs treat these as a server in trouble and try again. So it is also where some nodes answer 404, since they do not
run the chain or have that API off, and one that may serve it says nothing. The body is an error object in the dialect of
the endpoint with the id of the call, so that nothing that parses bodies breaks:

\`\`\`
{"jsonrpc":"2.0","error":{"code":-32000,"message":"no node answered","data":null},"id":1}    info, platform, avm …
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no node answered"}}                C/rpc, L1 rpc
\`\`\`

What the database has to tell or to keep (aliases, users of the keystore) is 503 with the message \`the database is away\` while that is so, and
504 with \`the database did not answer in time\` while it is late: what was to be kept may be kept then.

Pages of UTXOs (\`getUTXOs\` with \`startIndex\`) come from the node that gave the page before: nodes list the UTXOs of one
block in orders of their own, and the next page of another one would leave some out. When that node fails, the page is an
error, and the list has to be read from its start. What page a node gave is known for ten minutes, over
\`FIRN_REDIS_URL\` to all processes; without it a client has to stay with one process of several. Two nodes may each have given a
page that ends at one UTXO: clients are told apart by their addresses, and behind a proxy without \`http.trustProxy\` they are not.

That a transaction is accepted (\`getTxStatus\`, \`avax.getAtomicTxStatus\`, \`avax.getAtomicTx\`), or has a receipt (\`eth_getTransactionReceipt\`,
in one of the newest 16 blocks), is told once every healthy node has it, two seconds later at most: a wallet spends its outputs
or reads what came of it at once, and the node that is asked then may be another one. The first is so for transactions that
were sent by Firn, or asked for before they were accepted; of others the status is told as it comes.
A node that has not accepted it by then is asked by nobody, where another healthy one has room, until it has, ten minutes
at most: reads of P, X and C would be older than what was told, and a transaction that rests on it would be refused.
It is looked at, ten times a second at most. Where every healthy node lacks something that was told (one is ahead on P, another on X),
a call is held for two seconds at most until one has all; then one is asked that has what was told of the chain of the call. An atomic transaction of C is told as accepted once the healthy nodes have executed
its block besides, two more seconds later at most: with Helicon they do so some time behind accepting it, and balances and
nonces are of before until then.
That one was dropped, or is not known, is told where no node says more: one that was a block behind when it heard of a
transaction takes it for wrong, and says so until it has the block that holds it.

What a block of an EVM chain has shown to a client (a number, \`newHeads\`, a transaction with its block) is not waited for: the
state of now is rather asked of nodes that are known to have that block. One that is not is looked at, ten times a second at
most, and asked meanwhile only where there is no other healthy one with room. So it is with the height of P or X that was
told (\`platform.getHeight\`, \`avm.getHeight\`): the next one is no lower, and outputs and balances are no older.
Processes tell each other of all this over \`FIRN_REDIS_URL\`; without it each knows what its own clients were told.

The next nonce (\`eth_getTransactionCount\` with \`pending\`) is asked of all healthy nodes, and the highest is told: nodes hear of
a transaction some tenths of a second after the one that took it. Who takes a second longer than the first is not waited for.
A transaction by its hash is null only where no healthy node has it, for the same reason.

A node may announce a pending transaction twice to one WebSocket, when it prefers another block; both are passed on. What was
announced before a node was lost is not announced again when the next one hears of it within some blocks.

A signed transaction (\`eth_sendRawTransaction\`, \`issueTx\`) goes to one node. Where that one fails, or has not answered for five
seconds, the next one gets the same bytes, four at most: the same bytes cannot be accepted twice. The first success is told; "already known"
of a later node that has the transaction is one. A refusal is told once no node that was asked earlier may still take it. Anything else
that moves funds goes to one node, and on only from one that certainly did nothing.

## What is not forwarded

* \`Avalanche-Api-Route\`: answered with 404 and never sent to a node. Nodes of v1.15 answer the Connect service of the
  proposervm by it, over HTTP/2 in clear text; \`/ext/bc/<chain>/proposervm\` tells the same.
* \`/ext/bc/<chain>/admin\`: 404, as on a node with that API off. It changes or profiles one node.
* \`/ext/admin\`: only Firn's own, never a node's. A node's \`admin.alias\` can freeze it while a WebSocket is open.
* On a public deployment (\`--public\`): \`info.getNodeID\`, \`getNodeIP\`, \`getVMs\`, \`peers\`, \`uptime\` (as methods that do not
  exist), \`/ext/health\`, \`/ext/metrics\` (404).
* Aliases of chains that a node was given by its own \`admin.aliasChain\` are served, too (\`/ext/bc/<alias>/…\`), and those of its file of
  aliases, for which AvalancheGo has no paths: one node is asked what an unknown name stands for (\`info.getBlockchainID\`). A name is kept
  for a minute, one that nobody has for five seconds. \`admin.getChainAliases\` lists those that were made here.
* What stands in braces in an alias is text here; a node's router takes \`{x}\` for a pattern that matches any name.
* An L1 that the network lists and no node runs is 404 for every call and, at its \`rpc\`, for a probe by GET, as at a node. A body that is no
  JSON, another method than POST at \`validators\`, and HTTP at \`ws\` are refused there as at an L1 that is run, without asking a node.
* HTTP/2 in clear text, which nodes speak since v1.13.2: a server that takes both on one port has to look into every
  connection first. HTTP/1.1 with keep-alive does the same work here. A client that asks for it (\`Upgrade: h2c\`, as
  Java's does) is answered in HTTP/1.1.
* Headers of the client (credentials, cookies, origin): a node gets the body, its type and its content encoding.

## What a node forgives

HTTP that no client library writes is refused with 400 where a node still reads it: header lines that end with LF alone or
are folded, the same \`Content-Length\` twice, a chunk with a wrong length, HTTP/1.2, method names in small letters, bytes
above 127 in the request line. Where a node refuses such HTTP as well, it may do so with other words or another status
(501 for a \`Transfer-Encoding\` it does not know, 505 for a version); after \`CONNECT\` the connection ends without an
answer. An absolute target with a user (\`http://user@localhost/ext/info\`) is 403. Answers to HTTP/1.0 begin with
\`HTTP/1.1\`, and \`Proxy-Connection: close\` ends the connection. \`Expect: 100-continue\` is always answered with 100, a
node refuses some requests before that, and ends the connection. A WebSocket to an endpoint that has none is refused with
400 and the end of the connection, while a node answers as if no upgrade had been asked for; its key has to be 16 bytes of
base64, and the version 13 alone. After a message that is no JSON a WebSocket is closed with 1000, while a node cuts it
(1006); an empty message is passed over, while a node cuts the WebSocket after that one, too. Whoever ends the sending
half of a connection before the answer has come (\`nc -N\`) counts as gone and gets none, so that what is asked of nodes
for somebody who left ends with him; a node still answers. Aliases of a chain are names as they stand: \`x/\` and \`../x\` are not made the same
as \`x\`, the empty one has no path (a node serves it at \`/ext/bc\`), and one with a zero byte is refused.

No alias is half made. \`admin.aliasChain\` with a name whose path is an alias already (\`bc/x\`, by \`admin.alias\`) changes
nothing; a node answers the same error, and knows the chain by that name in params and in \`info.getBlockchainID\` all the
same. \`admin.alias\` with the whole path of an endpoint as the alias (\`index/P/block\`) is an error; a node answers \`{}\`, and
the endpoint stays what it was. A whole path as the endpoint (\`bc/C/rpc\`) is served under its alias; a node knows only what
stands before the extension (\`bc/C\`), and answers 404 there.

Where a call names a chain by an alias that was made here, an error of the node has that alias in place of the chain's ID, also
where a node would say the ID (\`mismatched chainIDs: expected …\`).

\`rpc.discover\` is a method here, wherever something is answered here; a node has no such service.

## Limits

| What | Limit |
|---|---|
| Body of an EVM endpoint | 5,242,880 bytes, as a node: 413; chunked bodies are cut and answered with \`parse error\` |
| Message on a WebSocket | 5,242,880 bytes: closed with 1009; a node takes 32 MiB |
| Messages of all WebSockets that are held at a time | 256 MiB together: large ones close theirs with 1013; a node has no limit |
| Subscriptions that one WebSocket begins | 1,000 at any pace, then 50 a second: an error; a node has no limit |
| Parameters of the subscriptions on one WebSocket | 1 MiB together: an error; a node has no limit |
| Members of all objects of a call or batch | 65,536: 413, on a WebSocket closed with 1009; a node has no limit |
| Params in which aliases of chains made here stand for IDs | 128 KiB, twice the addresses that a node takes: longer ones go out as they came |
| Body of any other endpoint | \`node.bodyLimitBytes\` (25 MiB): 413; a node has no limit there |
| Headers of a request | 128 KiB: 431; a node takes 1 MiB |
| Containers in one answer of \`/ext/index\` from the own index | 64 MiB before they become digits: an error that says so; a node has no limit |
| Answers of nodes that are coming in, together | \`upstream.answerRoomBytes\` (256 MiB): what does not fit, of answers over 64 KiB, is 503 with \`retry-after\` |
| Answer of a node | \`upstream.maxResponseBytes\` (32 MiB): taken for none; what is read in parts (\`index.getContainerRange\`, pages of UTXOs) can be asked for in smaller ones |
| Time for an answer | 30 s over all attempts, \`node.attemptMs\` (20 s) for one node; before it, 5 s at most for where an unknown blockchain ID belongs |
| Answers in memory | \`node.cacheBytes\` (64 MiB), at most 1 MiB each, oldest first; 10 minutes at most, since newer nodes and upgrades write old blocks anew |
`
}
