// Events between the calls that an operator looks for: checkpoints, compactions, warnings, retries, and what people and budgets did.
import type { StreamEnvelopeOf, TimelineEntry } from 'bridle/client'
import { durationText, budgetNameText as limitName, budgetLimitText as limitText } from 'bridle/words'
import type { IconName } from '../../../ui/icon-names.ts'
import { foldScript } from '../../../ui/script-text.ts'
import { compactionNumbers } from '../../event-words.ts'

export interface Mark {
  readonly seq: number
  /** In ms since 1970. */
  readonly at: number
  readonly icon: IconName
  readonly tone: '' | 'warn' | 'danger'
  readonly title: string
  /** Text of the agent or of a person; empty where there is none. */
  readonly text: string
}

type Look = Omit<Mark, 'seq' | 'at'>
type MarkType =
  | 'session_checkpoint'
  | 'context_compacted'
  | 'context_warning'
  | 'retry_scheduled'
  | 'session_paused'
  | 'session_resumed'
  | 'cancel_requested'
  | 'budget_crossed'
  | 'budget_raised'
  | 'branched'
  | 'output_superseded'
  | 'transport_diagnostic'
  | 'error'

const looks: { readonly [T in MarkType]: (payload: StreamEnvelopeOf<T>['payload'], at: number) => Look | null } = {
  // Every turn ends with one, which says no more than the turn itself.
  session_checkpoint: ({ checkpoint_type: type, summary_text: text }) =>
    type === 'turn'
      ? null
      : {
          icon: 'flag',
          tone: '',
          title: type === 'resume_seed' ? 'Branch begins' : 'Checkpoint',
          text: foldScript(text),
        },
  context_compacted: (payload) => ({
    icon: 'fold-vertical',
    tone: '',
    title: 'Compacted',
    text: compactionNumbers(payload).join(', '),
  }),
  context_warning: ({ message, kind, usage_pct: percent }) => ({
    icon: 'triangle-alert',
    tone: 'warn',
    title: 'Context warning',
    text: message ?? (percent === undefined ? (kind ?? '') : `${Math.round(percent)} % used`),
  }),
  retry_scheduled: ({ attempt, due, reason }, at) => ({
    icon: 'rotate-cw',
    tone: 'warn',
    title: `Attempt ${attempt} in ${durationText(Math.max(0, due - at))}`,
    text: reason,
  }),
  session_paused: ({ reason = '', actor, operator }) => ({
    icon: 'circle-pause',
    tone: '',
    title: operator === true ? `Paused by ${actor ?? 'an operator'}` : 'Paused by its policy',
    text: reason,
  }),
  session_resumed: ({ reason = '', actor }) => ({
    icon: 'play',
    tone: '',
    title: actor === undefined ? 'Resumed' : `Resumed by ${actor}`,
    text: reason,
  }),
  cancel_requested: ({ reason = '', actor }) => ({
    icon: 'ban',
    tone: '',
    title: actor === undefined ? 'Cancelled' : `Cancelled by ${actor}`,
    text: reason,
  }),
  budget_crossed: ({ budget, limit }) => ({
    icon: 'gauge',
    tone: 'warn',
    title: 'Budget crossed',
    text: limitText(budget, limit),
  }),
  budget_raised: ({ budgets }) => ({
    icon: 'gauge',
    tone: '',
    title: 'Budget raised',
    text: budgets.map(limitName).join(', '),
  }),
  branched: ({ parent }) => ({ icon: 'git-branch', tone: '', title: 'Branched', text: `from ${parent.id}` }),
  // With `keep` a crash cut off a piece of text, and everything else stays.
  output_superseded: ({ keep }) =>
    keep === undefined ? { icon: 'rotate-cw', tone: 'warn', title: 'Turn starts over', text: '' } : null,
  transport_diagnostic: (payload) =>
    payload.kind === 'provider_fallback'
      ? { icon: 'unplug', tone: 'warn', title: 'Provider fallback', text: fallbackText(payload) }
      : {
          icon: 'unplug',
          tone: payload.status === 'ok' || payload.status === 'recovered' ? '' : 'warn',
          title: `${payload.kind === 'subagent' ? 'Subagent' : 'Provider'} ${payload.status}`,
          text: [payload.kind, payload.provider_actual, payload.reason].filter(Boolean).join(', '),
        },
  error: ({ message }) => ({ icon: 'circle-x', tone: 'danger', title: 'Failed', text: message }),
}

/** Both models are what a reader looks for; the reason of the failure comes after them. */
const fallbackText = (payload: StreamEnvelopeOf<'transport_diagnostic'>['payload']): string => {
  const { model_requested, provider_requested, model_actual, provider_actual, reason } = payload
  const [from, to] = [model_requested ?? provider_requested, model_actual ?? provider_actual]
  return [`${from ?? 'unknown'} → ${to ?? 'unknown'}`, reason].filter(Boolean).join(', ')
}

export const marksOf = (timeline: readonly TimelineEntry[]): readonly Mark[] =>
  timeline.flatMap(({ seq, type, timestamp, payload }) => {
    if (!Object.hasOwn(looks, type)) return []
    const at = Date.parse(timestamp)
    const look = looks[type as MarkType](payload as never, at)
    return look ? [{ seq, at, ...look }] : []
  })
