/** Reasons why a server cannot start or run an agent. Configuration errors come first, because operators can fix them. */
export type ServerFaultCode =
  | 'token_missing'
  /** A non-loopback host without a token. */
  | 'token_required'
  /** Unknown option name, or a value of the wrong type. */
  | 'option_invalid'
  | 'proxy_invalid'
  | 'base_path_invalid'
  /** `openharness.fetch` contains an entry that is not a host. */
  | 'fetch_invalid'
  /** Unknown `store`, or its module provides none. */
  | 'store_invalid'
  /** The data folder was created by another store. */
  | 'store_mismatch'
  | 'log_level_invalid'
  | 'voice_invalid'
  | 'agent_invalid'
  | 'agent_name_taken'
  | 'agent_unavailable'
  /** The engine's constructor or its prerequisite check failed. */
  | 'engine_broken'
  | 'variable_invalid'
  /** An engine could reach this server without a token. */
  | 'engine_unsafe'

/** Invalid server setup. The message is for the operator and includes the fix. */
export class ServerFault extends Error {
  readonly code: ServerFaultCode

  constructor(code: ServerFaultCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServerFault'
    this.code = code
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
