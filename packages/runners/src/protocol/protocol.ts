// The RunnerProtocol: what a session and a sandbox runner say to each other, over HTTP with SSE answers.
//
// `event:` names the type and `data:` repeats it inside; `id:` is the frame's place in its run, from 1. What a runner says
// beyond the document's five events is additive: a client that does not know an event passes over it.

import { isAnswers, type QuestionAnswers } from '@bridle/events/answers'
import { instructionsLoaded } from '@bridle/events/instructions'
import type { Json, JsonObject } from '@bridle/events/json'
import { describeIssues, outcomeFacts, TOOL_EFFECTS, TOOL_STATUSES } from '@bridle/events/schemas'
import * as v from 'valibot'

/** A server restarts within minutes; a run that nobody follows for ten is abandoned. */
export const KEEP_MS = 600_000

/** MCP servers of one run. Their tools fill the model's context. */
const MCP_SERVERS_MAX = 50

const text = v.string()
const maybe = v.optional
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const amount = v.pipe(v.number(), v.finite(), v.minValue(0))
const json = v.custom<Json>((value) => value !== undefined, 'Expected JSON')
const object = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Expected an object',
)

export const runnerEventSchemas = {
  'run.started': v.looseObject({ requestId: text, engine: maybe(text) }),
  /** The texts of the repository that the engine was given. In each turn, also where nothing has changed. */
  'instructions.loaded': v.looseObject(instructionsLoaded),
  'assistant.delta': v.looseObject({ text }),
  /** The whole text of the turn so far, where it differs from the sum of the deltas: a stream was cut and repeated. */
  'assistant.text': v.looseObject({ text }),
  'thinking.delta': v.looseObject({ text }),
  'tool.started': v.looseObject({
    toolName: text,
    toolUseId: text,
    input: maybe(object),
    effect: maybe(v.picklist(TOOL_EFFECTS)),
    /** The call of the agent that makes this one on behalf of another. */
    parentToolUseId: maybe(text),
  }),
  'tool.completed': v.looseObject({
    toolUseId: text,
    toolName: maybe(text),
    outcome: v.looseObject({
      status: v.picklist(TOOL_STATUSES),
      result: maybe(json),
      error: maybe(text),
      reason: maybe(text),
      elapsedMs: maybe(amount),
      ...outcomeFacts,
    }),
  }),
  'tool.batch': v.looseObject({ toolUseIds: v.array(text) }),
  'tool.invalid': v.looseObject({ toolUseId: text, toolName: text, error: text }),
  'approval.required': v.looseObject({
    toolUseId: text,
    toolName: text,
    input: object,
    reason: text,
    expiresMs: maybe(amount),
    /** The engine makes the call with this input or not at all. */
    fixed: maybe(v.boolean()),
    /** `question`: a person answers `questions`, or fills in the form of `schema`. Any other: a call that needs an approval. */
    kind: maybe(text),
    questions: maybe(json),
    schema: maybe(json),
    /** The answers or values that apply when `expiresMs` have passed. */
    default: maybe(json),
  }),
  'policy.decided': v.looseObject({ subject: text, outcome: text, reason: maybe(text), source: maybe(text) }),
  usage: v.looseObject({
    inputTokens: maybe(count),
    outputTokens: maybe(count),
    totalTokens: maybe(count),
    /** Below zero only with `total`: the estimates were too high. */
    costUsd: maybe(v.pipe(v.number(), v.finite())),
    contextUsagePct: maybe(amount),
    /** The model that used the tokens. */
    model: maybe(text),
    /** The cost comes from a price table. */
    estimated: maybe(v.boolean()),
    /** At the end of a turn: the difference between its real sums and the reported ones. */
    total: maybe(v.boolean()),
  }),
  'context.warning': v.looseObject({ message: text, kind: maybe(text), usagePct: maybe(amount) }),
  compaction: v.looseObject({
    trigger: maybe(text),
    preTokens: maybe(count),
    postTokens: maybe(count),
    /** Messages that the summary replaces, and messages that stay. */
    summarized: maybe(count),
    kept: maybe(count),
    summary: maybe(text),
  }),
  'subagent.started': v.looseObject({ agentId: text, agentType: maybe(text), toolUseId: maybe(text) }),
  'subagent.progress': v.looseObject({ agentId: text, summary: maybe(text) }),
  'subagent.completed': v.looseObject({ agentId: text, status: text, summary: maybe(text) }),
  hook: v.looseObject({ hook: text, phase: maybe(text), status: maybe(text), toolUseId: maybe(text) }),
  /** The engine's request to its provider failed and is made again. */
  retry: v.looseObject({
    attempt: count,
    maxRetries: maybe(count),
    delayMs: maybe(amount),
    status: maybe(v.nullable(count)),
    reason: text,
  }),
  'turn.tools': v.looseObject({ tools: v.array(text) }),
  'sandbox.notice': v.looseObject({
    requestedBackend: text,
    resolvedBackend: text,
    isolation: text,
    reason: maybe(text),
  }),
  /** The resume id of this point in the middle of a turn. */
  'run.resume': v.looseObject({ resume: text }),
  'run.completed': v.looseObject({ result: maybe(text), sessionId: maybe(text), resume: maybe(text) }),
  'run.error': v.looseObject({
    message: text,
    reason: maybe(text),
    transient: maybe(v.boolean()),
    resume: maybe(text),
  }),
} satisfies Record<string, v.GenericSchema>

export type RunnerEventType = keyof typeof runnerEventSchemas
export type RunnerEventOf<T extends RunnerEventType> = { type: T } & v.InferOutput<(typeof runnerEventSchemas)[T]>
/** An event of a run, as a runner sends it. */
export type RunnerEvent = { [T in RunnerEventType]: RunnerEventOf<T> }[RunnerEventType]

export interface RunnerFrame {
  /** Null where the runner numbers no frames, as one written from the document alone. */
  readonly id: number | null
  readonly event: RunnerEvent
  /** The size of the frame. */
  readonly chars: number
}

/** Null: the type is unknown, as from a newer runner. Throws on a known type with a wrong body. */
export const parseRunnerEvent = (data: string): RunnerEvent | null => {
  const said: unknown = JSON.parse(data)
  const type = (said as { type?: unknown } | null)?.type
  if (typeof type !== 'string' || !Object.hasOwn(runnerEventSchemas, type)) return null
  const result = v.safeParse(runnerEventSchemas[type as RunnerEventType] as v.GenericSchema, said)
  if (!result.success) throw new Error(`The runner's ${type} is not one: ${describeIssues(result.issues)}`)
  return result.output as RunnerEvent
}

export const encodeFrame = (id: number, event: RunnerEvent): string =>
  `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

export const isTerminalEvent = ({ type }: RunnerEvent): boolean => type === 'run.completed' || type === 'run.error'

const idText = v.pipe(text, v.regex(/^[A-Za-z0-9._:@-]{1,200}$/, 'Expected 1 to 200 letters, digits or ._:@-'))

const vars = v.record(text, v.nullable(text))
/** Variables of one run; null removes one. */
export type RunEnvVars = Readonly<v.InferOutput<typeof vars>>

const engineSettingsSchema = v.looseObject({
  model: maybe(v.nullable(text)),
  /** How much the model thinks, in the engine's own words. */
  effort: maybe(v.nullable(text)),
  permission_mode: maybe(v.nullable(text)),
  max_budget_usd: maybe(v.nullable(amount)),
  max_turns: maybe(v.nullable(count)),
})

/** Whether an engine is given the texts of the repository in its work folder. */
export const REPOSITORY_USES = ['instructions', 'none'] as const
export type RepositoryUse = (typeof REPOSITORY_USES)[number]

const mcpName = v.pipe(text, v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'Expected 1 to 64 letters, digits, _ or -'))

/** A program that the engine starts, or a server that the run reaches through the relay. */
const mcpServerSchema = v.union([
  v.looseObject({
    name: mcpName,
    relay: v.literal(true),
    /** Grants the engine's own permission question, because the server behind the relay asks for approvals itself. */
    approved: maybe(v.literal(true)),
  }),
  v.looseObject({
    name: mcpName,
    command: v.pipe(text, v.nonEmpty()),
    args: maybe(v.array(text)),
    env: maybe(v.record(text, text)),
    cwd: maybe(text),
  }),
])
export type RunMcpServer = v.InferOutput<typeof mcpServerSchema>

/** `POST /query`. The document's own body is `{ prompt }`. */
export const querySchema = v.looseObject({
  prompt: v.pipe(text, v.nonEmpty('The prompt is empty.')),
  /** Names the run: asking again with it attaches to it. */
  requestId: maybe(idText),
  engine: maybe(text),
  /** The resume id of the turn before, from `run.completed`. */
  resume: maybe(v.nullable(text)),
  /** The run continues in the middle of the turn of `prompt`, from `resume`. */
  continues: maybe(v.boolean()),
  epoch: maybe(count),
  /** The bearer token of all later requests about this run. */
  token: maybe(text),
  /** The caller acknowledges frames once it has them for good; calls wait for it before they act. */
  acknowledges: maybe(v.boolean()),
  /** The caller answers approvals. Absent: it does if it names its run or acknowledges frames. */
  answersApprovals: maybe(v.boolean()),
  /** Keys and base addresses of this run alone, over those of the runner; null removes one. */
  env: maybe(vars),
  settings: maybe(engineSettingsSchema),
  /** Whether the runner reads the instructions, skills, sub-agents and commands of its work folder. Absent: `none`. */
  repository: maybe(v.picklist(REPOSITORY_USES)),
  /** Instructions of the operator and of the agent, which the engine adds to its own system prompt. */
  instructions: maybe(text),
  /** The MCP servers of this run. */
  mcp: maybe(v.pipe(v.array(mcpServerSchema), v.maxLength(MCP_SERVERS_MAX))),
})
/** The body of `POST /query`: the prompt, and how to run it. */
export type RunnerQuery = v.InferOutput<typeof querySchema>
export type EngineSettings = NonNullable<RunnerQuery['settings']>

/** `POST /runs/:requestId/approvals/:toolUseId` */
export const approvalAnswerSchema = v.looseObject({
  decision: v.picklist(['approved', 'denied']),
  /** The approved input; absent = as requested. */
  input: maybe(object),
  /** To a question: an answer by the id of each question, or the values of the form. */
  answers: maybe(
    v.custom<QuestionAnswers>(isAnswers, 'Expected a text, or a list of texts, by the id of each question'),
  ),
  values: maybe(object),
  /** The digest of the tool and the approved input, with `answers` or `values` in it: the runner executes nothing else. */
  approvedDigest: maybe(v.nullable(text)),
  reason: maybe(v.nullable(text)),
  /** The caller refused the request itself: no person has denied it. */
  refused: maybe(v.literal(true)),
  /** The same answer twice is one answer. */
  answerId: maybe(text),
  epoch: maybe(count),
})
export type RunnerApprovalAnswer = v.InferOutput<typeof approvalAnswerSchema>

export const steerSchema = v.looseObject({ id: text, text: v.pipe(text, v.nonEmpty()), epoch: maybe(count) })
export const stopTaskSchema = v.looseObject({ taskId: text, epoch: maybe(count) })
export const ackSchema = v.looseObject({ frame: count, epoch: maybe(count) })
export const cancelSchema = v.looseObject({ epoch: maybe(count) })
/** `PUT /env` and `PUT /runs/:requestId/env`: null removes a variable. */
export const envSchema = v.looseObject({ vars, epoch: maybe(count) })

/** `GET /health`. The document's three fields, and whose runner it is. */
export interface RunnerHealth {
  /** True where the runner works. */
  readonly ok: boolean
  /** True while a run is in progress. */
  readonly busy: boolean
  /** True where it has a key of Anthropic, or a way to one. */
  readonly hasAnthropicKey: boolean
  /** True where it has a key of OpenAI, or a way to one. */
  readonly hasOpenAIKey?: boolean
  /** Different after each start of the process. */
  readonly instance?: string
  /** The current run; only for a caller with the runner's token. */
  readonly requestId?: string | null
}

/** The messages between a session and a runner. */
export interface RunnerProtocol {
  /** The start of a run. */
  readonly query: RunnerQuery
  /** An event of a run. */
  readonly event: RunnerEvent
  /** The answer to an approval. */
  readonly approvalAnswer: RunnerApprovalAnswer
  /** The answer of `GET /health`. */
  readonly health: RunnerHealth
}

export const parseBody = <T>(
  schema: v.GenericSchema<unknown, T>,
  body: unknown,
): { value: T } | { problem: string } => {
  const result = v.safeParse(schema, body)
  return result.success ? { value: result.output } : { problem: describeIssues(result.issues) }
}
