// The answer of a run that is tried, folded from the events of its session.
import type { AgentEvent } from 'bridle/client'

export interface RunAnswer {
  readonly phase: 'running' | 'waiting' | 'done' | 'failed' | 'cancelled'
  readonly text: string
  /** Undefined until the run has ended. */
  readonly result: unknown
  readonly tools: readonly { readonly id: string; readonly name: string; readonly status: 'running' | 'ok' | 'error' }[]
  readonly error: string
}

export const emptyAnswer: RunAnswer = { phase: 'running', text: '', result: undefined, tools: [], error: '' }

export const isOver = ({ phase }: RunAnswer): boolean => phase !== 'running' && phase !== 'waiting'

export const foldAnswer = (answer: RunAnswer, { type, data }: AgentEvent): RunAnswer => {
  switch (type) {
    case 'reset':
      return emptyAnswer
    case 'text_delta':
      return { ...answer, text: answer.text + data.delta }
    case 'text_superseded':
      return { ...answer, text: answer.text.slice(0, data.chars) }
    case 'tool_start':
      return { ...answer, tools: [...answer.tools, { id: data.toolCallId, name: data.toolName, status: 'running' }] }
    case 'tool_end':
      return {
        ...answer,
        tools: answer.tools.map((tool) =>
          tool.id === data.toolCallId ? { ...tool, status: data.isError ? 'error' : 'ok' } : tool,
        ),
      }
    case 'approval_requested':
      return { ...answer, phase: 'waiting' }
    case 'approval_resolved':
      return { ...answer, phase: 'running' }
    case 'result':
      return { ...answer, phase: 'done', result: data.result }
    case 'error':
      return { ...answer, phase: 'failed', error: data.message }
    case 'cancelled':
      return { ...answer, phase: 'cancelled' }
    default:
      return answer
  }
}
