import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { BadInputError } from '../../errors.ts'
import { parseBech32Address } from '../../lib/bech32-address.ts'
import { bytesToHex } from '../../lib/ids.ts'

/** Addresses of one call: the GET limit is the hosted service's, the POST exists for more. */
const MAX_ADDRESSES = { GET: 64, POST: 1_024 } as const

/**
 * What readers of the document may send as it is, to any network: prefixes do not count. The first key of the seed phrase of
 * BIP-39's test vectors.
 */
export const ADDRESSES_EXAMPLE = 'P-avax1p9575chzhvcwvmvzaqh7yeld76r3af0ha56phl'

/** Addresses of a GET: `readAddresses` says what they may look like. */
export const AddressesQuerySchema = Type.Optional(
  Type.String({
    description: 'Required. Comma separated, at most 64, with or without chain letter.',
    examples: [ADDRESSES_EXAMPLE],
  }),
)

export const AddressesBodySchema = Type.Object(
  {
    addresses: Type.Union([Type.String(), Type.Array(Type.String())], {
      description: 'Comma separated, with or without chain letter; a list is taken as well.',
    }),
  },
  { title: 'PrimaryNetworkAddressesBodyDto', examples: [{ addresses: ADDRESSES_EXAMPLE }] },
)

/** Addresses of a GET. @param beyond what to do with more than may be in one */
export const queriedAddresses = ({ query }: FastifyRequest, beyond?: string): string[] =>
  readAddresses((query as { addresses?: string }).addresses, MAX_ADDRESSES.GET, beyond)

/** Addresses of a POST. */
export const postedAddresses = ({ body }: FastifyRequest): string[] =>
  readAddresses((body as Static<typeof AddressesBodySchema>).addresses, MAX_ADDRESSES.POST)

/**
 * Addresses as 20 bytes hex, each once. Taken with or without a chain letter and with any HRP (the same key has the same
 * bytes everywhere); blanks and empty entries are ignored. Anything else is refused by name. `beyond` says what to do with
 * more than `maximum`.
 */
export function readAddresses(
  given: string | readonly string[] | undefined,
  maximum: number,
  beyond?: string,
): string[] {
  const written = new Set<string>()
  for (const entry of typeof given === 'string' ? given.split(',') : (given ?? [])) written.add(entry.trim())
  written.delete('')
  if (written.size === 0) throw new BadInputError('addresses is required: one or more addresses, comma separated')
  // To read all of a body's addresses takes a second, in which nobody else is answered.
  if (written.size > FORMS * maximum) throw tooMany(written.size, maximum, beyond)
  const addresses = new Set([...written].map(addressBytes))
  if (addresses.size > maximum) throw tooMany(addresses.size, maximum, beyond)
  return [...addresses]
}

/** Ways in which one address may stand in a list: bare, with the letter of a chain in either case, with its id. */
const FORMS = 8

const tooMany = (count: number, maximum: number, beyond: string | undefined): BadInputError =>
  new BadInputError(`addresses holds ${count} addresses, at most ${maximum} are taken${beyond ? `; ${beyond}` : ''}`)

/** P, X or C, or the blockchain id of one of them. */
const CHAIN_PREFIX = /^([PXC]|[1-9A-HJ-NP-Za-km-z]{30,60})$/i

function addressBytes(text: string): string {
  try {
    const { chain = 'P', bytes } = parseBech32Address(text)
    if (CHAIN_PREFIX.test(chain)) return bytesToHex(bytes)
  } catch {
    // Said below, in the words of the hosted service.
  }
  throw new BadInputError(`Invalid address format: ${text.slice(0, 100)}`)
}
