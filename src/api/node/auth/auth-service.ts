import { AccessTokenError, type AccessTokens } from '../../../services/access-tokens/index.ts'
import { type JsonValue, type LocalService, MethodError } from '../gorilla/local-service.ts'

export interface AuthServiceDeps {
  tokens: AccessTokens
  /** True = the older variant, which answers `{"success":true}` where the newer one answers `{}`. */
  confirms: boolean
}

const asMethodError = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    throw error instanceof AccessTokenError ? new MethodError(error.message) : error
  }
}

/** `/ext/auth`: with the password, callers create tokens, revoke them and change the password. */
export function createAuthService({ tokens, confirms }: AuthServiceDeps): LocalService {
  const done: JsonValue = confirms ? { success: true } : {}
  return {
    endpoints: ['auth'],
    service: 'auth',
    whole: true,
    private: true,
    methods: {
      newToken: async (args, call) => {
        const wish = { password: args.string('password'), endpoints: args.strings('endpoints') }
        return { token: await asMethodError(tokens.newToken(wish, call.callerAddress)) }
      },
      revokeToken: async (args, call) => {
        const wish = { password: args.string('password'), token: args.string('token') }
        await asMethodError(tokens.revokeToken(wish, call.callerAddress))
        return done
      },
      changePassword: async (args, call) => {
        const wish = { oldPassword: args.string('oldPassword'), newPassword: args.string('newPassword') }
        await asMethodError(tokens.changePassword(wish, call.callerAddress))
        return done
      },
    },
  }
}
