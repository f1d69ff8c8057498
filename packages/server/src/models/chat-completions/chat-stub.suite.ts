// The words of a server that speaks Chat Completions, for tests.
import type { StubReply } from '@bridle/agents/model/provider-stub.suite'

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

export const chunk = (delta: object, more: object = {}): string =>
  data({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }], ...more })

export const finishChunk = (reason: string): string =>
  data({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })

export const usageChunk = data({
  choices: [],
  usage: {
    prompt_tokens: 100,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 5 },
  },
})

export const DONE = 'data: [DONE]\n\n'

/** A stream as the reply of a stub. */
export const streamed = (body: string, more: Partial<StubReply> = {}): StubReply => ({
  body,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  ...more,
})

/** A whole answer of words. */
export const spoken = (text: string): StubReply =>
  streamed(
    chunk({ role: 'assistant', content: '' }) +
      text
        .split(/(?<= )/)
        .map((content) => chunk({ content }))
        .join('') +
      finishChunk('stop') +
      usageChunk +
      DONE,
  )

/** A whole answer that calls one tool. */
export const called = (name: string, args: object): StubReply =>
  streamed(
    chunk({ tool_calls: [{ index: 0, id: `call-${name}`, function: { name, arguments: JSON.stringify(args) } }] }) +
      finishChunk('tool_calls') +
      usageChunk +
      DONE,
  )
