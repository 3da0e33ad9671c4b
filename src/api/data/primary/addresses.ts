import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { BadInputError } from '../../../errors.ts'
import { parseBech32Address } from '../../../lib/bytes/bech32-address.ts'
import { bytesToHex } from '../../../lib/bytes/ids.ts'

/** Addresses per call: the GET limit is the hosted service's, the POST exists for more. */
const MAX_ADDRESSES = { GET: 64, POST: 1_024 } as const

/**
 * Readers of the document can send this unchanged, to any network: prefixes are ignored. The first key of the seed
 * phrase of BIP-39's test vectors.
 */
export const ADDRESSES_EXAMPLE = 'P-avax1p9575chzhvcwvmvzaqh7yeld76r3af0ha56phl'

/** Addresses of a GET; `readAddresses` defines their format. */
export const AddressesQuerySchema = Type.Optional(
  Type.String({
    description: 'Required. Comma separated, at most 64, with or without chain letter.',
    examples: [ADDRESSES_EXAMPLE],
  }),
)

export const AddressesBodySchema = Type.Object(
  {
    addresses: Type.Union([Type.String(), Type.Array(Type.String())], {
      description: 'Comma separated, or a list; with or without chain letter.',
    }),
  },
  { title: 'PrimaryNetworkAddressesBodyDto', examples: [{ addresses: ADDRESSES_EXAMPLE }] },
)

/** Addresses of a GET. @param beyond what to do when there are more than allowed */
export const queriedAddresses = ({ query }: FastifyRequest, beyond?: string): string[] =>
  readAddresses((query as { addresses?: string }).addresses, MAX_ADDRESSES.GET, beyond)

/** Addresses of a POST. */
export const postedAddresses = ({ body }: FastifyRequest): string[] =>
  readAddresses((body as Static<typeof AddressesBodySchema>).addresses, MAX_ADDRESSES.POST)

/**
 * Addresses as 20 bytes hex, without duplicates. Accepts any HRP, with or without a chain letter (the same key has the
 * same bytes everywhere); ignores blanks and empty entries. Anything else is refused and named in the error. `beyond`
 * says what to do with more than `maximum`.
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
  // Reading all addresses of a large body takes a second, during which no other request is answered.
  if (written.size > FORMS * maximum) throw tooMany(written.size, maximum, beyond)
  const addresses = new Set([...written].map(addressBytes))
  if (addresses.size > maximum) throw tooMany(addresses.size, maximum, beyond)
  return [...addresses]
}

/** Ways to write one address in a list: bare, with a chain letter in either case, with a blockchain id. */
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
    // Reported below, in the words of the hosted service.
  }
  throw new BadInputError(`Invalid address format: ${text.slice(0, 100)}`)
}
