// The items of a Codex thread that are tool calls: their names, their arguments and their outcomes.
import { isJsonObject, type JsonObject, objectOf, present } from '@bridle/events/json'
import type { RunnerEventOf } from '../../../protocol/protocol.ts'
import { listOf, outputText, textIn } from './lenient-json.ts'

type CallOutcome = RunnerEventOf<'tool.completed'>['outcome']

interface CallKind {
  readonly name: (item: JsonObject) => string
  readonly input: (item: JsonObject) => JsonObject
  readonly outcome: (item: JsonObject, denial: string | undefined) => CallOutcome
  /** True for a call that changes nothing. */
  readonly pure?: (item: JsonObject) => boolean
}

export const callKindOf = (item: JsonObject): CallKind | null => {
  const type = textIn(item, 'type') ?? ''
  return Object.hasOwn(callKinds, type) ? callKinds[type]! : null
}

const always = () => true

const callKinds: Record<string, CallKind> = {
  commandExecution: {
    name: () => 'shell',
    input: ({ command, cwd }) => ({ command: command ?? '', cwd: cwd ?? null }),
    outcome: ({ status, aggregatedOutput, exitCode }, denial) => {
      if (status === 'declined') return deniedOutcome(denial)
      const result = { output: aggregatedOutput ?? '', exitCode: exitCode ?? null }
      const fact = Number.isSafeInteger(exitCode) ? { exit_code: exitCode as number } : {}
      return status === 'completed'
        ? { status: 'ok', result, ...fact }
        : { status: 'error', result, ...fact, error: `The command ended with exit code ${exitCode ?? 'unknown'}.` }
    },
  },
  fileChange: {
    name: () => 'apply_patch',
    input: ({ changes }) => ({ changes: changes ?? [] }),
    outcome: ({ status, changes }, denial) => {
      if (status === 'declined') return deniedOutcome(denial)
      const files = listOf(changes).map((change) => objectOf(change))
      return status === 'completed'
        ? { status: 'ok', result: { changes: files.map(({ path = null, kind = null }) => ({ path, kind })) } }
        : { status: 'error', error: 'The change could not be applied.' }
    },
  },
  mcpToolCall: {
    name: ({ server, tool }) => `mcp__${server}__${tool}`,
    input: (item) => argumentsOf(item),
    outcome: ({ status, result, error }, denial) => {
      if (denial !== undefined) return deniedOutcome(denial)
      if (status === 'failed') return failedOutcome(textIn(error, 'message'))
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
        ? failedOutcome(outputText(contentItems ?? null))
        : { status: 'ok', result: contentItems ?? null },
  },
  collabAgentToolCall: {
    name: ({ tool }) => String(tool),
    input: ({ prompt, receiverThreadIds, model }) =>
      present({
        prompt: prompt ?? undefined,
        agents: receiverThreadIds,
        model: model || undefined,
      }) as JsonObject,
    outcome: ({ status, receiverThreadIds, agentsStates }) =>
      status === 'completed'
        ? { status: 'ok', result: { agents: receiverThreadIds ?? [], states: agentsStates ?? {} } }
        : { ...failedOutcome(undefined), ...(status === 'interrupted' && { reason: 'interrupted' }) },
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
    // The item may hold the whole picture; its path is enough.
    outcome: ({ failure, savedPath }) =>
      failure ? failedOutcome(textIn(failure, 'message')) : { status: 'ok', result: { path: savedPath ?? null } },
  },
  sleep: {
    name: () => 'sleep',
    input: ({ durationMs }) => ({ durationMs: durationMs ?? null }),
    outcome: () => ({ status: 'ok' }),
    pure: always,
  },
}

const deniedOutcome = (reason = 'It was declined.'): CallOutcome => ({ status: 'denied', reason })
const failedOutcome = (error = 'The call failed.'): CallOutcome => ({ status: 'error', error })
const argumentsOf = ({ arguments: given }: JsonObject): JsonObject =>
  isJsonObject(given) ? given : { input: given ?? null }
export const elapsedOf = ({ type, durationMs }: JsonObject): { elapsedMs?: number } =>
  typeof durationMs === 'number' && durationMs >= 0 && type !== 'sleep' ? { elapsedMs: durationMs } : {}
