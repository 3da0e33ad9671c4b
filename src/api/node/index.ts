/**
 * `/ext/*`: the APIs of a node. What a node would answer is forwarded byte for byte to one of several; what makes no
 * sense through a pool (auth, admin, keystore, health) is answered here in the same dialect.
 */
export { ArgumentError, type Arguments, type Encoding } from './gorilla/arguments.ts'
export {
  type JsonValue,
  type LocalCall,
  type LocalMethod,
  type LocalResult,
  type LocalService,
  MethodError,
  PASS_ON,
  RawJson,
} from './gorilla/local-service.ts'
export { createMethodTable, type MethodTable } from './methods/method-table.ts'
