import {
  type Caller,
  type Credentials,
  decodeBlobText,
  encodeBlobText,
  type KeystoreUsers,
} from '../../../services/keystore/index.ts'
import type { Arguments } from '../gorilla/arguments.ts'
import type { LocalCall, LocalService } from '../gorilla/local-service.ts'
import { refusing } from './refusals.ts'

export const credentialsOf = (args: Arguments): Credentials => ({
  username: args.string('username'),
  password: args.string('password'),
})

export const callerOf = ({ callerAddress, signal }: LocalCall): Caller => ({ address: callerAddress, signal })

/** keystore.*: only answered here; passwords never reach a node. */
export const createKeystoreService = (users: KeystoreUsers): LocalService => ({
  endpoints: ['keystore'],
  service: 'keystore',
  whole: true,
  private: true,
  methods: {
    createUser: async (args, call) => {
      const credentials = credentialsOf(args)
      await refusing('', () => users.create(credentials, callerOf(call)))
      return {}
    },
    deleteUser: async (args, call) => {
      const credentials = credentialsOf(args)
      await refusing('', () => users.remove(credentials, callerOf(call)))
      return {}
    },
    exportUser: async (args, call) => {
      const credentials = credentialsOf(args)
      const encoding = args.encoding()
      const blob = await refusing('', () => users.export(credentials, callerOf(call)))
      const user = await refusing("couldn't encode user to string: ", async () => encodeBlobText(blob, encoding))
      return { user, encoding }
    },
    importUser: async (args, call) => {
      const credentials = credentialsOf(args)
      const user = args.string('user')
      const encoding = args.encoding()
      const blob = await refusing("couldn't decode 'user' to bytes: ", async () => decodeBlobText(user, encoding))
      await refusing('', () => users.import(credentials, blob, callerOf(call)))
      return {}
    },
    listUsers: async () => ({ users: await users.names() }),
  },
})
