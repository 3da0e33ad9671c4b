import { type Ask, lacksMethod } from '../../../services/node-fallbacks/index.ts'
import type { Arguments } from '../gorilla/arguments.ts'
import { type JsonValue, type LocalMethod, PASS_ON } from '../gorilla/local-service.ts'

/**
 * A fallback that is composed from other methods. When the node lacks one of those, too, its answer to the method that
 * was asked for stands: naming another one would only confuse.
 */
export const composed =
  (compose: (ask: Ask, args: Arguments) => Promise<JsonValue>): LocalMethod =>
  async (args, call) => {
    try {
      return await compose((method, params, endpoint) => call.ask(method, params, endpoint), args)
    } catch (error) {
      if (lacksMethod(error)) return PASS_ON
      throw error
    }
  }
