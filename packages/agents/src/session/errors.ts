// Errors that an agent can catch. `instanceof` compares the code: an agent may import another copy of the package than the
// server that runs it, and the classes of the two copies are not the same.

/** A person denied the call, or did not answer in time. */
export class ToolDenied extends Error {
  /** The code to match. */
  readonly code = 'tool_denied'
  /** The name of the tool. */
  readonly tool: string
  /** The decision: denied by a person, or expired. */
  readonly decision: 'denied' | 'expired'
  /** The person's own words; null where there are none. */
  readonly reason: string | null

  constructor(tool: string, decision: 'denied' | 'expired', reason: string | null) {
    super(`"${tool}" was ${decision === 'expired' ? 'not approved in time' : 'denied'}${reason ? `: ${reason}` : '.'}`)
    this.name = 'ToolDenied'
    this.tool = tool
    this.decision = decision
    this.reason = reason
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasCode(value, 'tool_denied')
  }
}

/** The tool took longer than its timeout. */
export class ToolTimeout extends Error {
  /** The code to match. */
  readonly code = 'tool_timeout'
  /** The name of the tool. */
  readonly tool: string

  constructor(tool: string, timeoutMs: number) {
    super(`"${tool}" took longer than ${timeoutMs} ms.`)
    this.name = 'ToolTimeout'
    this.tool = tool
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasCode(value, 'tool_timeout')
  }
}

/** The run was cancelled or has ended, and accepts no more events. Also the reason of the run's signal. */
export class RunEndedError extends Error {
  /** The code to match. */
  readonly code = 'run_over'

  constructor(message: string) {
    super(message)
    // Libraries recognize an abort by this name.
    this.name = 'AbortError'
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasCode(value, 'run_over')
  }
}

/** The failure of a tool whose code the log keeps as the reason of the call's outcome. */
export class ToolFault extends Error {
  /** The code to match. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ToolFault'
    this.code = code
  }
}

export const hasCode = (value: unknown, code: string): boolean =>
  value instanceof Error && (value as { readonly code?: unknown }).code === code
