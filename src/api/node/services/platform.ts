import { composeBlockchains, composePlatformBalance } from '../../../services/node-fallbacks/index.ts'
import type { LocalService } from '../gorilla/local-service.ts'
import { composed } from './composed.ts'

/**
 * platform.*: forwarded; what new nodes dropped is composed from the methods that they still have.
 * @param now unix milliseconds
 */
export const createPlatformService = (now: () => number = Date.now): LocalService => ({
  endpoints: ['P'],
  service: 'platform',
  methods: {},
  fallbacks: {
    getBalance: composed((ask, args) =>
      composePlatformBalance(ask, args.strings('addresses'), BigInt(Math.floor(now() / 1_000))),
    ),
    getBlockchains: composed(async (ask) => ({
      blockchains: (await composeBlockchains(ask)).map((chain) => ({ ...chain })),
    })),
  },
})
