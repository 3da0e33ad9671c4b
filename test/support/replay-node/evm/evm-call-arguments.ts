import { kindOf, rawMembers } from '../wire/go-json.ts'
import { address, bytesText, type Decoder, inField, quantity, refuse } from './evm-arguments.ts'

/** A number under another name of Go's. */
const named =
  (type: string): Decoder<bigint> =>
  (raw) => {
    try {
      return quantity(raw)
    } catch (error) {
      return refuse((error as Error).message.replace('hexutil.Uint', type))
    }
  }

const big: Decoder<string> = (raw) => {
  if (kindOf(raw) === 'string' && /^"0x[0-9a-fA-F]{17,64}"$/.test(raw)) return raw
  named('*hexutil.Big')(raw)
  return raw
}
const uint64 = named('hexutil.Uint64')

const MEMBERS: ReadonlyMap<string, Decoder<unknown>> = new Map<string, Decoder<unknown>>([
  ['from', address],
  ['to', address],
  ['gas', uint64],
  ['gasPrice', big],
  ['maxFeePerGas', big],
  ['maxPriorityFeePerGas', big],
  ['value', big],
  ['nonce', uint64],
  ['data', bytesText],
  ['input', bytesText],
])

/** The transaction of a call, its members checked in their order. */
export const callObject: Decoder<string> = (raw) => {
  if (raw === 'null') return '{}'
  if (kindOf(raw) !== 'object') {
    return refuse(`json: cannot unmarshal ${kindOf(raw)} into Go value of type ethapi.TransactionArgs`)
  }
  for (const [name, value] of rawMembers(raw)) {
    const decode = MEMBERS.get(name)
    if (decode !== undefined && value !== 'null') inField(`TransactionArgs.${name}`, decode)(value)
  }
  return raw
}

const objectOf =
  (type: string): Decoder<string> =>
  (raw) => {
    if (raw === 'null' || kindOf(raw) === 'object') return raw
    return refuse(`json: cannot unmarshal ${kindOf(raw)} into Go value of type ${type}`)
  }

export const stateOverride = objectOf('ethapi.StateOverride')
export const blockOverrides = objectOf('ethapi.BlockOverrides')
