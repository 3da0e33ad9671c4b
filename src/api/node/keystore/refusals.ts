import { KeystoreError, WrongPasswordError } from '../../../services/keystore/index.ts'
import { MethodError } from '../gorilla/local-service.ts'
import { goQuote } from '../json/go-quote.ts'

const textOf = (error: KeystoreError): string =>
  error instanceof WrongPasswordError ? `${error.message}: user ${goQuote(error.username)}` : error.message

/** Runs keystore work and turns its refusals into a method's error; `prefix` precedes the text. */
export async function refusing<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof KeystoreError ? new MethodError(prefix + textOf(error)) : error
  }
}
