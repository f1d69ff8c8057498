/** Reasons for which a target cannot start, or cannot run an agent. Settings come first: an operator mends them. */
export type ServerFaultCode =
  /** The variable that should hold the token is empty. */
  | 'token_missing'
  /** The server would listen beyond this machine and ask nobody for a token. */
  | 'token_required'
  /** An option has a name that is none, such as a misspelt one, or a value of a wrong kind. */
  | 'option_invalid'
  | 'proxy_invalid'
  /** The setting `basePath` is no path. */
  | 'base_path_invalid'
  /** The setting `openharness.fetch` has an entry that is no host. */
  | 'fetch_invalid'
  /** The setting `store` names no store, or its module opens none. */
  | 'store_invalid'
  /** The data folder belongs to another store. */
  | 'store_mismatch'
  | 'log_level_invalid'
  /** A setting of the services that hear and speak is missing or wrong. */
  | 'voice_invalid'
  /** An entry of `agents` is no agent. */
  | 'agent_invalid'
  /** Two agents have one name. */
  | 'agent_name_taken'
  /** The agent's file is broken or was removed after the run was accepted. */
  | 'agent_unavailable'
  /** The constructor of an engine failed, or its check of what it needs. */
  | 'engine_broken'
  /** A variable of the environment has a value that means nothing. */
  | 'variable_invalid'
  /** An engine could reach a server that asks nobody for a token. */
  | 'engine_unsafe'

/** A fault of a server's setup. The message says what to do and goes to the operator. */
export class ServerFault extends Error {
  readonly code: ServerFaultCode

  constructor(code: ServerFaultCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServerFault'
    this.code = code
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
