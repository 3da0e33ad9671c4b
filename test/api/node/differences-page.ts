import { adminDifferences } from './admin-differences.ts'
import { authDifferences } from './auth/differences.ts'
import { differences } from './differences.ts'
import { keystoreDifferences } from './keystore/differences.ts'

/** docs/node-differences.md */
export function differencesPage(): string {
  const all = [...differences, ...authDifferences, ...adminDifferences, ...keystoreDifferences]
  const rows = all.map(({ what, reason }) => `| ${what} | ${reason} |`)
  return `# Where Firn answers otherwise than a node

For wallet developers who point a node's client at \`/ext\`, and for whoever compares. Every recorded conversation with a real node (test/fixtures) is replayed through
Firn by \`npm run test:node\` and compared byte for byte: status, headers in their order, body (without \`Date\`, and members that varied between two runs against the node
itself). What differs is listed here, and only that may differ. This page is generated (\`npm run generate\`).

- [When no node answers](#when-no-node-answers), [limits](#limits)
- Many nodes behind one address: [sending a transaction](#sending-a-transaction), [accepted, dropped or unknown](#accepted-dropped-or-unknown),
  [blocks, heights and nonces](#blocks-heights-and-nonces), [pages of UTXOs](#pages-of-utxos)
- [What is not forwarded](#what-is-not-forwarded), [chains and their aliases](#chains-and-their-aliases), [/ext/index and keys](#extindex-and-keys)
- [Differences, one by one](#differences-one-by-one), [HTTP and WebSockets](#http-and-websockets)

Two words recur. What any client was told, or what Firn's own index has (\`/v1\`), was **shown**: a block, a height, a transaction. A node that does not have it
yet is **late**: nodes accept a block one after the other, and without the rules below a client would see the chain go back.

## When no node answers

A node always answers for itself; a gateway cannot always.

| Status | When |
|---|---|
| 502 | no node could be reached, or what came was no answer. Also if some nodes answer 404, because they do not run the chain or have that API off, while one that may serve it says nothing, or has served it within ten minutes and may be starting |
| 503 with \`Retry-After\` | all nodes are asked too often (where signatures are aggregated: also if one is, and no other had a result) |
| 503 \`the database is away\` | the call needs the database: aliases, users of the keystore |
| 504 | no node answered in time. With \`the database did not answer in time\`, what was to be kept may have been kept |

It is never 200: wallets take a JSON-RPC error with status 200 for the truth about the chain (a refused transaction, a reverted call), while ethers and
avalanchejs treat these statuses as a server in trouble. The body is an error object in the dialect of the endpoint, with the id of the call. viem goes by the code
in it: it tries again after -32603, and keeps its filters.

\`\`\`
{"jsonrpc":"2.0","error":{"code":-32000,"message":"no node answered","data":null},"id":1}    info, platform, avm …
{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no node answered"}}                C/rpc, L1 rpc
\`\`\`

**A node that hangs.** While a read waits for a node that does not answer, the nodes that were in trouble, did not run the chain yet or had no such thing are asked
again every second. Reads at a node that hangs go to another node as soon as other reads have shown that it hangs, a second later at most; if that one hangs as well,
to the next. If all others say that there is no such thing, a node that is known to hang, or has not answered the same read before, is waited for no longer than that.

## Sending a transaction

A signed transaction (\`eth_sendRawTransaction\`, \`issueTx\`) goes to one node. If that node fails, or has not answered for five seconds, the next one gets the same
bytes, four nodes at most: the same bytes cannot be accepted twice. The client is told the first success; "already known" from a later node that has the transaction
counts as one. A refusal is told only when no node that was asked earlier may still accept the transaction. A node that is not late comes first:
a late one refuses to spend what it does not have yet.

Any other call that moves funds goes to one node, and to the next only if the first one certainly did nothing.

## Accepted, dropped or unknown

**Accepted.** A wallet spends the outputs of an accepted transaction at once, or reads what came of it, and another node may be asked then. So a client is told once
every healthy node has it, two seconds later at most:

- that a transaction is accepted (\`getTxStatus\`, \`avax.getAtomicTxStatus\`, \`avax.getAtomicTx\`), if it was sent by Firn or asked for before it was accepted;
- a receipt (\`eth_getTransactionReceipt\`) of one of the newest 16 blocks;
- an atomic transaction of C once the healthy nodes have also executed its block, two more seconds later at most: with Helicon they do so some time after accepting it.

**A node that is still late by then** gets no calls until it has caught up, for ten minutes at most, as long as another healthy node has room. If every healthy node
lacks something that was shown (one is ahead on P, another on X), a call is held for two seconds at most; then a node is asked that has what was shown of the chain of
the call.

**Dropped, or not known** is told only if no node says more: a node that was a block behind when it heard of a transaction takes it for wrong until it has the block
that holds it. That a transaction is pending is told only if no node says more, too, if the node that says so lacks the newest block that was shown.

**Not there.** Nodes leave out without a word what they have not got. If only late nodes answer one of these calls, they are waited for, two seconds at most; then the
call is an error, since a client may have been shown what they lack:

| Call | What it takes |
|---|---|
| a transaction by its hash is null | no healthy node has it |
| a receipt or a block by its hash is null | two nodes say so, or all that answer, and one of them has the newest block that was shown |
| a block, or what is in it, by a number that was shown | a node that has it |
| logs of a range (\`eth_getLogs\`) | a node that has executed the last block, if that is a number that was shown; for a range up to \`latest\`, one that has the newest block that was shown |
| \`eth_getFilterLogs\` | the same of the filter's own node |
| a block by its hash has no logs | a node says so that has executed the newest block that was shown: another may have the block and not its logs yet, where blocks are executed after they are accepted (C since Helicon) |

**Logs that begin too early.** A call for logs is an error, too, if the first block lies before what a node synced by state has, and one that may have it is silent: a
scanner that was given the rest would never come back for what was missing. If every node lacks the beginning, their answer is passed on.

## Blocks, heights and nonces

**The chain does not go back.** Once something was shown, later answers come from nodes that have it. If none of these answers, a late one is waited for, two
seconds at most:

| Shown | No older than that are | If only late nodes are left |
|---|---|---|
| a block of an EVM (a number, a block, a transaction or a log with its block, \`newHeads\`, what a filter has new) | answers about the state of now. A number more than 10,000 above it is told only if no other node answers | one of them answers |
| a height of P or X (\`platform.getHeight\`, \`avm.getHeight\`, a block by its height or id, a container of the index) | heights, outputs, balances, and what the chain exported | one of them answers. Only that there is no such block or transaction is not believed of it: that is an error |
| a block of C, whatever shows it (its EVM, a container of \`/ext/index/C/block\`, an atomic transaction with its block from \`avax.getAtomicTxStatus\` or \`avax.getAtomicTx\`) | its EVM, \`/ext/bc/C/avax\`, the index, and what C exported to P and X | as above |

Firn's own index (\`/v1\`) counts for L1s, too. A block of C that its node has not executed yet is told once the healthy nodes have, two seconds later at most.

**Outputs that one chain exported to another** (\`getUTXOs\` with \`sourceChain\`) name no height: the node that shows some is asked for its height of that chain before
they are told. If it does not say, as one that dies in between, another node is asked for them, two seconds at most. They do not vanish before they are imported, and
whoever imports them is sent to a node that has them. Only if no node answers that says its height may they vanish, until another node has them.

**The next nonce** (\`eth_getTransactionCount\` with \`pending\`) is asked of all healthy nodes, and the highest is told. A node that takes a second longer than the first
is not waited for.

**Subscriptions** on a WebSocket are held at one node. If it is lost (its connection ends, or it leaves a ping open for half a minute or a call for a minute), they go on at
another, which first tells what was missed; of blocks and logs nothing is missing, and nothing comes twice. A node that leaves a subscription, its height or a missed
block open for ten seconds is passed over. The WebSocket is closed with 1013, and a client has to begin anew, if no node has taken them over within half a minute or
more than 1,024 blocks were missed.

**Pending transactions** on a WebSocket may be announced twice by a node, when it prefers another block; both are passed on. What was announced before a node was lost
is not announced again when the next one hears of it within some blocks.

**Re-organisations** of a chain that has them (none under \`/ext\` that a node of the network runs): heads of another branch, and logs with \`removed\`, are pushed as the
node pushes them. After a node is lost, heads read again at the next one are not compared with those that were pushed before.

**Filters** (\`eth_newFilter\`, \`eth_newBlockFilter\`) live at one node.

- If that node is gone, leaves a poll open without telling its height (three seconds, while another node tells its own) or has forgotten the filter, it is made again
  at a node that has what was told last, and the next poll first tells what changed in between: no event is missing, and none comes twice. If only late nodes answer,
  the poll is an error (502, 503), and the next one goes on.
- \`filter not found\`, after which a client has to begin anew, is told if more than 1,024 blocks were missed, if the node refuses their logs or does not know the last
  block that was told (a chain that went back: logs that were taken back meanwhile are not told as removed), if the filter has more than 2,048 characters of
  parameters, or if all processes of Firn were restarted since.
- A filter for pending transactions goes on with those that the next node hears of.
- A new filter is made at a node with the newest block that was shown. If none of those answers, it also tells of the blocks that its node lacked then, though clients
  may have been shown them.

**Several processes** tell each other all this over \`FIRN_REDIS_URL\`; one that starts, and all once Redis was away, hear it again (of filters, the 2,000 that each used
last). Without it each process knows what its own clients were told. A client with filters then has to stay with one process, or is told again what another process
told it before a node was lost.

## Pages of UTXOs

Pages (\`getUTXOs\` with \`startIndex\`) come from the node that gave the page before: each node lists the UTXOs of one block in an order of its own, so the next page of
another node would leave some out. If that node fails, the page is an error, and the list has to be read from its start.

Which node gave a page is known for ten minutes, over \`FIRN_REDIS_URL\` to all processes; without it a client of several processes has to stay with one. If two nodes
have each given a page that ends at the same UTXO, clients are told apart by their addresses, which fails behind a proxy without \`http.trustProxy\`.

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

## What is not forwarded

- \`Avalanche-Api-Route\`: answered with 404 and never sent to a node. Nodes of v1.15 answer the Connect service of the proposervm by it, over HTTP/2 in clear text;
  \`/ext/bc/<chain>/proposervm\` tells the same.
- \`/ext/bc/<chain>/admin\`: 404, as on a node with that API off. It changes or profiles one node.
- \`/ext/admin\`: only Firn's own, never a node's. A node's \`admin.alias\` can freeze it while a WebSocket is open.
- On a public deployment (\`--public\`): \`info.getNodeID\`, \`getNodeIP\`, \`getVMs\`, \`peers\`, \`uptime\` (as methods that do not exist), \`/ext/health\`, \`/ext/metrics\` (404).
- HTTP/2 in clear text, which nodes speak since v1.13.2. A client that asks for it (\`Upgrade: h2c\`, as Java's does) is answered in HTTP/1.1.
- Headers of the client (credentials, cookies, origin): a node gets the body and its type; an endpoint of a virtual machine unknown here also its content encoding.

\`rpc.discover\` is a method here, wherever something is answered here; a node has no such service.

## Chains and their aliases

- **Aliases of a node** (by its \`admin.aliasChain\`, or its file of aliases, for which AvalancheGo has no paths) are served, too: one node is asked what an unknown name
  stands for (\`info.getBlockchainID\`). A name is kept for a minute, one that nobody has for five seconds. \`admin.getChainAliases\` lists those that were made here.
- **An L1 that the network lists and no node runs** is 404 for every call and, at its \`rpc\`, for a probe by GET, as at a node. What is refused at an L1 that is run is
  refused there as well, without asking a node: a body that is no JSON, another method than POST at \`validators\`, and HTTP at \`ws\`. While no node says which chains
  there are (all are starting) it is 502; for reads also if a node has run it within ten minutes.
- **No alias is half made.** \`admin.aliasChain\` with a name whose path is an alias already (\`bc/x\`, by \`admin.alias\`) changes nothing; a node answers the same error, and
  knows the chain by that name in params all the same. \`admin.alias\` with the whole path of an endpoint as the alias (\`index/P/block\`) is an error; a node answers \`{}\`, and
  the endpoint stays what it was. A whole path as the endpoint (\`bc/C/rpc\`) is served under its alias; a node knows only what stands before the extension.
- **Names as they stand.** \`x/\` and \`../x\` are not \`x\`, the empty one has no path (a node serves it at \`/ext/bc\`), one with a zero byte is refused, and braces are text (a
  node's router takes \`{x}\` for a pattern).
- **Errors of a node** about a call that names a chain by an alias made here have that alias in place of the chain's ID.

## /ext/index and keys

Firn's own index answers \`/ext/index\` where it is complete (\`--index-enabled\`), byte for byte as a node does, with the times at which the node that was read accepted
each container.

- \`X/tx\` is filled with the transactions of the X blocks, while it stays empty on nodes since Cortina. What an old node has there of the time before is not shown then.
- What the next block may change (the last container, one that is not there) it answers at the nodes' tip only. A block that is on its way is waited for up to 2.5 s;
  while the index is older than \`index.maxIndexAgeMs\` nothing is waited for.
- If the index is still behind, a node with an index answers, and what one has told is not denied from here. If nodes have none now (404), because the one that has it
  is starting, say, that is 502.

With the keystore, \`platform.createAddress\` and \`platform.importKey\` are there as before v1.11.2, so that \`platform.exportKey\` has something to export. The recorded v1.12.1
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
