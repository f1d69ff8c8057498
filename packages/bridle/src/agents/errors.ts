// What a run may meet. `instanceof` goes by `code`: an agent may have been written against another copy of the package
// than the one that runs it, and an error of the one would be a stranger to the other.

/** A person said no, or said nothing in time. */
export class ToolDenied extends Error {
  readonly code = 'tool_denied'
  readonly tool: string
  readonly decision: 'denied' | 'expired'
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

export class ToolTimeout extends Error {
  readonly code = 'tool_timeout'
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

/** The run was cancelled or is over: nothing more can be said. The reason of its signal. */
export class RunEndedError extends Error {
  readonly code = 'run_over'

  constructor(message: string) {
    super(message)
    // The name by which libraries know an abort.
    this.name = 'AbortError'
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasCode(value, 'run_over')
  }
}

const hasCode = (value: unknown, code: string): boolean =>
  value instanceof Error && (value as { readonly code?: unknown }).code === code
