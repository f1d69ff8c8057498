// Cache marks for providers that need them, after the instructions and after the last message: the next request pays a tenth up to there.
import type { LanguageModel, ModelMessage, ModelOptions } from '../../model/model.ts'

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
