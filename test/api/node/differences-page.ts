import { adminDifferences } from './admin-differences.ts'
import { authDifferences } from './auth/differences.ts'
import { differences } from './differences.ts'
import { keystoreDifferences } from './keystore/differences.ts'

/** docs/node-differences.md */
export function differencesPage(): string {
  const all = [...differences, ...authDifferences, ...adminDifferences, ...keystoreDifferences]
  const rows = all.map(({ what, reason }) => `| ${what} | ${reason} |`)
  return `# Where Firn answers otherwise than a node

For wallet developers who point a node's client at \`/ext\`. \`npm run test:node\` replays every recorded conversation with a real node (test/fixtures) through Firn and
compares it byte for byte: status, headers in their order, body (without \`Date\`, and without members that varied between two runs against the node itself). Only what is
listed here may differ. This page is generated (\`npm run generate\`).

- [When no node answers](#when-no-node-answers), [limits](#limits)
- Many nodes behind one address: [sending a transaction](#sending-a-transaction), [accepted, dropped or unknown](#accepted-dropped-or-unknown),
  [blocks, heights and nonces](#blocks-heights-and-nonces), [pages of UTXOs](#pages-of-utxos)
- [What is not forwarded](#what-is-not-forwarded), [chains and their aliases](#chains-and-their-aliases), [/ext/index and keys](#extindex-and-keys)
- [Differences, one by one](#differences-one-by-one), [HTTP and WebSockets](#http-and-websockets)

This page uses two terms. A block, height or transaction was **shown** if any client has received it, or if Firn's own index (\`/v1\`) has it. A node that does not have
it yet is **late**. Nodes accept a block one after the other, so without the rules below a client would see the chain go back.

## When no node answers

| Status | When |
|---|---|
| 502 | no node could be reached, or none gave a valid answer. Also if some nodes answer 404 (they do not run the chain, or have that API off) while another one that may serve it is silent, or has served it within ten minutes and may be starting |
| 503 with \`Retry-After\` | every node refuses calls for their number (where signatures are aggregated, one such node is enough if no other had a result) |
| 503 \`the database is away\` | the call needs the database: aliases, users of the keystore |
| 504 | no node answered in time. With \`the database did not answer in time\`, the change may have been stored all the same |

The status is never 200. Wallets take a JSON-RPC error with status 200 for the truth about the chain (a refused transaction, a reverted call); ethers and avalanchejs take
these statuses for a server in trouble. viem decides by the error code: after -32603 it tries again, and keeps its filters. The body is an error object in the dialect of
the endpoint, with the id of the call:

\`\`\`
{"jsonrpc":"2.0","error":{"code":-32000,"message":"no node answered","data":null},"id":1}    info, platform, avm …
{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no node answered"}}                C/rpc, L1 rpc
\`\`\`

**A node that hangs.** Once other reads have shown that a node hangs, the reads that wait for it go to another node, a second later at most, and to the next one if that
hangs as well. Every second, such a read also asks again the nodes that failed, did not run the chain yet, or did not have what was asked for. If all others say that
it does not exist, the read ends then: it does not wait longer for a node that is known to hang, or that has already left the same read unanswered.

## Sending a transaction

A signed transaction (\`eth_sendRawTransaction\`, \`issueTx\`) goes to one node, preferably one that is not late: a late one refuses to spend what it does not have yet. If
that node fails, or has not answered for five seconds, the next one gets the same bytes, four nodes at most. This is safe, because the same bytes cannot be accepted twice.

- The client gets the first success. "Already known" from a later node that has the transaction is a success.
- The client gets a refusal only if no node that was asked earlier may still accept the transaction. If the node that
  refused it is late, the next node that answers gets it first.

Any other call that moves funds goes to one node, and to the next only if the first one certainly did nothing.

## Accepted, dropped or unknown

**Accepted.** A wallet spends the outputs of an accepted transaction at once, or reads its effects, and that call may reach another node. So the following answers wait
until every healthy node has the transaction, two seconds at most:

- that a transaction is accepted (\`getTxStatus\`, \`avax.getAtomicTxStatus\`, \`avax.getAtomicTx\`), if it was sent by Firn or asked for before it was accepted;
- a receipt (\`eth_getTransactionReceipt\`) of one of the newest 16 blocks, until they have executed its block: since Helicon a node
  gives a receipt before the rest of its block is executed, and its balances are older until then;
- an atomic transaction of C: these answers wait up to two more seconds, until the healthy nodes have also executed its block. With Helicon they do so some time after
  accepting it.

**A node that is still late after that** gets no calls until it has caught up, for ten minutes at most, as long as another healthy node has room. If every healthy node
lacks something that was shown (one is ahead on P, another on X), a call waits two seconds at most and then goes to a node that has what was shown of the call's chain.

**Dropped or unknown** is answered only if no node says more. A node that was a block behind when it received a transaction takes it for invalid until it has the block
that contains it. The same holds for "pending" from a node that lacks the newest block that was shown.

**Not there.** Nodes leave out what they do not have, without an error. If only late nodes answer one of these calls, Firn waits for them, two seconds at most. After that
the call is an error, since a client may have been shown what they lack:

| Answer | What Firn requires |
|---|---|
| a transaction by its hash is null | no healthy node has it |
| a receipt or a block by its hash is null | two nodes say so, or all that answer, and one of them has the newest block that was shown |
| a block, or what is in it, by a number that was shown | a node that has it |
| logs of a range (\`eth_getLogs\`) | a node that has executed the last block, if that is a number that was shown; for a range up to \`latest\`, one that has the newest block that was shown |
| \`eth_getFilterLogs\` | the same of the filter's own node |
| a block by its hash has no logs | a node that has executed the newest block that was shown says so. Where blocks are executed after they are accepted (C since Helicon), another node may have the block and not its logs yet |

**Logs that begin too early.** A call for logs is also an error if its first block is older than the data of a node synced by state, and a node that may have it is silent:
a scanner that got the rest would never come back for the missing part. If every node lacks the beginning, their answer is passed on.

## Blocks, heights and nonces

**The chain does not go back.** What was shown decides which nodes later answers come from. If no node that has it answers, Firn waits for a late one, two seconds at most:

| Shown | Later answers that are at least as new | If only late nodes are left |
|---|---|---|
| a block of an EVM (a number, a block, a transaction or log with its block, \`newHeads\`, changes of a filter) | those about the current state. A number more than 10,000 above it is returned only if no other node answers | one of them answers |
| a height of P or X (\`platform.getHeight\`, \`avm.getHeight\`, a block by its height or id, a container of the index) | heights, outputs, balances, and what the chain exported | one of them answers, except that there is no such block or transaction: that is an error |
| a block of C, whatever shows it (its EVM, a container of \`/ext/index/C/block\`, an atomic transaction with its block from \`avax.getAtomicTxStatus\` or \`avax.getAtomicTx\`) | its EVM, \`/ext/bc/C/avax\`, the index, and what C exported to P and X | as above |

This includes L1s that Firn's own index (\`/v1\`) follows. A block of C that its node has not executed yet is returned once the healthy nodes have executed it, two seconds
later at most.

**Outputs that one chain exported to another** (\`getUTXOs\` with \`sourceChain\`) come without a height. So the node that returns some is also asked for its height of that
chain. If it does not answer that (it died in between, say), another node is asked for the outputs, two seconds at most. Outputs do not vanish before they are imported,
and whoever imports them is sent to a node that has them. They may vanish only if no node that answers tells its height, until another node has them.

**The next nonce** (\`eth_getTransactionCount\` with \`pending\`) is asked of all healthy nodes, and the highest is returned. Firn does not wait for a node that takes a second
longer than the first.

**Subscriptions** of a WebSocket are held at one node. That node is lost if its connection ends, or if it leaves a ping unanswered for half a minute or a call for a minute.
The subscriptions then move to another node, and the client first gets what it missed: no block is lost or repeated, and no log, unless the logs of the lost node
were more than 32 blocks behind its heads (seven, if the next node refuses to list the logs of so many blocks; always seven for accepted transactions, because a hash
does not say of which block it is). A node that takes ten seconds for a subscription, its height or a missed block is passed over. If no node has taken over within half
a minute, or more than 1,024 blocks were missed, the WebSocket is
closed with 1013 and the client has to connect and subscribe again.

**Pending transactions** on a WebSocket: a node may announce one twice, when it prefers another block, and both announcements are passed on. What was announced before a
node was lost is not announced again when the next node hears of it within some blocks.

**Re-organisations** of chains that have them (none that a node of the network runs under \`/ext\`): heads of another branch, and logs with \`removed\`, are pushed as the
node pushes them. After the loss of a node, heads read from the next one are not compared with those pushed before.

**Filters** (\`eth_newFilter\`, \`eth_newBlockFilter\`) are held at one node.

- The filter moves to another node, one that has the newest block the client got, if its node is gone, has forgotten it, or leaves a poll open for three seconds without
  telling its height while another node tells its own. The next poll first returns what changed in between: no event is missing or repeated. If only late nodes answer,
  that poll is an error (502, 503), and the one after it continues.
- \`filter not found\` means that the client has to make a new filter: more than 1,024 blocks were missed; or the node refuses their logs, or does not know the last block
  that the client got (the chain went back: logs that this removed are not reported as removed); or the filter has more than 2,048 characters of parameters; or all
  processes of Firn have restarted since.
- A filter for pending transactions continues with those that the next node hears of.
- A new filter is made at a node that has the newest block that was shown. If none of those answers, the filter also returns the blocks that its node lacked at that time,
  even if clients have been shown them.

**Several processes** share all this over \`FIRN_REDIS_URL\`. A process that starts, and every process after an outage of Redis, gets it again from the others (of filters,
the 2,000 that each used last). Without Redis each process knows only what its own clients were shown. A client with filters then has to stay with one process;
otherwise, after the loss of a node, it gets again what another process had already returned.

## Pages of UTXOs

Each page (\`getUTXOs\` with \`startIndex\`) comes from the node that gave the page before. Every node lists the UTXOs of a block in its own order, so the next page of another
node would leave some out. If that node fails, the page is an error, and the client has to read the list from its start.

Firn remembers for ten minutes which node gave a page. All processes share this over \`FIRN_REDIS_URL\`; without Redis a client has to stay with one process. If two nodes
have each given a page that ends at the same UTXO, clients are told apart by their addresses, which fails behind a proxy without \`http.trustProxy\`.

Where it is not known which node gave the page before, any node gives the next one. If the page before ended among several UTXOs that one block gave an address, some of these
may be missing or repeated.

## Limits

| What | Limit |
|---|---|
| Body of an EVM endpoint | 5,242,880 bytes, as a node: 413; chunked bodies are cut and answered with \`parse error\` |
| Message on a WebSocket | 5,242,880 bytes: closed with 1009; a node takes 32 MiB |
| Messages of all WebSockets in memory | 256 MiB together: WebSockets with large ones are closed with 1013; a node has no limit |
| Subscriptions that one WebSocket begins | 1,000 at any pace, then 50 a second: an error; a node has no limit |
| Parameters of the subscriptions on one WebSocket | 1 MiB together: an error; a node has no limit |
| Members of all objects of a call or batch | 65,536: 413, on a WebSocket closed with 1009; a node has no limit |
| Params in which aliases of chains made here are replaced by IDs | 128 KiB, twice the addresses that a node takes: longer ones are forwarded unchanged |
| Body of any other endpoint | \`node.bodyLimitBytes\` (25 MiB): 413; a node has no limit there |
| Headers of a request | 128 KiB: 431; a node takes 1 MiB |
| Containers in one answer of \`/ext/index\` from Firn's own index | 64 MiB before encoding: an error that says so; a node has no limit |
| Answers of nodes that are being received, together | \`upstream.answerRoomBytes\` (256 MiB): answers over 64 KiB that do not fit become 503 with \`retry-after\` |
| Answer of a node | \`upstream.maxResponseBytes\` (32 MiB): beyond it, no answer. Ask for smaller parts where there are any (\`index.getContainerRange\`, pages of UTXOs) |
| Time for an answer | 30 s over all attempts, \`node.attemptMs\` (20 s) for one node; before that, 5 s at most to find out where an unknown blockchain ID belongs |
| Answers in memory | \`node.cacheBytes\` (64 MiB), at most 1 MiB each, oldest dropped first; 10 minutes at most, since newer nodes and upgrades encode old blocks differently |

## What is not forwarded

- \`Avalanche-Api-Route\`: answered with 404 and never sent to a node. With it, nodes of v1.15 serve the Connect service of the proposervm, over HTTP/2 in clear text;
  \`/ext/bc/<chain>/proposervm\` has the same data.
- \`/ext/bc/<chain>/admin\`: 404, as on a node with that API off. It changes or profiles one node.
- \`/ext/admin\`: only Firn's own, never a node's. A node's \`admin.alias\` can freeze it while a WebSocket is open.
- On a public deployment (\`--public\`): \`info.getNodeID\`, \`getNodeIP\`, \`getVMs\`, \`peers\`, \`uptime\` (as methods that do not exist), \`/ext/health\`, \`/ext/metrics\` (404).
- HTTP/2 in clear text, which nodes speak since v1.13.2. A client that asks for it (\`Upgrade: h2c\`, as Java's does) is answered in HTTP/1.1.
- Headers of the client (credentials, cookies, origin): a node gets the body and its type; an endpoint of a virtual machine unknown here also its content encoding.

Wherever Firn answers a service itself, \`rpc.discover\` is a method of it; a node has no such service.

## Chains and their aliases

- **Aliases of a node** (made by its \`admin.aliasChain\` or its file of aliases, for which AvalancheGo has no paths) are served, too. Firn asks one node what an unknown name
  stands for (\`info.getBlockchainID\`), and keeps the result for a minute; that nobody knows the name, for five seconds. \`admin.getChainAliases\` lists those made here.
- **An L1 that the network lists and no node runs** is 404 for every call and, at its \`rpc\`, for a probe by GET, as at a node. What an L1 that is run refuses is refused
  there as well, without asking a node: a body that is not JSON, another method than POST at \`validators\`, HTTP at \`ws\`. It is 502 while no node tells which chains there
  are (all are starting), and, for reads, if a node has run it within ten minutes.
- **No alias is half made.** \`admin.aliasChain\` with a name whose path is an alias already (\`bc/x\`, by \`admin.alias\`) changes nothing; a node answers the same error, but
  then knows the chain by that name in params. \`admin.alias\` with the whole path of an endpoint as the alias (\`index/P/block\`) is an error; a node answers \`{}\` and changes
  nothing. A whole path as the endpoint (\`bc/C/rpc\`) is served under its alias; a node knows only the part before the extension.
- **Names are literal.** \`x/\` and \`../x\` are not \`x\`. The empty name has no path (a node serves it at \`/ext/bc\`), a name with a zero byte is refused, and braces are text (a
  node's router takes \`{x}\` for a pattern).
- **Errors of a node** about a call that names a chain by an alias made here have that alias in place of the chain's ID.

## /ext/index and keys

Where Firn's own index is complete (\`--index-enabled\`) it answers \`/ext/index\`, byte for byte as a node does, with the times at which the node that it read from accepted
each container.

- \`X/tx\` has the transactions of the X blocks; on nodes it stays empty since Cortina. What an old node has there of the time before is then not served.
- Answers that the next block may change (the last container, a container that does not exist) are given only at the nodes' tip. A block that is on its way is waited for,
  up to 2.5 s; while the index is older than \`index.maxIndexAgeMs\` nothing is waited for.
- While the index is behind, a node with an index answers, and Firn's index does not deny what such a node has shown. If no node has an index at the moment (404; the one
  that has it is starting, say), that is 502.

With the keystore, \`platform.createAddress\` and \`platform.importKey\` exist as before v1.11.2, so that \`platform.exportKey\` has something to export. The recorded v1.12.1
had dropped the two; its conversations are replayed with \`--node-api-keystore-platform-import=false\`, which answers like it.

## Differences, one by one

| What | Why |
|---|---|
${rows.join('\n')}

## HTTP and WebSockets

HTTP that no client library writes is refused with 400 where a node still reads it: header lines that end with LF alone or are folded, the same \`Content-Length\` twice, a
chunk with a wrong length, HTTP/1.2, method names in small letters, bytes above 127 in the request line. Where a node refuses such HTTP as well, it may do so with other words
or another status (501 for a \`Transfer-Encoding\` it does not know, 505 for a version).

| What comes | Here | At a node |
|---|---|---|
| \`CONNECT\` | the connection ends without an answer | |
| an absolute target with a user (\`http://user@localhost/ext/info\`) | 403 | |
| HTTP/1.0 | answers begin with \`HTTP/1.1\` | |
| \`Proxy-Connection: close\` | ends the connection | |
| \`Expect: 100-continue\` | always answered with 100 | some requests are refused before that, and the connection ends |
| a client that ends its sending half before the answer (\`nc -N\`) | counts as gone and gets none | answers |
| a WebSocket to an endpoint that has none | 400 and the end of the connection | as if no upgrade had been asked for |
| a WebSocket's key and version | 16 bytes of base64, 13 alone | |
| a message that is no JSON | closed with 1000 | cut (1006) |
| an empty message | passed over | cut |
`
}
