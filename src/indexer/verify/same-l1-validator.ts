import { listOf, textOf, uintOf } from '../../chains/avalanche/node/answers.ts'
import { ask } from '../../chains/avalanche/node/ask.ts'
import { readHeight } from '../../chains/avalanche/node/index.ts'
import { JsonRpcError } from '../../errors.ts'
import { parseBech32Address } from '../../lib/bytes/bech32-address.ts'
import { bytesToHex, formatNodeId, idToCb58 } from '../../lib/bytes/ids.ts'
import { recordOf } from '../../lib/json/json-record.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { pause } from '../../lib/waiting/pause.ts'
import type { IndexReader, SampledL1Validator } from '../../store/index.ts'
import type { OwnerSet } from '../../store/rows/index.ts'
import type { UpstreamPool } from '../../upstream/types.ts'

const METHOD = 'platform.getL1Validator'
/** The index is briefly behind the chain after each block. */
const LOOK_AGAIN_MS = 100

interface Told {
  /** Of the block whose state it is. */
  height: bigint
  text: string
}

const REMOVED = 'removed'

/** What is compared, of one that is there. Balance: what is left of it for the continuous fee, nAVAX. */
function ownText({ validator, balance }: SampledL1Validator): string {
  const { subnetId, nodeId, publicKey, weight, minNonce, startTime } = validator
  if (weight === 0n) return REMOVED
  return line(`${idToCb58(subnetId)} by ${formatNodeId(nodeId)} with key ${publicKey}`, {
    ...{ weight, balance, minNonce, startTime },
    rest: ownersLine(validator.remainingBalanceOwner),
    disabledBy: ownersLine(validator.deactivationOwner),
  })
}

interface Compared extends Record<'weight' | 'balance' | 'minNonce' | 'startTime', bigint> {
  rest: string
  disabledBy: string
}

const line = (place: string, { weight, balance, minNonce, startTime, rest, disabledBy }: Compared): string =>
  `weight ${weight}, balance ${balance} nAVAX, nonce ${minNonce}, since ${startTime}, of ${place}, ` +
  `what is left goes to ${rest}, disabled by ${disabledBy}`

/** Addresses in hex and sorted, so that neither their prefix nor their order matters. */
const ownersLine = ({ threshold, locktime, addresses }: OwnerSet): string =>
  `${threshold} of ${[...addresses].sort().join('+') || 'nobody'} from ${locktime} on`

/** Owners as a node writes them. @throws BadAnswerError, BadInputError */
function toldOwners(value: unknown, member: string): string {
  const what = `${METHOD}: ${member}`
  const told = recordOf(value, what)
  return ownersLine({
    threshold: Number(uintOf(told['threshold'], `${what}.threshold`)),
    locktime: uintOf(told['locktime'], `${what}.locktime`),
    addresses: listOf(told['addresses'], `${what}.addresses`).map((one) =>
      bytesToHex(parseBech32Address(textOf(one, `${what}.addresses`)).bytes),
    ),
  })
}

/** `removed` if the node knows no such validator: the answer is of its last block, and so is the refusal. */
async function atNode(pool: UpstreamPool, validationId: string, signal: AbortSignal): Promise<Told> {
  const call = { signal, sameServer: {} }
  try {
    const told = recordOf(await ask(pool, '/ext/bc/P', METHOD, { validationID: idToCb58(validationId) }, call), METHOD)
    const uint = (member: string): bigint => uintOf(told[member], `${METHOD}: ${member}`)
    const word = (member: string): string => textOf(told[member], `${METHOD}: ${member}`)
    const place = `${word('subnetID')} by ${word('nodeID')} with key ${word('publicKey').replace(/^0x/, '')}`
    const text = line(place, {
      ...{ weight: uint('weight'), balance: uint('balance'), minNonce: uint('minNonce'), startTime: uint('startTime') },
      rest: toldOwners(told['remainingBalanceOwner'], 'remainingBalanceOwner'),
      disabledBy: toldOwners(told['deactivationOwner'], 'deactivationOwner'),
    })
    return { height: uint('height'), text }
  } catch (error) {
    if (!(error instanceof JsonRpcError) || !/validator .*not found/.test(error.message)) throw error
    return { height: await readHeight(pool, 'P', call), text: REMOVED }
  }
}

/**
 * Compares the first L1 validator at or after `from` (32 bytes, hex), removed ones included, once index and node stand
 * at the same block.
 *
 * @param patienceMs time to wait for that
 * @returns the differences, as text; undefined if there are no L1 validators, `unsettled` if they never stood there
 */
export async function compareL1Validator(
  { reader, pool, name }: { reader: IndexReader; pool: UpstreamPool; name: string },
  from: string,
  patienceMs: number,
  signal: AbortSignal,
): Promise<string[] | 'unsettled' | undefined> {
  const end = steadyNow() + patienceMs
  let isLacked = false
  for (;;) {
    const own = await reader.samples.l1ValidatorFrom(name, from)
    if (own === undefined) return undefined
    const { validationId } = own.validator
    const theirs = await atNode(pool, validationId, signal)
    if (theirs.height === own.height) {
      const said = theirs.text === REMOVED ? 'does not have it' : `has ${theirs.text}`
      const text = ownText(own)
      if (text === theirs.text) return []
      const difference = `${name}: L1 validator ${validationId} at block ${own.height}: ${text}, the node ${said}`
      // A block may have come between a node's refusal and its height: it has to refuse twice.
      if (theirs.text !== REMOVED || isLacked) return [difference]
      isLacked = true
    } else if (steadyNow() >= end) return 'unsettled'
    await pause(LOOK_AGAIN_MS, signal)
    signal.throwIfAborted()
  }
}
