import { ArgumentError, readArguments } from '../gorilla/arguments.ts'
import { MOST_PARAMS } from './call.ts'

/**
 * The argument with this name, read as a node reads it: in any case, and of several the last. Undefined where it is
 * absent or empty, where a node would refuse it, and in params longer than `MOST_PARAMS`.
 */
export function textIn(params: Buffer | undefined, name: string): string | undefined {
  if (params === undefined || params.length > MOST_PARAMS) return undefined
  try {
    return readArguments(params).string(name) || undefined
  } catch (error) {
    if (error instanceof ArgumentError) return undefined
    throw error
  }
}
