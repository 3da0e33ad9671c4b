import { formatBech32Address } from '../../../lib/bech32-address.ts'
import {
  type ChainKeys,
  formatPrivateKey,
  type KeySession,
  newPrivateKey,
  parsePrivateKey,
} from '../../../services/keystore/index.ts'
import { ArgumentError, type Arguments } from '../gorilla/arguments.ts'
import { type LocalCall, type LocalMethod, MethodError } from '../gorilla/local-service.ts'
import { goQuote } from '../json/go-quote.ts'
import { checksumAddress, parseEthereumAddress } from './ethereum-address.ts'
import { addressRules, type KeyNetwork } from './key-network.ts'
import { callerOf, credentialsOf } from './keystore-methods.ts'
import { refusing } from './refusals.ts'
import { parseServiceAddress } from './service-address.ts'

export interface KeyMethodsDeps {
  keys: ChainKeys
  network: KeyNetwork
}

export type KeyMethodName = 'createAddress' | 'importKey' | 'exportKey' | 'listAddresses'

/** `privateKey` as given: the node looks at the JSON text itself, so escapes in it are not resolved. */
function privateKeyOf(args: Arguments): Uint8Array | undefined {
  const raw = args.raw('privateKey')
  if (raw === undefined) return undefined
  try {
    return parsePrivateKey(raw.slice(1, -1))
  } catch {
    throw new ArgumentError()
  }
}

const missingKey = (): MethodError => new MethodError("argument 'privateKey' not given")

/** Works with a user's keys and forgets what decrypts them, whatever happens. */
async function using<T>(session: Promise<KeySession>, work: (session: KeySession) => Promise<T>): Promise<T> {
  const opened = await session
  try {
    return await work(opened)
  } finally {
    opened.close()
  }
}

/** The key as text; its bytes are overwritten. */
function shown(key: Uint8Array): { text: string; hex: string } {
  const both = { text: formatPrivateKey(key), hex: `0x${Buffer.from(key).toString('hex')}` }
  key.fill(0)
  return both
}

/** A key that somebody gave: overwritten when the work is done, also when nobody may sign in. */
async function wiping<T>(key: Uint8Array, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    key.fill(0)
  }
}

/** Key methods of P (platform.*) and X (avm.*); the two differ in a few texts and in what a damaged list means. */
export function createPlatformKeyMethods(
  chain: 'P' | 'X',
  { keys, network }: KeyMethodsDeps,
): Record<KeyMethodName, LocalMethod> {
  const open = async (args: Arguments, call: LocalCall): Promise<KeySession> => {
    const credentials = credentialsOf(args)
    const { blockchainIds } = await network.facts(call.signal)
    const place = { blockchainId: blockchainIds[chain], form: 'short' } as const
    return refusing(`problem retrieving user ${goQuote(credentials.username)}: `, () =>
      keys.open(place, credentials, callerOf(call)),
    )
  }
  const formatter = async (call: LocalCall): Promise<(address: Uint8Array) => string> => {
    const { hrp } = await network.facts(call.signal)
    return (address) => formatBech32Address(address, hrp, chain)
  }
  return {
    createAddress: (args, call) =>
      using(open(args, call), async (session) => {
        const key = newPrivateKey()
        const address = await wiping(key, () => refusing('', () => session.put(key)))
        return { address: (await formatter(call))(address) }
      }),
    importKey: (args, call) => {
      credentialsOf(args)
      const key = privateKeyOf(args)
      if (key === undefined) throw missingKey()
      return wiping(key, () =>
        using(open(args, call), async (session) => {
          const address = await refusing('problem saving key ', () => session.put(key))
          return { address: (await formatter(call))(address) }
        }),
      )
    },
    exportKey: async (args, call) => {
      credentialsOf(args)
      const address = await parsed(args.string('address'), chain, network, call)
      return using(open(args, call), async (session) => {
        const key = await refusing('problem retrieving private key: ', () => session.privateKey(address))
        return { privateKey: shown(key).text }
      })
    },
    listAddresses: (args, call) =>
      using(open(args, call), async (session) => {
        const list = refusing("couldn't get addresses: ", () => session.addresses())
        const addresses = await (chain === 'P' ? list : list.catch(unreadableIsEmpty))
        return { addresses: addresses.map(await formatter(call)) }
      }),
  }
}

/** X takes a list that it cannot read for an empty one. */
function unreadableIsEmpty(error: unknown): Uint8Array[] {
  if (error instanceof MethodError) return []
  throw error
}

async function parsed(text: string, chain: 'P' | 'X', network: KeyNetwork, call: LocalCall): Promise<Uint8Array> {
  const rules = await addressRules(network, chain, call.signal)
  try {
    return parseServiceAddress(text, rules)
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    const prefix = chain === 'P' ? `couldn't parse ${text} to address` : `problem parsing address ${goQuote(text)}`
    throw new MethodError(`${prefix}: ${error.message}`)
  }
}

/** Key methods of C (avax.*): the same keys under Ethereum addresses, with texts of their own. */
export function createAtomicKeyMethods({
  keys,
  network,
}: KeyMethodsDeps): Record<'importKey' | 'exportKey', LocalMethod> {
  const open = async (args: Arguments, call: LocalCall, prefix: (username: string) => string): Promise<KeySession> => {
    const credentials = credentialsOf(args)
    const { blockchainIds } = await network.facts(call.signal)
    const place = { blockchainId: blockchainIds.C, form: 'ethereum' } as const
    return refusing(prefix(credentials.username), () => keys.open(place, credentials, callerOf(call)))
  }
  return {
    importKey: (args, call) => {
      credentialsOf(args)
      const key = privateKeyOf(args)
      if (key === undefined) throw missingKey()
      const session = () => open(args, call, () => 'problem retrieving data: ')
      return wiping(key, () =>
        using(session(), async (opened) => {
          const address = await refusing('problem saving key ', () => opened.put(key))
          return { address: checksumAddress(address) }
        }),
      )
    },
    exportKey: (args, call) => {
      credentialsOf(args)
      const text = args.string('address')
      const address = parseEthereumAddress(text)
      if (address === undefined) throw new MethodError(`couldn't parse ${text} to address: invalid hex address`)
      return using(
        open(args, call, (username) => `problem retrieving user '${username}': `),
        async (session) => {
          const key = await refusing('problem retrieving private key: ', () => session.privateKey(address))
          const { text: privateKey, hex: privateKeyHex } = shown(key)
          return { privateKey, privateKeyHex }
        },
      )
    },
  }
}
