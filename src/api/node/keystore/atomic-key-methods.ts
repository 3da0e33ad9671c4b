import type { KeySession } from '../../../services/keystore/index.ts'
import type { Arguments } from '../gorilla/arguments.ts'
import { type LocalCall, type LocalMethod, MethodError } from '../gorilla/local-service.ts'
import { checksumAddress, parseEthereumAddress } from './ethereum-address.ts'
import { type KeyMethodsDeps, privateKeyOf, readKey, saveKey, using, wiping } from './key-session.ts'
import { callerOf, credentialsOf } from './keystore-methods.ts'
import { refusing } from './refusals.ts'

/** Key methods of C (avax.*): keys under Ethereum addresses, with their own error texts. */
export function createAtomicKeyMethods({
  keys,
  network,
}: KeyMethodsDeps): Record<'importKey' | 'exportKey', LocalMethod> {
  const open = async (args: Arguments, call: LocalCall, prefix: string): Promise<KeySession> => {
    const { blockchainIds } = await network.facts(call.signal)
    const place = { blockchainId: blockchainIds.C, form: 'ethereum' } as const
    return refusing(prefix, () => keys.open(place, credentialsOf(args), callerOf(call)))
  }
  return {
    importKey: (args, call) => {
      credentialsOf(args)
      const key = privateKeyOf(args)
      return wiping(key, () =>
        using(open(args, call, 'problem retrieving data: '), async (session) => ({
          address: checksumAddress(await saveKey(session, key)),
        })),
      )
    },
    exportKey: (args, call) => {
      const { username } = credentialsOf(args)
      const text = args.string('address')
      const address = parseEthereumAddress(text)
      if (address === undefined) throw new MethodError(`couldn't parse ${text} to address: invalid hex address`)
      return using(open(args, call, `problem retrieving user '${username}': `), async (session) => {
        const { text: privateKey, hex: privateKeyHex } = await readKey(session, address)
        return { privateKey, privateKeyHex }
      })
    },
  }
}
