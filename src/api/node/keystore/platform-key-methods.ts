import { formatBech32Address } from '../../../lib/bytes/bech32-address.ts'
import { type KeySession, newPrivateKey } from '../../../services/keystore/index.ts'
import type { Arguments } from '../gorilla/arguments.ts'
import { type LocalCall, type LocalMethod, MethodError } from '../gorilla/local-service.ts'
import { goQuote } from '../json/go-quote.ts'
import { addressRules, type KeyNetwork } from './key-network.ts'
import { type KeyMethodsDeps, privateKeyOf, readKey, saveKey, using, wiping } from './key-session.ts'
import { callerOf, credentialsOf } from './keystore-methods.ts'
import { refusing } from './refusals.ts'
import { parseServiceAddress } from './service-address.ts'

type PlatformChain = 'P' | 'X'
export type KeyMethodName = 'createAddress' | 'importKey' | 'exportKey' | 'listAddresses'

/** Key methods of P (platform.*) and X (avm.*); the two differ in a few texts and in how they treat a damaged list. */
export function createPlatformKeyMethods(
  chain: PlatformChain,
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
  const formatter = async ({ signal }: LocalCall): Promise<(address: Uint8Array) => string> => {
    const { hrp } = await network.facts(signal)
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
      return wiping(key, () =>
        using(open(args, call), async (session) => ({
          address: (await formatter(call))(await saveKey(session, key)),
        })),
      )
    },
    exportKey: async (args, call) => {
      credentialsOf(args)
      const address = await addressOf(args.string('address'), chain, network, call)
      return using(open(args, call), async (session) => ({ privateKey: (await readKey(session, address)).text }))
    },
    listAddresses: (args, call) =>
      using(open(args, call), async (session) => ({
        addresses: (await listOf(session, chain)).map(await formatter(call)),
      })),
  }
}

/** X treats an unreadable list as empty. */
function listOf(session: KeySession, chain: PlatformChain): Promise<Uint8Array[]> {
  const list = refusing("couldn't get addresses: ", () => session.addresses())
  if (chain === 'P') return list
  return list.catch((error: unknown) => {
    if (error instanceof MethodError) return []
    throw error
  })
}

async function addressOf(
  text: string,
  chain: PlatformChain,
  network: KeyNetwork,
  { signal }: LocalCall,
): Promise<Uint8Array> {
  const rules = await addressRules(network, chain, signal)
  try {
    return parseServiceAddress(text, rules)
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    const prefix = chain === 'P' ? `couldn't parse ${text} to address` : `problem parsing address ${goQuote(text)}`
    throw new MethodError(`${prefix}: ${error.message}`)
  }
}
