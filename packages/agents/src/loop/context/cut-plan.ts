// Plans of cuts: which old tool results could be cleared, and which part of the conversation a summary could replace. Pure.
import type { ContextBudget } from './budget.ts'
import { charsOf, type Entry, renderEntry, TOKEN_CHARS, tokensOf, type ViewItem } from './entry.ts'

/** Where a provider counts more tokens than the estimate, at most this many times more: scripts with a token for each character. */
const TOKEN_SCALE_MAX = 4
/** Tool results in the last part of the window are never cleared: the model works with them. */
const RESULTS_KEPT_RATIO = 0.2
/** Clearing results has to free this part of the window: each cut makes the provider's cache useless. */
const CLEARED_RATIO_MIN = 0.1
/** The last part of the window stays as it is behind a summary. */
const KEPT_RATIO = 0.1
/** After an overflow nobody knows the real window: at most this part of the conversation stays. */
const KEPT_OF_ALL_RATIO = 0.25
/** A summary has to replace this part of the window, or every step would ask for another one. */
const REPLACED_RATIO_MIN = 0.05

export type CutPlan = ClearingPlan | SummaryPlan

export interface ClearingPlan {
  readonly type: 'clear'
  /** The event before which results go. */
  readonly before: number
  readonly tokensSaved: number
  /** The answers whose results go. */
  readonly steps: number
  /** Messages that still say all that they said: those without a cleared result. */
  readonly whole: number
  /** Messages of which everything stays. */
  readonly preserved: number
}

export interface SummaryPlan {
  readonly type: 'summary'
  readonly keptFrom: number
  readonly replaced: readonly ViewItem[]
  /** Tokens that a summary frees, and its own tokens. */
  readonly tokens: number
  /** Messages of which everything stays. */
  readonly preserved: number
  /** Tokens of the provider in an estimated one. */
  readonly scale: number
}

/** Clears the results of old calls; null: that would not free enough. */
export const planClearing = (items: readonly ViewItem[], budget: ContextBudget): ClearingPlan | null => {
  const scale = scaleOf(items, budget)
  const from = Math.min(tailStart(items, (budget.window * RESULTS_KEPT_RATIO) / scale), firstUnread(items))
  const first = items[from]
  if (!first) return null
  const old = items.slice(0, from).filter(({ entry, isCleared }) => entry.kind === 'step' && !isCleared)
  const freed = old.map((item) => tokensOf(item) - Math.ceil(charsOf(renderEntry(item.entry, true)) / TOKEN_CHARS))
  const tokensSaved = Math.floor(sum(freed) * scale)
  if (tokensSaved < budget.window * CLEARED_RATIO_MIN) return null
  const steps = freed.filter((tokens) => tokens > 0).length
  const earlier = items.filter(({ entry, isCleared }) => isCleared && hasClearableResult(entry)).length
  const whole = messageCount(items) - steps - earlier
  return {
    type: 'clear',
    before: first.entry.seq,
    tokensSaved,
    steps,
    whole,
    preserved: messageCount(items.slice(from)),
  }
}

const hasClearableResult = (entry: Entry): boolean =>
  charsOf(renderEntry(entry, true)) < charsOf(renderEntry(entry, false))

/**
 * Replaces the older part by a summary; null: there is too little of it. `isLasting`: the prompt of the turn, which stays, and an earlier
 * summary, which makes no new one worth while. `isOverflow`: the provider has refused the request as too long.
 */
export const planSummary = (
  items: readonly ViewItem[],
  budget: ContextBudget,
  isLasting: (entry: Entry) => boolean,
  isOverflow: boolean,
): SummaryPlan | null => {
  const scale = scaleOf(items, budget)
  const kept = Math.min(budget.window * KEPT_RATIO, budget.tokens * KEPT_OF_ALL_RATIO)
  const from = Math.min(tailStart(items, kept / scale), firstUnread(items))
  const first = items[from]
  const replaced = items.slice(0, from)
  const fresh = replaced.filter(({ entry }) => !isLasting(entry))
  const leastTokens = isOverflow ? 1 : budget.window * REPLACED_RATIO_MIN
  if (!first || sum(fresh.map(tokensOf)) * scale < leastTokens) return null
  const prompts = replaced.filter(({ entry }) => entry.kind === 'prompt' && isLasting(entry))
  const tokens = Math.floor((sum(replaced.map(tokensOf)) - sum(prompts.map(tokensOf))) * scale)
  const preserved = messageCount(items.slice(from)) + prompts.length
  return { type: 'summary', keptFrom: first.entry.seq, replaced, tokens, preserved, scale }
}

export const messageCount = (items: readonly ViewItem[]): number =>
  sum(items.map(({ messages }) => messages?.length ?? 0))

/** A provider that counts more tokens than we do is right. */
const scaleOf = (items: readonly ViewItem[], { tokens, frameTokens }: ContextBudget): number => {
  const estimate = frameTokens + sum(items.map(tokensOf))
  return Math.min(TOKEN_SCALE_MAX, Math.max(1, tokens / Math.max(1, estimate)))
}

/** The index from which on the items have no more tokens than these. */
const tailStart = (items: readonly ViewItem[], tokens: number): number => {
  let left = tokens
  const last = items.findLastIndex((item) => {
    left -= tokensOf(item)
    return left < 0
  })
  return last + 1
}

/** The index of the first item that the model has not read, and at most that of the last one: results of its last calls, or a text. */
const firstUnread = (items: readonly ViewItem[]): number => {
  const last = items.findLastIndex(({ entry }) => entry.kind === 'step')
  const entry = items[last]?.entry
  const isRead = entry?.kind === 'step' && entry.calls.length === 0
  return Math.min(Math.max(0, isRead ? last + 1 : last), items.length - 1)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
