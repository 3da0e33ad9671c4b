import { type Ask, lacksMethod } from '../../../services/node-fallbacks/index.ts'
import type { Arguments } from '../gorilla/arguments.ts'
import { type JsonValue, type LocalMethod, PASS_ON } from '../gorilla/local-service.ts'

/**
 * A fallback composed of other methods. If the node lacks one of those, too, its answer to the requested method is
 * returned: an error about another method would only confuse.
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
