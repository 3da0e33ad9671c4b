import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { STAKE_BODY } from '../../src/api/balance/index.ts'
import { createRequestSchemas, EvmItemSchema } from '../../src/api/balance/request-schema.ts'
import { createStakeSchemas } from '../../src/api/balance/stake-rewards.ts'
import { MAX_BODY_BYTES } from '../../src/api/data/index.ts'
import { MAX_BATCH_RESULTS } from '../../src/api/node/evm/batch/result-room.ts'
import { MAX_BATCH } from '../../src/api/node/evm/batch/split-batch.ts'
import { MAX_KEPT_PARAMS, MAX_MISSED_BLOCKS } from '../../src/api/node/evm/filter/filter-moves.ts'
import { FILTER_IDLE_MS, MAX_FILTERS } from '../../src/api/node/evm/filter/filter-table.ts'
import { EVM_BODY_LIMIT } from '../../src/api/node/evm/http-checks.ts'
import { SOCKET_LIMITS } from '../../src/api/node/evm/ws/limits.ts'
import { MOST_SENT } from '../../src/api/node/evm/ws/subscriptions/recently-sent.ts'
import { MAX_HEADER_BYTES } from '../../src/api/node/front-door.ts'
import { MOST_MEMBERS } from '../../src/api/node/json/many-members.ts'
import { LARGE_AT_ONCE } from '../../src/api/node/services/container-index.ts'
import { ABSENT_AGAIN_MS } from '../../src/chains/avalanche/assets.ts'
import { MAX_BLOCKS } from '../../src/chains/avalanche/balances/named-by-blocks.ts'
import { DUST_THRESHOLD } from '../../src/chains/avalanche/balances/pvm-classes.ts'
import { MOST_RENEWING } from '../../src/chains/avalanche/balances/restaked-rewards.ts'
import { MAX_ATTEMPTS } from '../../src/chains/avalanche/balances/settled-read.ts'
import { MAX_COMPARED } from '../../src/chains/avalanche/balances/stake-search.ts'
import { MAX_END } from '../../src/chains/avalanche/keys/derived-addresses.ts'
import { PATIENCE_MS } from '../../src/chains/avalanche/keys/earlier-use.ts'
import { MAX_STAKE_ADDRESSES } from '../../src/chains/avalanche/node/stake.ts'
import { MAX_UTXO_ADDRESSES, MAX_UTXO_PAGES } from '../../src/chains/avalanche/node/utxos.ts'
import { BITCOIN_LAG_BLOCKS } from '../../src/chains/bitcoin/limits.ts'
import { EVM_LAG_MS, evmLimits } from '../../src/chains/evm/limits.ts'
import { PLAIN_MS } from '../../src/chains/evm/read/multicall-traits.ts'
import { BURNS_FOR_ALL } from '../../src/chains/evm/sweep/unreadable-tokens.ts'
import { MOST_VOUCHED } from '../../src/chains/evm/tokens/found-tokens.ts'
import { solanaLimits } from '../../src/chains/solana/limits.ts'
import { SOLANA_LAG_SLOTS } from '../../src/chains/solana/pool.ts'
import { SAME_MOMENT } from '../../src/chains/solana/slotted.ts'
import { MOST_AGAIN } from '../../src/chains/solana/wallets.ts'
import { createConfig } from '../../src/config/index.ts'
import { SMALLEST_SPLIT } from '../../src/services/balances/split-watch.ts'
import { MAX_ADDRESSES } from '../../src/services/keystore/chain-keys.ts'
import { ATTEMPTS, CHECKS } from '../../src/services/keystore/index.ts'
import { MAX_KEY_BYTES } from '../../src/services/keystore/user-blob.ts'
import { MAX_BYTES as MAX_NAME_BYTES } from '../../src/services/keystore/users.ts'
import { MAX_DERIVED } from '../../src/services/stake-rewards/index.ts'
import { placesOfOne } from '../../src/store/connection/fair-semaphore.ts'
import { PATIENT_CONNECTIONS } from '../../src/store/connection/server-pool.ts'
import { MAX_WAITING, READ_CONNECTIONS, STATEMENT_TIMEOUT_MS } from '../../src/store/store.ts'
import { MOST_CHANGED_IDS, TOKENS_PER_TURN } from '../../src/store/write/evm/changed-nfts.ts'
import { LEASE_TIMES } from '../../src/store/write/leader/leader-lease.ts'
import { SAFE_FETCH_LIMITS } from '../../src/upstream/safe-fetch/safe-fetch.ts'
import { MAX_BYTES as MAX_METADATA_BYTES } from '../../src/wiring/indexed/nft-metadata.ts'

/*
 * Tests of limits use smaller ones than those in force, which only the manuals tell. Whoever changes one of them changes a
 * promise.
 */
const MINUTE = 60_000
const WORDS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven']

const count = (value: number): string => value.toLocaleString('en')
const word = (value: number): string => WORDS[value] ?? count(value)
const kib = (bytes: number): string => `${count(bytes / 1_024)} KiB`
const mib = (bytes: number): string => `${count(bytes / 1_048_576)} MiB`

const { market } = createConfig()
const { BodySchema, XpItemSchema } = createRequestSchemas(['avax'])
const { addresses, references } = EvmItemSchema.properties
const ofWallet = XpItemSchema.properties.addressDetails.items.properties.addresses
const ofRewards = createStakeSchemas(['avax']).AddressesSchema.properties.addresses

/** What a page says, with the numbers of the code. */
const SAID: Record<string, string[]> = {
  security: [
    `${word(SAFE_FETCH_LIMITS.maxRedirects)} redirects, ${mib(MAX_METADATA_BYTES)}, ${SAFE_FETCH_LIMITS.timeoutMs / 1_000} seconds`,
    `| Headers and target of a request | fixed | ${kib(MAX_HEADER_BYTES)} |`,
    `indexed API at most ${mib(MAX_BODY_BYTES)}, \`get-rewards\` ${kib(STAKE_BODY)} |`,
    `| Body under \`/ext\` | \`node.bodyLimitBytes\` | 25 MiB; EVM ${mib(EVM_BODY_LIMIT)} |`,
    `| Members of all objects of a body under \`/ext\` | fixed | ${count(MOST_MEMBERS)} |`,
    `| Entries of an EVM batch | fixed | ${count(MAX_BATCH)} |`,
    `| Results of an EVM batch | fixed | ${MAX_BATCH_RESULTS / 1_000_000} MB |`,
    `| Subscriptions that one WebSocket begins | fixed | ${count(SOCKET_LIMITS.maxSubscriptions)} at any pace, then ${SOCKET_LIMITS.subscriptionsPerSecond} a second; the connection to the node is kept for ${SOCKET_LIMITS.idleLinkMs / 1_000} s without any |`,
    `| WebSockets, subscriptions, messages | fixed | ${count(SOCKET_LIMITS.maxSockets)}; ${count(SOCKET_LIMITS.maxSubscriptions)} of a client; ${mib(SOCKET_LIMITS.maxMessageBytes)} |`,
    `| Messages of WebSockets that are held at a time, together | fixed | ${mib(SOCKET_LIMITS.maxHeldBytes)} |`,
    `so that the loss of a node repeats none | fixed | ${count(MOST_SENT)} of all its subscriptions | what was told before the last ${count(MOST_SENT / 2)} may come again |`,
    `| Parameters of one WebSocket's subscriptions | fixed | ${mib(SOCKET_LIMITS.maxSubscriptionBytes)} |`,
    `| What waits to be read by all WebSocket clients, together | fixed | ${mib(SOCKET_LIMITS.maxUnreadBytes)} |`,
    `| WebSocket clients that do not read or answer | fixed | ${SOCKET_LIMITS.stallMs / 1_000} s |`,
    `| Filters | fixed | ${count(MAX_FILTERS)}, ${word(FILTER_IDLE_MS / MINUTE)} idle minutes; ${count(MAX_KEPT_PARAMS)} characters of parameters and ${count(MAX_MISSED_BLOCKS)} missed blocks, to go on at another node |`,
    `| Reads that wait for the database | fixed | ${count(MAX_WAITING)}, each for ${STATEMENT_TIMEOUT_MS / 1_000} s; of outputs, balances, activity, stake rewards, ranges of containers and tokens that an owner had of one client address half of them, and ${placesOfOne(READ_CONNECTIONS)} of the ${READ_CONNECTIONS} connections |`,
    `of more than 4 MiB | fixed | ${word(LARGE_AT_ONCE.running)} at a time, ${LARGE_AT_ONCE.waiting} waiting; 64 MiB each |`,
    `in ranges of several, that a commit queues | fixed | ${count(Number(MOST_CHANGED_IDS))} | the widest ranges have their turns later, ${TOKENS_PER_TURN} tokens of each collection at a time |`,
    `| Passwords checked at once | fixed | ${CHECKS.running}, ${CHECKS.waiting} waiting |`,
  ],
  keystore: [
    `| Password checks at once (argon2id, 64 MiB each) | ${CHECKS.running} |`,
    `| Callers that wait for one | ${CHECKS.waiting}, then 503`,
    `| Wrong passwords of one address (IPv6: of one /64) | ${count(ATTEMPTS.burst)}, then one a second:`,
    `| Key of an imported entry | ${count(MAX_KEY_BYTES)} bytes`,
    `names and passwords up to ${count(MAX_NAME_BYTES)} bytes`,
    `${count(MAX_ADDRESSES)} addresses a user on P and on X`,
  ],
  balances: [
    `unstaked outputs below ${Number(DUST_THRESHOLD) / 1e9} AVAX`,
    `${BodySchema.properties.data.maxItems} entries, each of ${addresses.maxItems} addresses, wallets or extended keys and ${references.maxItems} EVM chains; ${count(Number(ofWallet.maxItems))} addresses in a wallet`,
    `${ofRewards.maxItems} addresses, or one extended key`,
    `it is asked again after ${word(ABSENT_AGAIN_MS / 1_000)} seconds.`,
    `own outputs of up to ${count(MAX_UTXO_ADDRESSES)} addresses take one call`,
    `more than ${count(MAX_UTXO_ADDRESSES)} addresses, more than ${count(MAX_STAKE_ADDRESSES)} on P`,
    `the blocks in between (${MAX_BLOCKS} at most)`,
    `everything is read again, ${word(MAX_ATTEMPTS)} times at most`,
    `unless this happens to more than ${word(MOST_AGAIN)} owners of a read`,
    `answers of several servers are more than ${word(Number(SAME_MOMENT))} slots apart`,
    `does not answer within ${PATIENCE_MS === 1_000 ? 'a second' : ''}, from the next reading on`,
    `| addresses of an extended key | ${count(MAX_END)} in a branch (\`get-rewards\`: ${count(MAX_DERIVED)} in both branches together) |`,
    `| outputs of ${count(MAX_UTXO_ADDRESSES)} addresses on X, P or in shared memory | ${count(MAX_UTXO_PAGES * MAX_UTXO_ADDRESSES)} (${MAX_UTXO_PAGES} pages of a node) |`,
    `outputs together are compared with at most ${count(MAX_COMPARED)} stakes`,
    `With more than ${count(MOST_RENEWING)} self-renewing validators`,
    `More than ${word(BITCOIN_LAG_BLOCKS)} block is a lag there`,
    `more than ${word(EVM_LAG_MS / 1_000)} seconds of blocks (${word(evmLimits.lagBlocks)} blocks at least; on Solana ${SOLANA_LAG_SLOTS} slots)`,
    `\`market.prices.splitSettleMs\` (${market.prices.splitSettleMs / MINUTE} minutes) after a jump of over ${SMALLEST_SPLIT * 100} %`,
    `They are read again after ${word(solanaLimits.uiMultiplierMs / 1_000)} seconds`,
    `from the chain, where they are read again after ${solanaLimits.textMs === 24 * 60 * MINUTE ? 'a day' : ''}, or after ${word(solanaLimits.missingTextMs / MINUTE)} minutes if there was none`,
    `the supply is read again after ${solanaLimits.mintableMs / MINUTE} minutes, or at once`,
    `A supply of more than 1 is read again after ${solanaLimits.supplyMs === 60 * MINUTE ? 'an hour' : ''}.`,
    `| token accounts of a Solana owner | ${count(solanaLimits.maxTokenAccounts)} for each token program |`,
    `Firn reads ${count(evmLimits.discoveredTokens)} for one owner and ${count(evmLimits.discoveredPerRead)} for all owners`,
    `up to ${count(MOST_VOUCHED)} tokens with a fixed verdict of trust (\`market.verdictFile\`)`,
    `with the gas of the common call | a read asks ${evmLimits.patientTokens} of them again`,
    `skipped for ${evmLimits.firstUnreadableMs / 1_000} seconds (a server may not have a new token yet), and the next time for ${word(evmLimits.unreadableMs / MINUTE)} minutes`,
    `with the gas of the common call | a read asks ${word(evmLimits.patientNames)} of them again`,
    `burns all gas for ${word(BURNS_FOR_ALL)} accounts`,
    `it is skipped for ${word(evmLimits.unreadableMs / MINUTE)} minutes`,
    `tokens that had none are asked again after ${PLAIN_MS === 60 * MINUTE ? 'an hour' : ''}.`,
    `one within the last ${evmLimits.multiplierMs === 60 * MINUTE ? 'hour' : ''} and no longer claims the interface`,
  ],
  deployment: [
    `up to ${READ_CONNECTIONS + PATIENT_CONNECTIONS + 1}: ${READ_CONNECTIONS} for reads, ${PATIENT_CONNECTIONS} for commits, 1 for the lead. A process with \`--mode api\` opens up to ${READ_CONNECTIONS + 1}.`,
    `a row that the leader renews every ${LEASE_TIMES.renewal / 1_000} seconds. After ${word(LEASE_TIMES.life / 1_000)} seconds without renewal another indexer may take it`,
  ],
}

it('numbers in the manuals are those of the code', () => {
  const wrong = Object.entries(SAID).flatMap(([page, sentences]) => {
    const text = readFileSync(`docs/${page}.md`, 'utf8').replace(/\s+/g, ' ')
    return sentences.filter((sentence) => !text.includes(sentence)).map((sentence) => `${page}: ${sentence}`)
  })
  expect(wrong).toEqual([])
})
