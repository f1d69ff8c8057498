// Asks the model once. Its answer and the intents of its first calls are one write; after a failure it is retried, or the next model is asked.

import { present } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import type { LanguageModel, ModelMessage, ModelOptions, Thought } from '../../model/model.ts'
import { chooseModel, modelParts } from '../../model/model-choice.ts'
import { ModelError } from '../../model/model-error.ts'
import { retryDelay } from '../../model/retries.ts'
import { eventItem } from '../calls/call-items.ts'
import { budgetOf, planCut, windowOf } from '../context/budget.ts'
import { TOKEN_CHARS } from '../context/entry.ts'
import { requestUsageItem, usageWarnings } from '../context/usage.ts'
import { makeRequest, type RequestAnswer } from '../hooks/model-request.ts'
import type { LoopRun } from '../loop-run.ts'
import { modelTools } from '../tools/offered-tools.ts'
import { offer, offeredTools } from '../toolset/offer.ts'
import { addPromptFiles, steerMessages } from '../transcript/prompt-files.ts'
import { COMPACTING, MODEL_FAILURE, PROVIDER_FALLBACK, stepId } from '../transcript/turn-record.ts'

/** Null: the model failed, and the log says how it goes on. */
export const askModel = async (run: LoopRun): Promise<RequestAnswer | null> => {
  // An earlier process may have left the text of a step that was cut off. A run over its budget is stopped here.
  await run.report([
    ...(run.hasAsked ? [] : [{ type: 'supersede' } as const]),
    ...offer(run),
    ...stepProgress(run),
    { type: 'next_step' },
  ])
  run.hasAsked = true
  const { definition, reporter, ports, controls, transcript, job, course } = run
  const step = transcript.turn.steps + 1
  const { steers } = course
  const hooked: ReportItem[] = []
  const deadline = turnDeadline(run)
  try {
    const model = await currentModel(run)
    const messages = transcript.prompt(run.instructions)
    const source = { uploads: ports.uploads, tenant: job.key.tenant, model }
    await addPromptFiles(messages, transcript.inputsWithFiles, source)
    messages.push(...(await steerMessages(steers, source)))
    markForCache(messages, model)
    const tools = modelTools(offeredTools(run))
    const request = { messages, tools, settings: definition.settings, signal: deadline.signal }
    const callId = (n: number) => `${job.runId}.${step}.${n}`
    const { thought, items } = await makeRequest(run, model, request, callId, hooked)
    return { thought, items: [...items, ...answerItems(run, model, thought, steers)] }
  } catch (error) {
    if (controls.signal.aborted || reporter.closed || !(error instanceof ModelError)) throw error
    // The next look at the turn finds that its time is over.
    if (!deadline.signal.aborted) await reportFailure(run, error, hooked)
    return null
  } finally {
    deadline.cancel()
  }
}

/** Background work: an event for each step whose calls have settled, in the write with which the next step begins or the turn ends. */
export const stepProgress = ({ job, transcript: { turn } }: LoopRun): ReportItem[] => {
  if (!job.isBackground || turn.steps === turn.finishedStep) return []
  const tools = [...new Set((turn.last?.calls ?? []).map(({ call }) => call.tool))]
  const summary = tools.length === 0 ? 'The model answered.' : `Calls of ${tools.join(', ')} are made.`
  return [eventItem('step_progress', { step_id: stepId(turn.run, turn.steps), status: 'completed', summary })]
}

/** The signal aborts when the run is stopped, or when the time of the turn is over. */
export const turnDeadline = ({
  definition,
  ports,
  controls,
  transcript,
  now,
}: LoopRun): { readonly signal: AbortSignal; readonly cancel: () => void } => {
  const controller = new AbortController()
  const stop = () => controller.abort(controls.signal.reason)
  const leftMs = Math.max(0, definition.limits.turnMs - transcript.turn.workMs(now))
  const cancelTimer = ports.clock.after(leftMs, () =>
    controller.abort(new ModelError('stalled', 'The time of the turn is over.', { retryable: false })),
  )
  if (controls.signal.aborted) stop()
  controls.signal.addEventListener('abort', stop)
  const cancel = () => {
    cancelTimer()
    controls.signal.removeEventListener('abort', stop)
  }
  return { signal: controller.signal, cancel }
}

/** The voice of a spoken turn while somebody listens; else the model of the agent's list whose turn it is. */
export const currentModel = async ({ definition, transcript, ports, job }: LoopRun): Promise<LanguageModel> =>
  (job.spoken && ports.voiceModel?.(job.key)) ||
  chooseModel(definition.model ?? [], transcript.turn.model, ports.resolveModel)

const answerItems = (
  run: LoopRun,
  asked: LanguageModel,
  { content, finish, usage, contextTokens }: Thought,
  steers: readonly { readonly messageId: string }[],
): ReportItem[] => {
  const { modelId: model } = asked
  const { turn, entries } = run.transcript
  const tokens = contextTokens ?? budgetOf(run).tokens + Math.ceil(JSON.stringify(content).length / TOKEN_CHARS)
  const use = { tokens, window: windowOf(run.definition, turn.model) }
  const step = { step: turn.steps + 1, model, content: content as never, finish, context_tokens: contextTokens }
  return [
    // The model has seen these: in the transcript they stand ahead of its answer.
    ...steers.map(({ messageId }): ReportItem => ({ type: 'steer_delivered', messageId })),
    eventItem('model_step', present({ ...step, ...listedModel(run, asked) })),
    requestUsageItem(model, usage, use),
    ...usageWarnings(use, entries.warnedPct),
  ]
}

/** The place of the model in the agent's list: a fold sees by it that the first model answers again, or that another one does. */
const listedModel = ({ definition, transcript: { turn }, ports, job }: LoopRun, asked: LanguageModel) => {
  const models = definition.model ?? []
  const index = Math.min(turn.model, models.length - 1)
  const listed = models[index]
  const isVoice = job.spoken && ports.voiceModel?.(job.key) === asked
  return listed === undefined || isVoice ? {} : { provider: modelParts(listed).provider, model_index: index }
}

/** Text that the failed try has said is withdrawn in the same write. */
const reportFailure = async (run: LoopRun, error: ModelError, hooked: readonly ReportItem[]): Promise<void> => {
  const { definition, transcript } = run
  const models = definition.model ?? []
  const index = Math.min(transcript.turn.model, models.length - 1)
  const tries = transcript.turn.failures + 1
  const delayMs = retryDelay(error, tries, run.ports.random ?? Math.random)
  const hasOther = index + 1 < models.length
  // The provider knows its window better than we do. Once per step, room is made and the model is asked again.
  const { overflow, isCompactionOver } = transcript.turn
  const isRoomPossible = error.reason === 'overflow' && overflow === 'none' && !isCompactionOver
  const isRoomHelpful = isRoomPossible && planCut(run, true) !== null
  if (delayMs === null && !hasOther && !isRoomHelpful)
    return run.report([
      ...hooked,
      lastFailure(models[index], error, tries),
      {
        type: 'failed',
        message: error.message,
        reason: `model_${error.reason}`,
        ...(error.retryable && { transient: true }),
      },
    ])
  const following = isRoomHelpful
    ? { status: COMPACTING, kind: MODEL_FAILURE, failure_count: transcript.turn.failures, model_index: index }
    : delayMs === null
      ? { status: 'degraded', kind: PROVIDER_FALLBACK, failure_count: tries, model_index: index + 1 }
      : {
          ...{ status: 'retrying', kind: MODEL_FAILURE, failure_count: tries },
          ...{ model_index: index, retry_at: run.now + delayMs },
        }
  const payload = {
    ...diagnosedModels(models[index], models[following.model_index]),
    reason: `${error.reason}: ${error.message}`,
    ...following,
  }
  await run.report([{ type: 'supersede' }, ...hooked, eventItem('transport_diagnostic', payload)])
}

type ListedModel = LanguageModel | string | undefined

/** The fields of a diagnostic that name the model which failed, and the one that is asked next. */
export const diagnosedModels = (failed: ListedModel, next: ListedModel) => {
  const [requested, actual] = [nameOf(failed), nameOf(next)]
  return {
    ...{ provider_requested: requested.provider, model_requested: requested.name },
    ...{ provider_actual: actual.provider, model_actual: actual.name },
  }
}

const nameOf = (listed: ListedModel): { readonly provider: string | null; readonly name: string | null } => {
  if (listed === undefined) return { provider: null, name: null }
  const { provider, model } = modelParts(listed)
  return { provider, name: model === '' ? provider : `${provider}/${model}` }
}

const lastFailure = (model: ListedModel, { reason, message }: ModelError, tries: number): ReportItem =>
  eventItem('transport_diagnostic', {
    ...{ kind: MODEL_FAILURE, status: 'failed', failure_count: tries, reason: `${reason}: ${message}` },
    ...diagnosedModels(model, undefined),
  })

// Cache marks for providers that need them, after the instructions and after the last message: the next request pays a tenth up to there.

/** Changes the list, which is the caller's own, and none of its messages: the transcript shares these. */
export const markForCache = (messages: ModelMessage[], { provider }: LanguageModel): void => {
  const mark = MARKS.find(({ pattern }) => pattern.test(provider))?.options
  if (!mark) return
  const instructions = messages[0]?.role === 'system' ? [0] : []
  for (const index of new Set([...instructions, messages.length - 1])) {
    const message = messages[index]
    if (message) messages[index] = { ...message, providerOptions: withMark(message.providerOptions, mark) }
  }
}

const withMark = (options: ModelOptions = {}, mark: ModelOptions): ModelOptions => ({
  ...options,
  ...Object.fromEntries(Object.entries(mark).map(([name, value]) => [name, { ...options[name], ...value }])),
})

/** Also Anthropic's models at another host, such as `vertex.anthropic.messages`, read the options of `anthropic`. */
const MARKS: readonly { readonly pattern: RegExp; readonly options: ModelOptions }[] = [
  { pattern: /(^|\.)anthropic(\.|$)/, options: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
]
