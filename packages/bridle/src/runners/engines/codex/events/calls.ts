// The items of a Codex thread that are calls of tools: what each is called, what it was given, and how it ended.
import type { JsonObject } from '../../../../kernel/json.ts'
import type { RunnerEventOf } from '../../../protocol.ts'
import { defined, isObject, listOf, objectOf, outputText, textIn } from '../lenient-json.ts'

type Outcome = RunnerEventOf<'tool.completed'>['outcome']

interface Kind {
  readonly name: (item: JsonObject) => string
  readonly input: (item: JsonObject) => JsonObject
  readonly outcome: (item: JsonObject, denial: string | undefined) => Outcome
  /** It changes nothing. */
  readonly pure?: (item: JsonObject) => boolean
}

export const kindOf = (item: JsonObject): Kind | null => {
  const type = textIn(item, 'type') ?? ''
  return Object.hasOwn(kinds, type) ? kinds[type]! : null
}

const always = () => true

const kinds: Record<string, Kind> = {
  commandExecution: {
    name: () => 'shell',
    input: ({ command, cwd }) => ({ command: command ?? '', cwd: cwd ?? null }),
    outcome: ({ status, aggregatedOutput, exitCode }, denial) => {
      if (status === 'declined') return denied(denial)
      const result = { output: aggregatedOutput ?? '', exitCode: exitCode ?? null }
      return status === 'completed'
        ? { status: 'ok', result }
        : { status: 'error', result, error: `The command ended with exit code ${exitCode ?? 'unknown'}.` }
    },
  },
  fileChange: {
    name: () => 'apply_patch',
    input: ({ changes }) => ({ changes: changes ?? [] }),
    outcome: ({ status, changes }, denial) => {
      if (status === 'declined') return denied(denial)
      const files = listOf(changes).map((change) => objectOf(change))
      return status === 'completed'
        ? { status: 'ok', result: { changes: files.map(({ path = null, kind = null }) => ({ path, kind })) } }
        : { status: 'error', error: 'The change could not be applied.' }
    },
  },
  mcpToolCall: {
    name: ({ server, tool }) => `mcp__${server}__${tool}`,
    input: (item) => argumentsOf(item),
    outcome: ({ status, result, error }) => {
      if (status === 'failed') return failed(textIn(error, 'message'))
      const { structuredContent, content } = objectOf(result)
      return { status: 'ok', result: structuredContent ?? content ?? null }
    },
    pure: ({ readOnlyHint }) => readOnlyHint === true,
  },
  dynamicToolCall: {
    name: ({ tool }) => String(tool),
    input: (item) => argumentsOf(item),
    outcome: ({ status, success, contentItems }) =>
      status === 'failed' || success === false
        ? failed(outputText(contentItems ?? null))
        : { status: 'ok', result: contentItems ?? null },
  },
  collabAgentToolCall: {
    name: ({ tool }) => String(tool),
    input: ({ prompt, receiverThreadIds, model }) =>
      defined({ prompt: prompt ?? undefined, agents: receiverThreadIds, model: model || undefined }) as JsonObject,
    outcome: ({ status, receiverThreadIds, agentsStates }) =>
      status === 'completed'
        ? { status: 'ok', result: { agents: receiverThreadIds ?? [], states: agentsStates ?? {} } }
        : { ...failed(undefined), ...(status === 'interrupted' && { reason: 'interrupted' }) },
  },
  webSearch: {
    name: () => 'web_search',
    input: ({ query }) => ({ query: query ?? '' }),
    outcome: ({ query, action, results }) => ({
      status: 'ok',
      result: { query: query ?? '', action: action ?? null, results: results ?? null },
    }),
    pure: always,
  },
  imageView: {
    name: () => 'view_image',
    input: ({ path }) => ({ path: path ?? '' }),
    outcome: ({ path }) => ({ status: 'ok', result: { path: path ?? null } }),
    pure: always,
  },
  imageGeneration: {
    name: () => 'image_generation',
    input: ({ revisedPrompt }) => ({ prompt: revisedPrompt ?? null }),
    // The picture itself may be in the item: where it was saved is enough.
    outcome: ({ failure, savedPath }) =>
      failure ? failed(textIn(failure, 'message')) : { status: 'ok', result: { path: savedPath ?? null } },
  },
  sleep: {
    name: () => 'sleep',
    input: ({ durationMs }) => ({ durationMs: durationMs ?? null }),
    outcome: () => ({ status: 'ok' }),
    pure: always,
  },
}

const denied = (reason = 'It was declined.'): Outcome => ({ status: 'denied', reason })
const failed = (error = 'The call failed.'): Outcome => ({ status: 'error', error })
const argumentsOf = ({ arguments: given }: JsonObject): JsonObject =>
  isObject(given) ? given : { input: given ?? null }
export const elapsed = ({ type, durationMs }: JsonObject): { elapsedMs?: number } =>
  typeof durationMs === 'number' && durationMs >= 0 && type !== 'sleep' ? { elapsedMs: durationMs } : {}
