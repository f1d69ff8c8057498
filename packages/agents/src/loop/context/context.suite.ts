// Shared by the tests of long conversations: a model with a small window that counts its tokens, answers from what it sees, and writes
// summaries that keep what it was told to keep.
import * as v from 'valibot'
import type { AgentDefinition } from '../../agent.ts'
import { agent } from '../../agent.ts'
import type { LanguageModel, ModelMessage } from '../../model/model.ts'
import type { ModelAgentOptions } from '../../model-agent.ts'
import type { StandardSchema } from '../../schemas/standard-schema.ts'
import { tool } from '../../tools/tool.ts'
import { type Answering, type Reply, stubModel } from '../loop.suite.ts'

export const WINDOW = 4_000

/** As many tokens as our own estimate has. */
export const tokensIn = (prompt: readonly ModelMessage[]): number => Math.ceil(JSON.stringify(prompt).length / 4)

export const textsIn = (prompt: readonly ModelMessage[]): string =>
  prompt
    .map((message) => (typeof message.content === 'string' ? message.content : JSON.stringify(message.content)))
    .join('\n')

export const isSummaryRequest = (prompt: readonly ModelMessage[]): boolean =>
  prompt[0]?.role === 'system' && prompt[0].content.startsWith('You write the summary')

/** Facts that the user said to keep: `KEEP(…)`. */
export const factsIn = (prompt: readonly ModelMessage[]): string[] => [
  ...new Set([...textsIn(prompt).matchAll(/KEEP\((\w+)\)/g)].map(([, fact = '']) => fact)),
]

const answersSincePrompt = (prompt: readonly ModelMessage[]): number =>
  prompt.slice(prompt.findLastIndex(({ role }) => role === 'user')).filter(({ role }) => role === 'assistant').length

/** Reads two long files in each turn, and then says which facts it knows. */
export const readerOf =
  (reads = 2): Answering =>
  (prompt) => {
    const tokens = tokensIn(prompt)
    if (isSummaryRequest(prompt))
      return {
        tokens,
        text: `## Goal\nRead.\n## Constraints\n${factsIn(prompt)
          .map((fact) => `KEEP(${fact})`)
          .join('\n')}`,
      }
    const n = answersSincePrompt(prompt)
    if (n < reads) return { tokens, calls: [['read', { n }]] }
    return { tokens, text: `I know ${factsIn(prompt).join(' ')}.` }
  }

export const FILE_CHARS = 3_000

export const readTool = tool({
  name: 'read',
  description: 'Reads a file.',
  effect: 'pure',
  input: v.object({ n: v.number() }),
  resources: ({ n }) => [`file:${n}`],
  run: ({ n }) => `file ${n} ${'x'.repeat(FILE_CHARS)}`,
})

export const reader = (
  answer: Answering | LanguageModel = readerOf(),
  more: Partial<ModelAgentOptions<StandardSchema, StandardSchema>> = {},
): AgentDefinition =>
  agent({
    name: 'tested',
    model:
      typeof answer === 'function' && !('doStream' in answer)
        ? stubModel(answer as Answering)
        : (answer as LanguageModel),
    tools: [readTool],
    limits: { windowTokens: WINDOW },
    ...more,
  })

/** Answers requests for a summary in another way. */
export const withSummary =
  (summary: (prompt: readonly ModelMessage[]) => Reply | Promise<Reply>, answer: Answering = readerOf()): Answering =>
  (prompt, options) =>
    isSummaryRequest(prompt) ? summary(prompt) : answer(prompt, options)
