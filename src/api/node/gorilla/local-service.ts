import type { Arguments } from './arguments.ts'

/** An error text of a method: sent with JSON-RPC code -32000 and HTTP 200, as the node does. */
export class MethodError extends Error {}

/** JSON text that is copied into the answer unchanged (numbers beyond 2^53, maps with numeric names). */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Returned by a method that does not answer this call: it is then forwarded as if there were no such method. */
export const PASS_ON: unique symbol = Symbol('pass on')

/** 64-bit integers are strings in this dialect, so bigint never occurs; members keep their order. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined }

export type LocalResult = JsonValue | RawJson | typeof PASS_ON

/** What a method may know about the call in addition to its arguments. */
export interface LocalCall {
  /** As called, with its service: `info.peers`. */
  readonly method: string
  /** Canonical name of the endpoint that was called: `info`, `P`, `index/X/block`. */
  readonly endpoint: string
  /** Address of the caller's socket; undefined when it is gone. */
  readonly remoteAddress: string | undefined
  /** The address to which wrong passwords are attributed: behind trusted proxies, that of the client they serve. */
  readonly callerAddress: string | undefined
  /** First value of a request header, name in lower case. */
  header(name: string): string | undefined
  /** Fires when the caller disconnects. */
  readonly signal: AbortSignal
  /**
   * Asks an upstream node; resolves to the JSON text of `result`. `endpoint` is a canonical name, by default the one
   * that was called.
   * @throws MethodError with the node's own text when it answers with an error; FirnError when no node answers.
   */
  ask(method: string, params: JsonValue, endpoint?: string): Promise<string>
}

/** Throws MethodError for an error of the method itself; any other error is a fault of this server. */
export interface LocalMethod {
  (args: Arguments, call: LocalCall): LocalResult | Promise<LocalResult>
  /** False = the method does not exist now, which a node reports before it looks at arguments; left out: it exists. */
  isThere?(): boolean | Promise<boolean>
}

/** Methods of one service that are answered here. */
export interface LocalService {
  /** Canonical names of its endpoints: `admin`, `info`, `P`, `index/P/block`. */
  endpoints: readonly string[]
  /** The part of a method's name before the dot. */
  service: string
  /** By the part after the dot, as called: `getLoggerLevel`. */
  methods: Readonly<Record<string, LocalMethod>>
  /**
   * Methods that are forwarded first and answered here only when the node says that it lacks them (`can't find
   * method`): methods that the newest nodes dropped.
   */
  fallbacks?: Readonly<Record<string, LocalMethod>>
  /** True = calls to these endpoints are never forwarded: unknown methods and unreadable bodies are answered here. */
  whole?: boolean
  /** True = not served on a public deployment (404, like a node with the API disabled). */
  private?: boolean
}
