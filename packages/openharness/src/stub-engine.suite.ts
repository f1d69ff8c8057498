// An engine in memory: it answers with the responses of a script, and keeps the requests.
import type { RequestMessage } from '@bridle/wire/openharness/wire'
import type { DirectiveFeedback, ShellTelemetry } from './feedback.ts'
import type { Shell, ShellOptions } from './options.ts'
import { createShell } from './shell.ts'

/** A successful response with these directives, which may be as wrong as a test wants. */
export const success = (...directives: unknown[]) => ({
  protocol_version: '1.0.0',
  response: { status: 'success', action_directives: directives },
})

export const failure = (error: unknown) => ({ protocol_version: '1.0.0', response: { status: 'error', error } })

export const say = (text: string, more: object = {}) => ({ action_type: 'render_message', payload: { text }, ...more })

/** A question with both answers; the tokens end in the name of the run. */
export const question = (run: string) => ({
  action_type: 'request_approval',
  payload: {
    message: `May ${run} go on?`,
    run_id: run,
    continuation_token: `plain-${run}`,
    options: [
      { id: 'approve', label: 'Approve', continuation_token: `yes-${run}` },
      { id: 'deny', label: 'Deny', continuation_token: `no-${run}` },
    ],
  },
})

export interface StubShell {
  readonly shell: Shell
  readonly requests: RequestMessage[]
  /** Handlers, in the order in which they began. */
  readonly calls: unknown[]
  readonly feedback: DirectiveFeedback[]
  readonly telemetry: ShellTelemetry[]
}

/** A shell on a scripted engine. A response of the script is sent once; the last one is repeated. */
export const stubShell = (responses: readonly unknown[], options: Partial<ShellOptions> = {}): StubShell => {
  const requests: RequestMessage[] = []
  const calls: unknown[] = []
  const feedback: DirectiveFeedback[] = []
  const telemetry: ShellTelemetry[] = []
  const shell = createShell({
    transport: async (request) => {
      requests.push(structuredClone(request))
      return responses[Math.min(requests.length, responses.length) - 1]
    },
    handlers: {
      render_message: ({ text }) => calls.push(text),
      simulate_action: ({ macro }) => calls.push(macro),
      'com.example.ping': (payload) => calls.push(payload),
      request_approval: () => null,
    },
    onFeedback: (each) => feedback.push(each),
    onTelemetry: (each) => telemetry.push(each),
    ...options,
  })
  return { shell, requests, calls, feedback, telemetry }
}

export const outcomes = (feedback: readonly DirectiveFeedback[]) => feedback.map(({ outcome, code }) => [outcome, code])
