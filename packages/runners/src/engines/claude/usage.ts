// Tokens and cost of the model steps of a turn. Each step is reported when it ends, with a cost from the price table, so that a
// budget can stop the turn in the middle. At the end of the turn the engine reports the real cost, and the difference follows.

import { costUsd, priceOf } from '@bridle/model-data/prices'
import type { RunnerEvent } from '../../protocol/protocol.ts'
import type { SdkMessage } from './sdk-messages.ts'

/** The engine compacts its context at about 90 percent: a warning at 80 comes a few steps before. */
const CONTEXT_WARNING_PCT = 80

/** The usage in the format of the Messages API. */
export interface StepUsage {
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly cache_creation_input_tokens?: number
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens?: number }
}

export class ClaudeUsage {
  #model = ''
  #step: StepUsage | null = null
  #lastStep: StepUsage | null = null
  #reported = { input: 0, output: 0, usd: 0 }
  #contextPct: number | null = null
  #isWarned = false
  /** Tokens that the context holds; 0 = not known yet. Outlives the turn. */
  readonly #window: ContextWindow

  constructor(window: ContextWindow) {
    this.#window = window
  }

  stepStarted(message: { readonly model?: string; readonly usage?: StepUsage } = {}): void {
    this.#model = message.model ?? ''
    this.#step = message.usage ?? null
  }

  /** Sums of the step so far. */
  stepUpdated(usage: StepUsage | undefined): void {
    if (this.#step && usage) this.#step = { ...this.#step, ...usage }
  }

  stepEnded(): RunnerEvent[] {
    const step = this.#step
    this.#step = null
    if (!step) return []
    this.#lastStep = step
    const input = inputOf(step)
    const output = step.output_tokens ?? 0
    if (input + output === 0) return []
    const usd = estimate(step, this.#model)
    this.#reported = {
      input: this.#reported.input + input,
      output: this.#reported.output + output,
      usd: this.#reported.usd + usd,
    }
    return this.#events({ input, output, usd }, { estimated: true })
  }

  /** A whole message of the model, where it was not streamed. */
  recordMessage(usage: StepUsage | undefined): void {
    if (usage) this.#lastStep = usage
  }

  /** The sums of the turn, as the engine reports them at its end. */
  turnTotal(message: SdkMessage): RunnerEvent[] {
    this.#window.tokens = windowOf(message) || this.#window.tokens
    const { usage = {} } = message as { usage?: StepUsage }
    const told = this.#reported
    this.#reported = { input: 0, output: 0, usd: 0 }
    const sums = { input: inputOf(usage), output: usage.output_tokens ?? 0, usd: costOf(message) }
    if (sums.input + sums.output + sums.usd === 0) return []
    const missing = {
      // Text that was streamed and broken off is not in the engine's sums, and was paid for.
      input: Math.max(0, sums.input - told.input),
      output: Math.max(0, sums.output - told.output),
      usd: sums.usd - told.usd,
    }
    return this.#events(missing, { total: true })
  }

  #events({ input, output, usd }: UsageSums, kind: { estimated: true } | { total: true }): RunnerEvent[] {
    const { tokens } = this.#window
    const share =
      tokens === 0 || !this.#lastStep
        ? null
        : Math.min(100, (100 * (inputOf(this.#lastStep) + (this.#lastStep.output_tokens ?? 0))) / tokens)
    const isNews = input + output !== 0 || usd !== 0 || share !== this.#contextPct
    if (!isNews) return []
    this.#contextPct = share
    const events: RunnerEvent[] = [
      {
        type: 'usage',
        inputTokens: input,
        outputTokens: output,
        totalTokens: input + output,
        costUsd: usd,
        ...(share !== null && { contextUsagePct: share }),
        ...(this.#model !== '' && { model: this.#model }),
        ...kind,
      },
    ]
    if (share === null || share < CONTEXT_WARNING_PCT || this.#isWarned) return events
    this.#isWarned = true
    const usagePct = Math.round(share)
    const message = `The context is ${usagePct} % full.`
    return [...events, { type: 'context.warning', kind: 'context_usage', usagePct, message }]
  }
}

export interface ContextWindow {
  tokens: number
}

interface UsageSums {
  readonly input: number
  readonly output: number
  readonly usd: number
}

const estimate = (step: StepUsage, model: string): number =>
  costUsd(
    {
      inputTokens: step.input_tokens ?? 0,
      cacheReadTokens: step.cache_read_input_tokens ?? 0,
      cacheWriteTokens: step.cache_creation_input_tokens ?? 0,
      cacheWriteHourTokens: step.cache_creation?.ephemeral_1h_input_tokens ?? 0,
      outputTokens: step.output_tokens ?? 0,
    },
    priceOf(model),
  )

/** The cost of this turn alone: the engine's total covers the session, also across a resume. */
const costOf = (message: SdkMessage): number => {
  const models = Object.values((message.model_usage_since_last_result ?? {}) as Record<string, { costUSD?: number }>)
  return models.reduce((sum, { costUSD = 0 }) => sum + costUSD, 0)
}

const windowOf = (message: SdkMessage): number => {
  const models = Object.values((message.modelUsage ?? {}) as Record<string, { contextWindow?: number }>)
  return Math.max(0, ...models.map(({ contextWindow = 0 }) => contextWindow))
}

const inputOf = (usage: StepUsage): number =>
  (usage.input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0)
