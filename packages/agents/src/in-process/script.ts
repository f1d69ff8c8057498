// The language of the scripted agent: a JSON array of steps behind `@script `. Stable: other people's tests use it.

import { isEventType } from '@bridle/events/catalogue'
import { isJsonObject, type JsonObject, present } from '@bridle/events/json'
import { parseQuestions, type QuestionRequest } from '@bridle/events/questions'
import { APPROVAL_RISKS, parsePayload, TOOL_EFFECTS, TOOL_STATUSES } from '@bridle/events/schemas'
import { directiveProblem } from '@bridle/kernel/directive'
import type { AnyEventDraft } from '@bridle/kernel/event'
import type { Job } from '@bridle/kernel/ports/runner'
import * as v from 'valibot'

const ms = v.pipe(v.number(), v.minValue(0), v.maxValue(86_400_000))
const object = v.custom<JsonObject>(isJsonObject, 'Expected an object')
const count = v.pipe(v.number(), v.integer(), v.minValue(0))

const steps = {
  text: v.strictObject({
    text: v.string(),
    chunks: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000)), 1),
    everyMs: v.optional(ms, 0),
  }),
  thinking: v.strictObject({ thinking: v.string() }),
  tool: v.strictObject({
    tool: v.string(),
    id: v.optional(v.string()),
    args: v.optional(object, {}),
    result: v.optional(v.unknown()),
    outcome: v.optional(v.picklist(TOOL_STATUSES), 'ok'),
    ms: v.optional(ms, 0),
    effect: v.optional(v.picklist(['pure', 'idempotent', 'unsafe']), 'pure'),
  }),
  approve: v.strictObject({
    approve: v.string(),
    id: v.optional(v.string()),
    args: v.optional(object, {}),
    takes: v.optional(v.array(v.string())),
    reason: v.optional(v.string(), 'The script asks for approval.'),
    expiresMs: v.optional(ms),
    effect: v.optional(v.picklist(TOOL_EFFECTS)),
    risk: v.optional(v.picklist(APPROVAL_RISKS)),
  }),
  ask: v.strictObject({
    ask: v.union([v.string(), object], 'Expected a text or an object'),
    id: v.optional(v.string()),
    options: v.optional(v.array(v.unknown())),
    multi_select: v.optional(v.boolean()),
    allow_free_text: v.optional(v.boolean()),
    default: v.optional(v.unknown()),
    expiresMs: v.optional(ms),
  }),
  checkpoint: v.strictObject({ checkpoint: v.string() }),
  artifact: v.strictObject({
    artifact: v.strictObject({ name: v.string(), content: v.string(), kind: v.optional(v.string()) }),
  }),
  directive: v.strictObject({ directive: object }),
  usage: v.strictObject({
    usage: v.looseObject({
      input_tokens: v.optional(count),
      output_tokens: v.optional(count),
      cost_usd: v.optional(v.pipe(v.number(), v.minValue(0))),
    }),
  }),
  event: v.strictObject({ event: v.strictObject({ type: v.string(), payload: v.optional(object, {}) }) }),
  task: v.strictObject({ task: v.string(), id: v.optional(v.string()), ms: v.optional(ms, 0) }),
  sleepMs: v.strictObject({ sleepMs: ms }),
  fail: v.strictObject({ fail: v.string(), transient: v.optional(v.boolean(), false) }),
} as const

type ScriptStepKind = keyof typeof steps
type RawStep = {
  [K in ScriptStepKind]: { readonly kind: K } & v.InferOutput<(typeof steps)[K]>
}[ScriptStepKind]
type RawQuestion = RawStep & { readonly kind: 'ask' }

/** A question or a form, as the session gets it. */
interface QuestionStep {
  readonly kind: 'ask'
  readonly id: string | undefined
  readonly request: QuestionRequest
  readonly expiresMs: number | undefined
}
export type ScriptStep = Exclude<RawStep, RawQuestion> | QuestionStep

/** The steps of a prompt, or its problem. A prompt that is no script plays the tour. */
export const parseScript = (prompt: string): { steps: readonly ScriptStep[] } | { problem: string } => {
  if (!/^@script\s/.test(prompt)) return { steps: tourSteps(prompt) }
  let script: unknown
  try {
    script = JSON.parse(prompt.slice('@script'.length))
  } catch (error) {
    return { problem: `The script is not JSON: ${(error as Error).message}` }
  }
  if (!Array.isArray(script)) return { problem: 'The script is not an array of steps.' }
  const parsed: ScriptStep[] = []
  for (const [index, step] of script.entries()) {
    const result = parseStep(step)
    if ('problem' in result) return { problem: `Step ${index + 1}: ${result.problem}` }
    parsed.push(result.step)
  }
  return { steps: parsed }
}

const parseStep = (step: unknown): { step: ScriptStep } | { problem: string } => {
  if (typeof step !== 'object' || step === null) return { problem: 'it is not an object.' }
  const kind = (Object.keys(steps) as ScriptStepKind[]).find((name) => Object.hasOwn(step, name))
  if (!kind) return { problem: `it is none of ${Object.keys(steps).join(', ')}.` }
  const result = v.safeParse(steps[kind] as v.GenericSchema<unknown, object>, step)
  if (!result.success)
    return { problem: result.issues.map((issue) => `${v.getDotPath(issue) ?? kind}: ${issue.message}`).join('; ') }
  const parsed = { kind, ...result.output } as RawStep
  if (parsed.kind === 'ask') return parseQuestion(parsed)
  if (parsed.kind === 'directive') {
    const problem = directiveProblem(parsed.directive)
    return problem === null ? { step: parsed } : { problem: `directive.${problem}` }
  }
  if (parsed.kind !== 'event') return { step: parsed }
  const checked = scriptedEvent(parsed.event.type, parsed.event.payload)
  return 'problem' in checked ? checked : { step: parsed }
}

/** A text asks one question, and its default is an answer. An object is the request itself. */
const parseQuestion = (step: RawQuestion): { step: QuestionStep } | { problem: string } => {
  const { ask, id, options, multi_select, allow_free_text, default: byDefault, expiresMs } = step
  const more = present({ options, multi_select, allow_free_text })
  const isText = typeof ask === 'string'
  const [name] = isText ? [] : Object.keys(more)
  if (name !== undefined) return { problem: `${name}: Only a step whose \`ask\` is a text takes it.` }
  const asked = isText ? { questions: [{ ...present({ id }), question: ask, ...more }] } : ask
  const answered = isText ? { [id ?? FIRST_QUESTION]: byDefault } : byDefault
  const request = parseQuestions({ ...asked, ...(byDefault !== undefined && { default: answered }) })
  return 'problem' in request
    ? { problem: `ask: ${request.problem}` }
    : { step: { kind: 'ask', id, request, expiresMs } }
}

/** The id of a question that names none. */
const FIRST_QUESTION = 'q1'

/** Any event of the catalogue that a log may hold and a client may see. */
export const scriptedEvent = (
  type: string,
  payload: unknown,
): { event: Pick<AnyEventDraft, 'type' | 'payload'> } | { problem: string } => {
  if (!isEventType(type) || type === 'session') return { problem: `"${type}" is not an event that an agent can emit.` }
  const checked = parsePayload(type, payload)
  return 'problem' in checked
    ? checked
    : { event: { type, payload: checked.payload } as Pick<AnyEventDraft, 'type' | 'payload'> }
}

const tourSteps = (prompt: string): readonly ScriptStep[] => {
  const words = prompt.trim().split('\n', 1)[0]?.slice(0, 120) ?? ''
  return [
    { kind: 'thinking', thinking: 'A scripted agent thinks in advance.' },
    { kind: 'text', text: `You said: "${words}".\n\n`, chunks: 4, everyMs: 20 },
    {
      kind: 'tool',
      tool: 'read_file',
      id: undefined,
      args: { path: 'README.md' },
      result: { lines: 42 },
      outcome: 'ok',
      ms: 50,
      effect: 'pure',
    },
    {
      kind: 'text',
      text:
        'I am the scripted agent: no key, no network, and every word of this went through the real log, store and wires. ' +
        'Kill the server when I am done, and start it again: this conversation will still be here. ' +
        'To make me play a scenario of yours, begin a prompt with @script and a JSON array of steps.',
      chunks: 40,
      everyMs: 15,
    },
  ]
}

export interface ScriptPosition {
  readonly step: number
  readonly piece: number
}

export const positionOf = ({ continues, resume }: Job): ScriptPosition => {
  const [, step, piece] = (continues && /^step:(\d+):(\d+)$/.exec(resume ?? '')) || []
  return { step: Number(step ?? 0), piece: Number(piece ?? 0) }
}

/** The position behind text that is in the log already; the handle may be older than that text. */
export const positionAfterText = (
  steps: readonly ScriptStep[],
  from: ScriptPosition,
  keptChars: number,
): ScriptPosition => {
  let position = from
  let chars = 0
  for (const [index, step] of steps.entries()) {
    // An event that the script emits may change the text.
    if (step.kind === 'event') return from
    if (step.kind !== 'text') continue
    for (const [piece, text] of splitText(step.text, step.chunks).entries()) {
      chars += text.length
      if (chars > keptChars) return position
      const isBehind = index > from.step || (index === from.step && piece >= from.piece)
      if (isBehind) position = { step: index, piece: piece + 1 }
    }
  }
  return position
}

/** `count` even pieces, or as many as there are characters; never between two surrogates. */
export const splitText = (text: string, count: number): string[] => {
  const characters = [...text]
  const total = Math.min(count, characters.length)
  const cut = (index: number) => Math.floor((index * characters.length) / total)
  return Array.from({ length: total }, (_, index) => characters.slice(cut(index), cut(index + 1)).join(''))
}
