import { composeBlockchains, composePlatformBalance } from '../../../services/node-fallbacks/index.ts'
import type { LocalService } from '../gorilla/local-service.ts'

/** platform.*: forwarded; what new nodes dropped is composed from what they still answer. */
export const createPlatformService = (now: () => number = Date.now): LocalService => ({
  endpoints: ['P'],
  service: 'platform',
  methods: {},
  fallbacks: {
    getBalance: (args, call) => {
      const addresses = args.strings('addresses')
      return composePlatformBalance(
        (method, params, endpoint) => call.ask(method, params, endpoint),
        addresses,
        BigInt(Math.floor(now() / 1_000)),
      )
    },
    getBlockchains: async (_args, call) => {
      const { blockchains } = await composeBlockchains((method, params, endpoint) => call.ask(method, params, endpoint))
      return { blockchains: blockchains.map((chain) => ({ ...chain })) }
    },
  },
})
