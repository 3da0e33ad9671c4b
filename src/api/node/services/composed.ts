import type { Ask } from '../../../services/node-fallbacks/index.ts'
import type { Arguments } from '../gorilla/arguments.ts'
import { type JsonValue, type LocalMethod, MethodError, PASS_ON } from '../gorilla/local-service.ts'

/** A node's text for a method or a service that it does not have. */
const LACKING = /^rpc: can't find (method|service) /

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
      if (error instanceof MethodError && LACKING.test(error.message)) return PASS_ON
      throw error
    }
  }
