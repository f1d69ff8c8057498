// The spans of a model agent, by OpenTelemetry's conventions for generative AI: one for each time that a process drives a run, and
// below it one for each call of a model and of a tool. They have no words of prompts, answers, arguments or results.

import { ownProperty, present } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import type { CallName } from '../loop/calls/call-items.ts'
import type { LoopRun } from '../loop/loop-run.ts'
import { type LanguageModel, type ModelRequest, type ModelUsage, modelProblem, type Thought } from '../model/model.ts'
import { ModelError } from '../model/model-error.ts'
import { NO_LISTENER, type ThinkOptions, think } from '../model/think.ts'
import { NO_SPAN, type SpanAttributes, type TraceSpan } from './trace.ts'

/** The span of a run in this process. Another process that takes the run up makes a span of its own. */
export const startAgentSpan = ({ definition, ports: { trace }, reporter }: LoopRun): TraceSpan => {
  if (!trace) return NO_SPAN
  const { provider, modelId } = namesOf(definition.model?.[0])
  const job = reporter.session.job()
  const { agent = '', id = '' } = job?.key ?? {}
  return trace.start({
    name: `invoke_agent ${agent}`,
    kind: 'internal',
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.provider.name': providerName(provider),
      'gen_ai.request.model': modelId,
      'gen_ai.conversation.id': id,
      'bridle.run': job?.runId ?? '',
    },
  })
}

const namesOf = (
  model: LanguageModel | string | undefined,
): { readonly provider: string; readonly modelId: string } => {
  if (typeof model !== 'string') return model ?? { provider: '', modelId: '' }
  const [provider = '', ...rest] = model.split('/')
  return { provider, modelId: rest.join('/') }
}

export const thinkInSpan = async (
  run: LoopRun,
  model: LanguageModel,
  request: ModelRequest,
  callId: ThinkOptions['callId'],
  listener = NO_LISTENER,
): Promise<Thought> => {
  const options = { callId, clock: run.ports.clock, stallMs: run.definition.limits.stallMs }
  if (!run.span.isRecording || modelProblem(model) !== null) return think(model, request, listener, options)
  const span = run.span.child({
    name: `chat ${model.modelId}`,
    kind: 'client',
    attributes: present({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerName(model.provider),
      'gen_ai.request.model': model.modelId,
      'gen_ai.conversation.id': run.job.key.id,
      'gen_ai.request.temperature': request.settings.temperature,
      'gen_ai.request.max_tokens': request.settings.maxOutputTokens,
    }) as SpanAttributes,
  })
  try {
    const thought = await span.within(() => think(model, request, listener, options))
    span.set({ 'gen_ai.response.finish_reasons': [thought.finish], ...usageAttributes(thought.usage) })
    span.end(null)
    countTokens(run, thought.usage)
    return thought
  } catch (error) {
    span.end(error instanceof ModelError ? error.reason : 'interrupted')
    throw error
  }
}

/** Makes a call, in a span. Its status is that of the outcome. */
export const callInSpan = async (
  run: LoopRun,
  call: CallName,
  make: () => Promise<ReportItem[]>,
): Promise<ReportItem[]> => {
  if (!run.span.isRecording) return make()
  const span = run.span.child({
    name: `execute_tool ${call.tool}`,
    kind: 'internal',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.tool,
      'gen_ai.tool.call.id': call.id,
      'gen_ai.tool.type': 'function',
      'gen_ai.conversation.id': run.job.key.id,
    },
  })
  try {
    const items = await span.within(make)
    span.end(errorTypeOf(items))
    return items
  } catch (error) {
    span.end('interrupted')
    throw error
  }
}

const errorTypeOf = (items: readonly ReportItem[]): string | null => {
  for (const item of items) {
    if (item.type !== 'event' || item.event.type !== 'tool_outcome') continue
    const { status, reason } = item.event.payload as { status: string; reason?: string }
    return status === 'ok' || status === 'artifact' ? null : (reason ?? status)
  }
  return null
}

/** The conventions have names of their own for some providers. Packages write `anthropic.messages`. */
const PROVIDER_NAMES: { readonly [provider: string]: string } = {
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
}

const providerName = (provider: string): string => {
  const [first = ''] = provider.startsWith('google.vertex') ? ['vertex'] : provider.split('.')
  return ownProperty(PROVIDER_NAMES, first) ?? first
}

const usageAttributes = (usage: ModelUsage): SpanAttributes =>
  present({
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
  }) as SpanAttributes

/** The span of the run has the sum of its calls. */
const countTokens = (run: LoopRun, { inputTokens = 0, outputTokens = 0 }: ModelUsage): void => {
  run.tokens = [run.tokens[0] + inputTokens, run.tokens[1] + outputTokens]
  const [input, output] = run.tokens
  run.span.set({ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output })
}
